import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ended,
  exited,
  instance,
  NOW,
  NOW_MS,
  observe,
  published,
  RUNNING,
  samplePod,
  sidecar,
  statusInput,
} from '../../../test/samples/sample-pods.ts';
import type { PodStatus } from '../api/pod-status.ts';
import { computePodStatus, type StatusInput } from './compute-pod-status.ts';
import { isSameStatus } from './status-guards.ts';

const running = observe([instance('main', 'running')]);
const verdict = (more: Partial<StatusInput>) => {
  const { phase, reason, message } = computePodStatus(statusInput(more));
  return { phase, reason, message };
};

describe('computePodStatus', () => {
  it('describes a running pod as a whole', () => {
    const condition = (type: string) => ({
      type,
      status: 'True',
      observedGeneration: 1,
      lastTransitionTime: NOW,
    });
    assert.deepEqual(computePodStatus(statusInput({ observed: running })), {
      observedGeneration: 1,
      phase: 'Running',
      conditions: [
        'PodReadyToStartContainers',
        'Initialized',
        'Ready',
        'ContainersReady',
        'PodScheduled',
      ].map(condition),
      hostIP: '192.168.0.2',
      hostIPs: [{ ip: '192.168.0.2' }],
      podIP: '10.0.0.7',
      podIPs: [{ ip: '10.0.0.7' }],
      startTime: NOW,
      containerStatuses: [
        {
          name: 'main',
          state: { running: { startedAt: '2026-01-02T03:04:00Z' } },
          lastState: {},
          ready: true,
          started: true,
          restartCount: 0,
          image: 'docker.io/library/app:1',
          imageID: 'sha256:abc',
          containerID: 'containerd://main-1',
          resources: {},
        },
      ],
      qosClass: 'BestEffort',
    });
  });

  it('the QoS class of the API is kept', () => {
    const pod = samplePod({}, { status: { qosClass: 'Guaranteed' } });
    assert.equal(computePodStatus(statusInput({ pod })).qosClass, 'Guaranteed');
  });

  it('without a published status it continues from that of the API', () => {
    const status: PodStatus = {
      startTime: '2026-01-01T00:00:00Z',
      containerStatuses: [
        published('main', RUNNING, { restartCount: 4, containerID: 'containerd://main-1' }),
      ],
    };
    const computed = computePodStatus(statusInput({ pod: samplePod({}, { status }), observed: running }));
    assert.equal(computed.startTime, '2026-01-01T00:00:00Z');
    assert.equal(computed.containerStatuses?.[0]?.restartCount, 4);
  });

  it('a sidecar that has not started yet holds the pod in Pending and uninitialised', () => {
    const pod = samplePod({ initContainers: [sidecar('side', { startupProbe: {} })] });
    const status = computePodStatus(statusInput({ pod, observed: observe([instance('side', 'running')]) }));
    assert.equal(status.phase, 'Pending');
    const initialized = status.conditions?.find(({ type }) => type === 'Initialized');
    assert.equal(initialized?.message, 'containers with incomplete status: [side]');
  });

  it('ephemeral containers are listed and do not count, but nothing has ended while one runs', () => {
    const pod = samplePod({ restartPolicy: 'Never', ephemeralContainers: [{ name: 'debug' }] });
    const observed = observe([instance('debug', 'running'), exited('main', 0)]);
    const status = computePodStatus(statusInput({ pod, observed }));
    assert.equal(status.phase, 'Running');
    const over = observe([exited('debug', 1), exited('main', 0)]);
    assert.equal(computePodStatus(statusInput({ pod, observed: over })).phase, 'Succeeded');
    assert.ok(status.ephemeralContainerStatuses?.[0]?.state.running);
    assert.equal(status.ephemeralContainerStatuses?.[0]?.started, undefined);
  });
});

describe('computePodStatus, phase and reason', () => {
  const failed: PodStatus = { phase: 'Failed', reason: 'Evicted', message: 'full' };
  const none = { reason: undefined, message: undefined };
  const deadline = {
    phase: 'Failed',
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  };
  const never = { restartPolicy: 'Never' as const };
  const cases: readonly (readonly [string, Partial<StatusInput>, object])[] = [
    [
      'a terminal phase published before is kept with its reason',
      { previous: failed, observed: running },
      failed,
    ],
    [
      'a terminal phase of the API is kept with its reason',
      { pod: samplePod({}, { status: failed }), observed: running },
      failed,
    ],
    [
      'the phase of the API wins over the published one',
      { pod: samplePod({}, { status: failed }), previous: { phase: 'Succeeded', reason: 'x' } },
      failed,
    ],
    [
      'a terminal phase does not turn into the other',
      { pod: samplePod(never), previous: { phase: 'Failed' }, observed: observe([exited('main', 0)]) },
      { phase: 'Failed', ...none },
    ],
    [
      'an unchanged phase keeps reason and message',
      { previous: { phase: 'Running', reason: 'r', message: 'm' }, observed: running },
      { phase: 'Running', reason: 'r', message: 'm' },
    ],
    [
      'an unchanged phase takes the reason of the API when there is no other',
      {
        pod: samplePod({}, { status: { phase: 'Running', reason: 'r', message: 'm' } }),
        previous: { phase: 'Running' },
        observed: running,
      },
      { phase: 'Running', reason: 'r', message: 'm' },
    ],
    [
      'a changed phase drops reason and message',
      { previous: { phase: 'Pending', reason: 'r', message: 'm' }, observed: running },
      { phase: 'Running', ...none },
    ],
    ['a passed deadline fails the pod', { deadlineExceeded: true, ended: true }, deadline],
    [
      'a passed deadline fails no pod that still runs',
      { deadlineExceeded: true, observed: running },
      { phase: 'Running', ...none },
    ],
    [
      'a deadline that passes after the end changes nothing',
      { deadlineExceeded: true, previous: { phase: 'Succeeded' } },
      { phase: 'Succeeded', ...none },
    ],
    [
      'an eviction fails the pod with its reason',
      { override: { phase: 'Failed', reason: 'Evicted', message: 'full' }, observed: running },
      failed,
    ],
    [
      'an eviction after the end changes nothing',
      { override: { phase: 'Failed', reason: 'Evicted', message: 'full' }, previous: { phase: 'Succeeded' } },
      { phase: 'Succeeded', ...none },
    ],
    ...(
      [
        ['a pod that is preempted and ends well has succeeded', 0, { phase: 'Succeeded', ...none }],
        [
          'a pod that is preempted and ends badly has failed for that',
          1,
          { phase: 'Failed', reason: 'Preempting', message: 'room' },
        ],
      ] as const
    ).map(([name, code, expected]): (typeof cases)[number] => [
      name,
      {
        override: { phase: 'Failed', reason: 'Preempting', message: 'room', unlessSucceeded: true },
        observed: observe([exited('main', code)]),
        ended: true,
      },
      expected,
    ]),
  ];
  for (const [name, input, expected] of cases) it(name, () => assert.deepEqual(verdict(input), expected));

  it('a passed deadline makes the pod unready while it still runs', () => {
    const reasons = (deadlineExceeded: boolean) =>
      computePodStatus(statusInput({ observed: running, deadlineExceeded }))
        .conditions?.filter(({ type }) => type === 'Ready' || type === 'ContainersReady')
        .map(({ status, reason }) => [status, reason]);
    assert.deepEqual(reasons(false), Array(2).fill(['True', undefined]));
    assert.deepEqual(reasons(true), Array(2).fill(['False', 'PodFailed']));
  });

  it('an eviction brings its condition and makes the pod unready', () => {
    const override = {
      ...failed,
      phase: 'Failed' as const,
      reason: 'Evicted',
      message: 'full',
      conditions: [{ type: 'DisruptionTarget', status: 'True' as const, reason: 'TerminationByKubelet' }],
    };
    const first = computePodStatus(statusInput({ observed: running, override }));
    assert.equal(first.conditions?.[0]?.type, 'DisruptionTarget');
    assert.equal(first.conditions?.find(({ type }) => type === 'Ready')?.reason, 'PodFailed');
    const later = statusInput({ observed: running, previous: first, nowMs: NOW_MS + 60_000 });
    assert.deepEqual(computePodStatus(later), first);
  });
});

describe('computePodStatus, restart of the whole pod', () => {
  const pod = samplePod({
    restartPolicy: 'Never',
    initContainers: [{ name: 'init' }],
    containers: [
      {
        name: 'main',
        restartPolicy: 'Never',
        restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
      },
    ],
  });
  const step = (containers: Parameters<typeof observe>[0], previous?: PodStatus) =>
    computePodStatus(statusInput({ pod, previous, observed: observe(containers) }));
  const restarting = ({ conditions }: PodStatus) =>
    conditions?.find(({ type }) => type === 'AllContainersRestarting')?.status;

  it('goes from exit through removal to a new start without failing the pod', () => {
    const exit = step(
      [exited('main', 42), exited('init', 0)],
      step([instance('main', 'running'), exited('init', 0)]),
    );
    assert.deepEqual([exit.phase, restarting(exit)], ['Running', 'True']);
    const half = step([exited('main', 42)], exit);
    assert.equal(restarting(half), 'True');
    assert.equal(half.initContainerStatuses?.[0]?.state.waiting?.reason, 'RestartingAllContainers');
    const removed = step([], half);
    assert.equal(restarting(removed), 'False');
    assert.equal(removed.containerStatuses?.[0]?.state.waiting?.reason, 'RestartingAllContainers');
    assert.notEqual(removed.phase, 'Failed');
    assert.ok(isSameStatus(step([], removed), removed));
    const again = step(
      [instance('main', 'running', { id: 'main-2' }), exited('init', 0, { id: 'init-2' })],
      removed,
    );
    assert.deepEqual([again.phase, restarting(again)], ['Running', 'False']);
    const [main] = again.containerStatuses ?? [];
    assert.equal(main?.restartCount, 1);
    assert.deepEqual(main?.lastState.terminated?.reason, 'RestartingAllContainers');
  });
});

describe('computePodStatus after a restart of the agent', () => {
  it('a ready pod stays ready although no probe has run', () => {
    const old = { createdAtMs: NOW_MS - 600_000 };
    const pod = samplePod({ containers: [{ name: 'main', readinessProbe: {}, startupProbe: {} }] });
    const observed = observe([instance('main', 'running', old)]);
    const probes = { get: () => 'success' as const };
    const before = computePodStatus(statusInput({ pod, observed, probes }));
    const restarted = statusInput({
      pod: { ...pod, status: before },
      observed,
      agentStartedAtMs: NOW_MS + 60_000,
      nowMs: NOW_MS + 61_000,
    });
    assert.equal(before.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
    assert.deepEqual(computePodStatus(restarted), before);
  });
});

describe('computePodStatus, waiting', () => {
  it('a crash loop is shown without leaving phase Running', () => {
    const waitingReasons = new Map([['main', { reason: 'CrashLoopBackOff', message: 'back-off 10s' }]]);
    const status = computePodStatus(statusInput({ observed: observe([exited('main', 1)]), waitingReasons }));
    assert.equal(status.phase, 'Running');
    assert.equal(status.containerStatuses?.[0]?.state.waiting?.reason, 'CrashLoopBackOff');
    assert.equal(status.containerStatuses?.[0]?.ready, false);
  });

  it('what ended stays known when the runtime forgets it', () => {
    const pod = samplePod({ restartPolicy: 'Never' });
    const first = computePodStatus(statusInput({ pod, observed: observe([exited('main', 3)]) }));
    assert.equal(first.phase, 'Failed');
    const later = computePodStatus(statusInput({ pod, previous: first, observed: observe([]) }));
    assert.deepEqual(later.containerStatuses, first.containerStatuses);
    assert.notDeepEqual(later.containerStatuses?.[0]?.state, ended(3));
  });
});

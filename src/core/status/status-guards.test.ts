import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ended,
  NOW,
  NOW_MS,
  published,
  RUNNING,
  samplePod,
  sidecar,
  WAITING,
} from '../../../test/samples/sample-pods.ts';
import type { Container, PodRestartPolicy } from '../api/pod.ts';
import type { ContainerState, PodCondition, PodStatus } from '../api/pod-status.ts';
import {
  decideStatusUpdate,
  findIllegalTransition,
  isSameStatus,
  withLastingFacts,
  withTerminalReadiness,
} from './status-guards.ts';

describe('findIllegalTransition', () => {
  const rule = (action: 'Restart' | 'RestartAllContainers'): Partial<Container> => ({
    restartPolicy: 'Never',
    restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [42] } }],
  });
  const cases: readonly (readonly [
    string,
    PodRestartPolicy,
    Partial<Container>,
    number,
    ContainerState,
    boolean,
  ])[] = [
    ['Never: an ended container may not run again', 'Never', {}, 1, RUNNING, false],
    ['Never: nor wait', 'Never', {}, 0, WAITING, false],
    ['Never: it may stay ended', 'Never', {}, 1, ended(1), true],
    ['OnFailure: a failed one may', 'OnFailure', {}, 1, RUNNING, true],
    ['OnFailure: a successful one may not', 'OnFailure', {}, 0, RUNNING, false],
    ['Always: any may', 'Always', {}, 0, RUNNING, true],
    ["the container's own policy may allow it", 'Never', { restartPolicy: 'Always' }, 0, RUNNING, true],
    [
      "the container's own policy may not reach it",
      'Never',
      { restartPolicy: 'OnFailure' },
      0,
      RUNNING,
      false,
    ],
    ['a matching rule allows it', 'Never', rule('Restart'), 42, RUNNING, true],
    ['another exit code is not covered by the rule', 'Never', rule('Restart'), 1, RUNNING, false],
    ['a rule for the whole pod allows everything', 'Never', rule('RestartAllContainers'), 1, RUNNING, true],
  ];
  for (const [name, restartPolicy, more, exitCode, state, legal] of cases) {
    it(name, () => {
      const pod = samplePod({ restartPolicy, containers: [{ name: 'main', ...more }] });
      const why = findIllegalTransition(
        pod,
        { containerStatuses: [published('main', ended(exitCode))] },
        { containerStatuses: [published('main', state)] },
      );
      const text = 'terminated container "main" attempted illegal transition to non-terminated state';
      assert.equal(why, legal ? undefined : text);
    });
  }

  it('init containers are guarded, sidecars are not', () => {
    const revive = (container: Container) =>
      findIllegalTransition(
        samplePod({ restartPolicy: 'Never', initContainers: [container] }),
        { initContainerStatuses: [published(container.name, ended(0))] },
        { initContainerStatuses: [published(container.name, RUNNING)] },
      );
    assert.match(revive({ name: 'init' }) ?? '', /"init"/);
    assert.equal(revive(sidecar('side')), undefined);
  });
});

describe('withLastingFacts', () => {
  it('sets the start time once', () => {
    assert.equal(withLastingFacts(samplePod(), undefined, {}, NOW_MS).startTime, NOW);
    const old = { startTime: '2026-01-01T00:00:00Z' };
    assert.equal(withLastingFacts(samplePod(), old, {}, NOW_MS).startTime, old.startTime);
  });

  it('the observed generation follows the pod and never falls', () => {
    const pod = samplePod({}, { metadata: { generation: 4 } });
    assert.equal(withLastingFacts(pod, { observedGeneration: 3 }, {}, NOW_MS).observedGeneration, 4);
    assert.equal(withLastingFacts(pod, { observedGeneration: 5 }, {}, NOW_MS).observedGeneration, 5);
  });
});

describe('isSameStatus', () => {
  const condition = (more: Partial<PodCondition> = {}): PodCondition => ({
    type: 'Ready',
    status: 'True',
    ...more,
  });
  const base: PodStatus = {
    phase: 'Running',
    conditions: [condition()],
    containerStatuses: [published('main', RUNNING)],
  };
  const same: readonly (readonly [string, PodStatus])[] = [
    [
      'times and generations of conditions',
      { ...base, conditions: [condition({ lastTransitionTime: NOW, observedGeneration: 9 })] },
    ],
    ['conditions of others', { ...base, conditions: [condition(), condition({ type: 'example.com/x' })] }],
    ['empty text and absence', { ...base, reason: '', initContainerStatuses: [] }],
  ];
  for (const [name, other] of same)
    it(`ignores ${name}`, () => assert.equal(isSameStatus(base, other), true));

  const different: readonly (readonly [string, PodStatus])[] = [
    ['the phase', { ...base, phase: 'Failed' }],
    ['the status of an own condition', { ...base, conditions: [condition({ status: 'False' })] }],
    ['the reason of an own condition', { ...base, conditions: [condition({ reason: 'r' })] }],
    ['the message of an own condition', { ...base, conditions: [condition({ message: 'm' })] }],
    ['a removed condition', { ...base, conditions: [] }],
    ['DisruptionTarget', { ...base, conditions: [condition(), condition({ type: 'DisruptionTarget' })] }],
    ['a container state', { ...base, containerStatuses: [published('main', WAITING)] }],
    ['a restart count', { ...base, containerStatuses: [published('main', RUNNING, { restartCount: 1 })] }],
    ['the observed generation', { ...base, observedGeneration: 2 }],
    ['the reason', { ...base, reason: 'r' }],
    ['the message', { ...base, message: 'm' }],
    ['the host address', { ...base, hostIP: '192.0.2.1' }],
    ['a second host address', { ...base, hostIPs: [{ ip: '192.0.2.1' }] }],
    ['the first pod address', { ...base, podIP: '10.0.0.7' }],
    ['a second pod address', { ...base, podIPs: [{ ip: '10.0.0.7' }] }],
    ['the start time', { ...base, startTime: NOW }],
    ['the class', { ...base, qosClass: 'Burstable' }],
    ['an init container', { ...base, initContainerStatuses: [published('init', RUNNING)] }],
    ['an ephemeral container', { ...base, ephemeralContainerStatuses: [published('debug', RUNNING)] }],
    ['the resources in force', { ...base, resources: { limits: { cpu: '1' } } }],
    ['the granted resources', { ...base, allocatedResources: { cpu: '1' } }],
    ['the pod address', { ...base, podIP: '10.0.0.7', podIPs: [{ ip: '10.0.0.7' }] }],
  ];
  for (const [name, other] of different) {
    it(`sees ${name}`, () => {
      assert.equal(isSameStatus(base, other), false);
      assert.equal(isSameStatus(other, base), false);
    });
  }
});

describe('decideStatusUpdate', () => {
  const pod = samplePod({ restartPolicy: 'Never' });
  const running: PodStatus = {
    phase: 'Running',
    startTime: NOW,
    containerStatuses: [published('main', RUNNING)],
  };
  const done: PodStatus = {
    ...running,
    phase: 'Succeeded',
    containerStatuses: [published('main', ended(0))],
  };

  it('publishes a first status', () => {
    const update = decideStatusUpdate(pod, undefined, { phase: 'Pending' }, NOW_MS);
    assert.deepEqual(update, {
      kind: 'publish',
      status: { phase: 'Pending', observedGeneration: 1, startTime: NOW },
    });
  });

  it('publishes nothing when nothing changed', () => {
    const published = { ...running, observedGeneration: 1 };
    assert.deepEqual(decideStatusUpdate(pod, published, running, NOW_MS + 5_000), { kind: 'unchanged' });
  });

  it('is forced for a pod being deleted', () => {
    const deleting = samplePod({}, { metadata: { deletionTimestamp: NOW } });
    const published = { ...running, observedGeneration: 1 };
    assert.equal(decideStatusUpdate(deleting, published, running, NOW_MS).kind, 'publish');
  });

  it('drops an update in which an ended container comes back', () => {
    assert.equal(decideStatusUpdate(pod, done, running, NOW_MS).kind, 'illegal');
    const known = samplePod({ restartPolicy: 'Never' }, { status: done });
    assert.equal(decideStatusUpdate(known, undefined, running, NOW_MS).kind, 'illegal');
  });
});

describe('withTerminalReadiness', () => {
  const conditions: PodCondition[] = [
    { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
    { type: 'Initialized', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
    { type: 'ContainersReady', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ];

  it('a failed pod is not ready', () => {
    assert.deepEqual(withTerminalReadiness({ phase: 'Failed', conditions }, NOW_MS).conditions, [
      { type: 'Ready', status: 'False', reason: 'PodFailed', lastTransitionTime: NOW },
      conditions[1],
      { type: 'ContainersReady', status: 'False', reason: 'PodFailed', lastTransitionTime: NOW },
    ]);
    const [ready] = withTerminalReadiness({ phase: 'Succeeded', conditions }, NOW_MS).conditions ?? [];
    assert.deepEqual([ready?.status, ready?.reason], ['False', 'PodCompleted']);
  });

  it('a running pod is left alone', () => {
    assert.deepEqual(withTerminalReadiness({ phase: 'Running', conditions }, NOW_MS).conditions, conditions);
  });
});

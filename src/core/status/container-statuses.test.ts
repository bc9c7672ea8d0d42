import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ended,
  exited,
  instance,
  observe,
  published,
  RUNNING,
  samplePod,
  sidecar,
  WAITING,
} from '../../../test/samples/sample-pods.ts';
import type { Pod } from '../api/pod.ts';
import type { ContainerState, ContainerStatus, PodStatus } from '../api/pod-status.ts';
import { toContainerId } from '../model/ids.ts';
import type { ObservedContainer } from '../model/observed-pod.ts';
import { type ContainerStatusFacts, computeContainerStatuses } from './container-statuses.ts';

function compute(
  containers: readonly ObservedContainer[],
  old: PodStatus | undefined,
  more: Partial<ContainerStatusFacts> = {},
) {
  return computeContainerStatuses({
    pod: samplePod(),
    observed: observe(containers),
    old,
    waitingReasons: new Map(),
    terminationMessages: new Map(),
    runtimeName: 'containerd',
    restartingAll: false,
    ...more,
  });
}

const main = (...args: Parameters<typeof compute>): ContainerStatus => {
  const [status] = compute(...args).regular;
  assert.ok(status !== undefined);
  return status;
};
const before = (state: ContainerState, more: Partial<ContainerStatus> = {}): PodStatus => ({
  containerStatuses: [published('main', state, more)],
});
const failure = (reason: string, message = '') => new Map([['main', { reason, message }]]);
const withInit: Pod = samplePod({ initContainers: [{ name: 'init', image: 'init:1' }] });
const deleted = samplePod({}, { metadata: { deletionTimestamp: '2026-01-02T03:04:00Z' } });
const LOST_137 = {
  terminated: {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was deleted.  The container used to be Running',
  },
};
const LOST_AT_END = {
  terminated: {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
    containerID: 'containerd://main-1',
  },
};

describe('computeContainerStatuses, container absent from the runtime', () => {
  it('a container never seen waits with its spec image', () => {
    assert.deepEqual(main([], undefined), {
      name: 'main',
      state: { waiting: { reason: 'ContainerCreating' } },
      lastState: {},
      ready: false,
      restartCount: 0,
      image: 'app:1',
      imageID: '',
    });
  });

  it('in a pod with init containers every container waits for initialisation', () => {
    const { init, regular } = compute([], undefined, { pod: withInit });
    assert.equal(regular[0]?.state.waiting?.reason, 'PodInitializing');
    assert.equal(init[0]?.state.waiting?.reason, 'PodInitializing');
  });

  it('a waiting container keeps count and last state', () => {
    const old = before(WAITING, { restartCount: 3, lastState: ended(1) });
    const { state, lastState, restartCount } = main([], old);
    assert.deepEqual([state, lastState, restartCount], [WAITING, ended(1), 3]);
  });

  it('a terminated container is kept as a whole', () => {
    const old = published('main', ended(3), {
      restartCount: 2,
      containerID: 'containerd://x',
      imageID: 'sha256:1',
    });
    assert.deepEqual(main([], { containerStatuses: [old] }), old);
  });

  it('a running container that vanished has ended with an unknown exit code and is restarted', () => {
    const { state, lastState, restartCount } = main([], before(RUNNING, { restartCount: 1 }));
    assert.deepEqual([state, lastState, restartCount], [WAITING, LOST_137, 2]);
  });

  it('in a pod being deleted a vanished container is not counted as restarted', () => {
    const { lastState, restartCount } = main([], before(RUNNING, { restartCount: 1 }), { pod: deleted });
    assert.deepEqual([lastState, restartCount], [LOST_137, 1]);
  });

  it('a vanished container with a known last state keeps that', () => {
    const { lastState, restartCount } = main([], before(RUNNING, { restartCount: 1, lastState: ended(1) }));
    assert.deepEqual([lastState, restartCount], [ended(1), 1]);
  });

  for (const [name, state] of [
    ['running', RUNNING],
    ['terminated', ended(42)],
  ] as const) {
    it(`a ${name} container removed to restart the whole pod shows that reason`, () => {
      const status = main([], before(state, { restartCount: 4 }), { restartingAll: true });
      const message = 'The container is removed because RestartAllContainers in place';
      assert.deepEqual(status.state, { waiting: { reason: 'RestartingAllContainers', message } });
      assert.deepEqual(status.lastState.terminated, {
        reason: 'RestartingAllContainers',
        message,
        exitCode: 137,
      });
      assert.equal(status.restartCount, 5);
    });
  }

  it('a waiting container is not counted again while the whole pod restarts', () => {
    const { state, restartCount } = main([], before(WAITING, { restartCount: 4 }), { restartingAll: true });
    assert.deepEqual([state, restartCount], [WAITING, 4]);
  });
});

describe('computeContainerStatuses, container present', () => {
  it('a running instance is described by the runtime', () => {
    const status = main([instance('main', 'running', { id: 'c1', count: 2 })], undefined);
    assert.deepEqual(status, {
      name: 'main',
      state: { running: { startedAt: '2026-01-02T03:04:00Z' } },
      lastState: {},
      ready: false,
      restartCount: 2,
      image: 'docker.io/library/app:1',
      imageID: 'sha256:abc',
      containerID: 'containerd://c1',
      resources: {},
    });
  });

  it('a created instance waits without reason', () => {
    assert.deepEqual(main([instance('main', 'created')], undefined).state, { waiting: {} });
  });

  it('an exited instance shows how it ended', () => {
    const dead = exited('main', 2, { id: 'c1', details: { message: 'oom' } });
    const status = main([dead], undefined, { terminationMessages: new Map([[dead.id, 'bye']]) });
    assert.deepEqual(status.state, {
      terminated: {
        exitCode: 2,
        reason: 'Error',
        message: 'oom: bye',
        startedAt: '2026-01-02T03:04:00Z',
        finishedAt: '2026-01-02T03:04:04Z',
        containerID: 'containerd://c1',
      },
    });
  });

  it('an instance of unknown state that ran before is lost and counted', () => {
    const { state, restartCount } = main([instance('main', 'unknown')], before(RUNNING, { restartCount: 1 }));
    assert.deepEqual([state, restartCount], [LOST_AT_END, 2]);
  });

  it('an instance lost in a restart of the whole pod shows that reason', () => {
    const { state } = main([instance('main', 'unknown')], before(RUNNING), { restartingAll: true });
    assert.equal(state.terminated?.reason, 'RestartingAllContainers');
  });

  it('an instance of unknown state that was declared lost stays so', () => {
    const first = main([instance('main', 'unknown')], before(RUNNING, { restartCount: 1 }));
    assert.deepEqual(main([instance('main', 'unknown')], { containerStatuses: [first] }), first);
  });

  it('an instance of unknown state that never ran waits', () => {
    assert.deepEqual(main([instance('main', 'unknown')], before(WAITING)).state, { waiting: {} });
  });

  it('newest instance is the state, the one before the last state, older ones do not count', () => {
    const status = main(
      [
        instance('main', 'running', { id: 'c3', count: 2 }),
        exited('main', 2, { id: 'c2', count: 1 }),
        exited('main', 1, { id: 'c1' }),
      ],
      undefined,
    );
    assert.ok(status.state.running);
    assert.equal(status.lastState.terminated?.exitCode, 2);
  });

  it('the published end becomes the last state when a new instance is there', () => {
    const old = before(ended(7), { containerID: 'containerd://c1', restartCount: 1 });
    const status = main([instance('main', 'running', { id: 'c2', count: 0 })], old);
    assert.deepEqual([status.lastState, status.restartCount], [ended(7), 2]);
  });

  it('an earlier instance of unknown state is lost, one that is gone leaves no last state', () => {
    const old = before(RUNNING, { containerID: 'containerd://c1' });
    const second = instance('main', 'running', { id: 'c2' });
    const { containerID: _, ...lost } = LOST_AT_END.terminated;
    assert.deepEqual(main([second, instance('main', 'unknown', { id: 'c1' })], old).lastState, {
      terminated: lost,
    });
    assert.deepEqual(main([second], old).lastState, {});
  });

  it('an instance runs since it was started, or created where that is unknown', () => {
    const startedAt = (details: object) =>
      main(
        [instance('main', 'running', { createdAtMs: Date.parse('2026-01-01T00:00:00Z'), details })],
        undefined,
      ).state.running?.startedAt;
    assert.equal(startedAt({ startedAtMs: Date.parse('2026-01-01T00:00:07Z') }), '2026-01-01T00:00:07Z');
    assert.equal(startedAt({ startedAtMs: undefined }), '2026-01-01T00:00:00Z');
  });

  it('the last state stays with its instance when the runtime forgets it', () => {
    const old = before(RUNNING, { containerID: 'containerd://c2', lastState: ended(7) });
    assert.deepEqual(main([instance('main', 'running', { id: 'c2' })], old).lastState, ended(7));
  });

  it('an end shown as last state while waiting is not shown twice', () => {
    const dead = exited('main', 1, { id: 'c1' });
    const waiting = main([dead], undefined, { waitingReasons: failure('CrashLoopBackOff') });
    const status = main([dead], { containerStatuses: [waiting] });
    assert.equal(status.state.terminated?.exitCode, 1);
    assert.deepEqual(status.lastState, {});
  });

  it('an instance that was only created is no restart yet', () => {
    const made = (count: number) => [instance('main', 'created', { id: 'c1', count })];
    assert.equal(main(made(3), undefined).restartCount, 2);
    assert.equal(main(made(0), undefined).restartCount, 0);
    assert.equal(main(made(3), before(ended(1), { restartCount: 2 })).restartCount, 2);
    assert.equal(main([instance('main', 'running', { id: 'c1', count: 3 })], undefined).restartCount, 3);
  });

  it('the restart count is never lower than published', () => {
    const running = [instance('main', 'running', { id: 'c1', count: 1 })];
    assert.equal(
      main(running, before(RUNNING, { restartCount: 5, containerID: 'containerd://c1' })).restartCount,
      5,
    );
  });

  it('the message of an ended instance is kept when its file was not read again', () => {
    const old = before({ terminated: { exitCode: 1, message: 'bye', containerID: 'containerd://c1' } });
    assert.equal(main([exited('main', 1, { id: 'c1' })], old).state.terminated?.message, 'bye');
  });

  it('user, stop signal and mounts are shown where known', () => {
    const pod = samplePod({
      containers: [
        {
          name: 'main',
          volumeMounts: [
            { name: 'a', mountPath: '/a' },
            { name: 'b', mountPath: '/b', readOnly: true },
            { name: 'c', mountPath: '/c', readOnly: true, recursiveReadOnly: 'IfPossible' },
            { name: 'd', mountPath: '/d', readOnly: true, recursiveReadOnly: 'Enabled' },
          ],
        },
      ],
    });
    const running = instance('main', 'running', {
      details: { user: { uid: 1, gid: 2, supplementalGroups: [3] }, stopSignal: 'SIGTERM' },
    });
    const status = main([running], undefined, {
      pod,
      supportsRecursiveReadOnly: true,
      reportStopSignal: true,
    });
    assert.deepEqual(status.user, { linux: { uid: 1, gid: 2, supplementalGroups: [3] } });
    assert.equal(status.stopSignal, 'SIGTERM');
    assert.deepEqual(status.volumeMounts, [
      { name: 'a', mountPath: '/a' },
      { name: 'b', mountPath: '/b', readOnly: true, recursiveReadOnly: 'Disabled' },
      { name: 'c', mountPath: '/c', readOnly: true, recursiveReadOnly: 'Enabled' },
      { name: 'd', mountPath: '/d', readOnly: true, recursiveReadOnly: 'Enabled' },
    ]);
    const plain = main([running], undefined, { pod });
    assert.equal(plain.stopSignal, undefined);
    assert.deepEqual(
      plain.volumeMounts?.map(({ recursiveReadOnly }) => recursiveReadOnly),
      [undefined, 'Disabled', 'Disabled', 'Enabled'],
    );
  });
});

describe('computeContainerStatuses, health of devices', () => {
  it('shows it of a container that runs and of one that never started', () => {
    const health = [{ name: 'x.io/d', resources: [{ resourceID: 'a', health: 'Healthy' }] }];
    const resourceHealth = new Map([['main', health]]);
    assert.deepEqual(main([], undefined, { resourceHealth }).allocatedResourcesStatus, health);
    const running = main([instance('main', 'running')], undefined, { resourceHealth });
    assert.deepEqual(running.allocatedResourcesStatus, health);
    assert.equal(main([], undefined).allocatedResourcesStatus, undefined);
  });
});

describe('computeContainerStatuses, start failures', () => {
  it('a container that could not be started shows why', () => {
    const { state } = main([], undefined, { waitingReasons: failure('ErrImagePull', 'no such image') });
    assert.deepEqual(state, { waiting: { reason: 'ErrImagePull', message: 'no such image' } });
  });

  it('the end of a container that waits for its restart moves to the last state', () => {
    const status = main([exited('main', 1)], undefined, { waitingReasons: failure('CrashLoopBackOff', 'b') });
    assert.equal(status.state.waiting?.reason, 'CrashLoopBackOff');
    assert.equal(status.lastState.terminated?.exitCode, 1);
  });

  it('without a failure the end stays the state', () => {
    assert.equal(main([exited('main', 1)], undefined).state.terminated?.exitCode, 1);
  });

  const ignored: readonly (readonly [string, readonly ObservedContainer[], Pod])[] = [
    ['a running container', [instance('main', 'running')], samplePod()],
    ['a container that is not restarted', [exited('main', 1)], samplePod({ restartPolicy: 'Never' })],
    ['a pod being deleted', [], deleted],
  ];
  for (const [name, containers, pod] of ignored) {
    it(`${name} does not show a failure`, () => {
      const { state } = main(containers, undefined, { pod, waitingReasons: failure('RunContainerError') });
      assert.notEqual(state.waiting?.reason, 'RunContainerError');
    });
  }
});

describe('computeContainerStatuses, init containers', () => {
  const failing = { waitingReasons: new Map([['init', { reason: 'RunContainerError', message: '' }]]) };
  const init = (...args: Parameters<typeof compute>) => compute(...args).init[0]?.state;

  it('one that succeeded shows no failure', () => {
    const state = init([exited('init', 0)], undefined, { pod: withInit, ...failing });
    assert.equal(state?.terminated?.exitCode, 0);
  });

  it('one that failed and is tried again shows the failure', () => {
    const state = init([exited('init', 1)], undefined, { pod: withInit, ...failing });
    assert.equal(state?.waiting?.reason, 'RunContainerError');
  });

  it('one the runtime forgot counts as completed once a regular container was created', () => {
    assert.deepEqual(init([instance('main', 'created')], undefined, { pod: withInit }), {
      terminated: {
        exitCode: 0,
        reason: 'Completed',
        message:
          'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally',
      },
    });
    assert.ok(init([], undefined, { pod: withInit })?.waiting);
  });

  it('one that was removed because the whole pod restarts is not completed', () => {
    const restarting = { waiting: { reason: 'RestartingAllContainers' } };
    const old = { initContainerStatuses: [published('init', restarting)] };
    const left = [instance('main', 'created')];
    assert.deepEqual(init(left, old, { pod: withInit }), restarting);
    assert.ok(init(left, undefined, { pod: withInit, restartingAll: true })?.waiting);
  });

  it('one the runtime forgot but that cannot be started again shows the failure', () => {
    const state = init([exited('main', 1)], undefined, { pod: withInit, ...failing });
    assert.equal(state?.waiting?.reason, 'RunContainerError');
  });

  it('a sidecar is not treated as completed', () => {
    const pod = samplePod({ initContainers: [sidecar('init')] });
    assert.ok(init([instance('main', 'running')], undefined, { pod })?.waiting);
  });
});

describe('computeContainerStatuses, order and limits', () => {
  it('init containers keep spec order, others are sorted by name', () => {
    const named = (...names: string[]) => names.map((name) => ({ name }));
    const pod = samplePod({
      initContainers: named('z', 'a'),
      containers: named('y', 'b'),
      ephemeralContainers: named('x', 'c'),
    });
    const { init, regular, ephemeral } = compute([], undefined, { pod });
    const names = [init, regular, ephemeral].map((list) => list.map(({ name }) => name));
    assert.deepEqual(names, [
      ['z', 'a'],
      ['b', 'y'],
      ['c', 'x'],
    ]);
  });

  it('messages are cut to the share of one container, in state and last state', () => {
    const text = 'm'.repeat(13_000);
    const status = main([exited('main', 1, { id: 'c2' }), exited('main', 1, { id: 'c1' })], undefined, {
      pod: withInit,
      terminationMessages: new Map([
        [toContainerId('c2'), text],
        [toContainerId('c1'), text],
      ]),
    });
    assert.equal(status.state.terminated?.message?.length, 6144);
    assert.equal(status.lastState.terminated?.message?.length, 6144);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inShort, instanceOf, podFacts, podFailure } from '../../../test/samples/sample-facts.ts';
import {
  exited,
  instance,
  NOW_MS,
  observe,
  probeResults,
  samplePod,
  sandbox,
  sidecar,
} from '../../../test/samples/sample-pods.ts';
import type { Container } from '../api/pod.ts';
import { toSandboxId } from '../model/ids.ts';
import { computeBackOffKey } from './back-off-key.ts';
import { decidePod } from './decide-pod.ts';

const main: Container = { name: 'main', image: 'app:1' };
const helper: Container = { name: 'helper', image: 'helper:1' };
const init: Container = { name: 'init', image: 'init:1' };
const dead = sandbox({ ready: false });

const plan = (more: Parameters<typeof podFacts>[0]) => decidePod(podFacts(more));
const short = (more: Parameters<typeof podFacts>[0]): string[] => inShort(plan(more).actions);

describe('decidePod with a new sandbox', () => {
  it('makes the first sandbox and nothing else in that pass', () => {
    assert.deepEqual(short({ observed: observe([], []) }), ['create-sandbox 0']);
  });

  it('stops everything, also the lost sandbox, before it makes the next one', () => {
    assert.deepEqual(short({ observed: observe([instanceOf(main, 'running')], [dead]) }), [
      'stop main',
      'stop-sandbox sandbox-1',
      'create-sandbox 1',
    ]);
  });

  it('names the sandbox it replaces', () => {
    const { actions } = plan({ observed: observe([], [dead]) });
    assert.deepEqual(actions.at(-1), { kind: 'create-sandbox', attempt: 1, replaces: dead.id });
  });

  it('removes every instance of init containers, the newest last, but keeps their logs', () => {
    const pod = samplePod({ initContainers: [init], containers: [main] });
    const observed = observe(
      [instanceOf(main, 'running'), exited('init', 0, { id: 'i2' }), exited('init', 1, { id: 'i1' })],
      [dead],
    );
    const { actions } = plan({ pod, observed });
    assert.deepEqual(inShort(actions), [
      'stop main',
      'stop-sandbox sandbox-1',
      'remove i1',
      'remove i2',
      'create-sandbox 1',
    ]);
    const removals = actions.filter((action) => action.kind === 'remove-container');
    assert.ok(removals.every(({ keepLogs }) => keepLogs));
  });

  it('does not replace the sandbox of a pod that is never restarted once anything was made', () => {
    const pod = samplePod({ restartPolicy: 'Never', containers: [main, helper] });
    const observed = observe([instanceOf(main, 'running')], [dead]);
    const { actions, completed } = plan({ pod, observed });
    assert.deepEqual([inShort(actions), completed], [['stop main'], true]);
  });

  it('replaces the sandbox of such a pod while nothing was made in it', () => {
    const pod = samplePod({ restartPolicy: 'Never' });
    assert.deepEqual(short({ pod, observed: observe([], [dead]) }), [
      'stop-sandbox sandbox-1',
      'create-sandbox 1',
    ]);
  });

  it('does not replace the sandbox when all OnFailure containers succeeded', () => {
    const pod = samplePod({ restartPolicy: 'OnFailure' });
    const { actions, completed } = plan({ pod, observed: observe([exited('main', 0)], [dead]) });
    assert.deepEqual([actions, completed], [[], true]);
  });

  it('replaces it when one of them failed', () => {
    const pod = samplePod({ restartPolicy: 'OnFailure', containers: [main, helper] });
    const observed = observe([exited('main', 0), exited('helper', 1)], [dead]);
    assert.equal(short({ pod, observed }).at(-1), 'create-sandbox 1');
  });

  it('then starts only the ones that did not succeed', () => {
    const pod = samplePod({ restartPolicy: 'OnFailure', containers: [main, helper] });
    const fresh = sandbox({ id: toSandboxId('sandbox-2'), attempt: 1 });
    const observed = observe([exited('main', 0), exited('helper', 1)], [fresh, dead]);
    assert.deepEqual(short({ pod, observed }), ['start helper']);
  });

  it('starts init containers over in the new sandbox, even if a main one was left half made', () => {
    const pod = samplePod({ initContainers: [init], containers: [main] });
    const fresh = sandbox({ id: toSandboxId('sandbox-2'), attempt: 1 });
    assert.deepEqual(short({ pod, observed: observe([instanceOf(main, 'created')], [fresh, dead]) }), [
      'start init',
    ]);
  });

  it('starts nothing while the runtime says that it is not ready; ends and clean-ups go on', () => {
    const runtimeProblem = 'RuntimeReady=false';
    const waiting = plan({ observed: observe([], []), runtimeProblem });
    assert.deepEqual(
      [waiting.actions, waiting.podWaitsFor],
      [[], 'the container runtime: RuntimeReady=false'],
    );
    const restarting = plan({ observed: observe([exited('main', 1)]), runtimeProblem });
    assert.deepEqual(restarting.actions, []);
    const termination = { cause: 'deleted' as const, requestedAtMs: NOW_MS, graceSeconds: 5 };
    const ending = { observed: observe([instance('main', 'running')]), termination };
    assert.notDeepEqual(short({ ...ending, runtimeProblem }), []);
    assert.deepEqual(short({ ...ending, runtimeProblem }), short(ending));
  });

  it('waits for the network, unless the pod uses the host network', () => {
    const waiting = plan({ observed: observe([], []), networkProblem: 'cni is not ready' });
    assert.deepEqual([waiting.actions, waiting.podWaitsFor], [[], 'the network: cni is not ready']);
    assert.deepEqual(waiting.events, [
      { type: 'Warning', reason: 'NetworkNotReady', message: 'network is not ready: cni is not ready' },
    ]);
    const pod = samplePod({ hostNetwork: true });
    assert.deepEqual(short({ pod, observed: observe([], []), networkProblem: 'cni is not ready' }), [
      'create-sandbox 0',
    ]);
  });

  it('waits after a failure exactly until the retry', () => {
    const facts = { observed: observe([], []), podFailure: podFailure('create-sandbox', NOW_MS - 9_999) };
    const held = plan(facts);
    assert.deepEqual([held.actions, held.wakeAtMs], [[], NOW_MS + 1]);
    assert.deepEqual(short({ ...facts, nowMs: NOW_MS + 1 }), ['create-sandbox 0']);
  });
});

describe('decidePod with a kept sandbox', () => {
  it('has nothing to do when everything runs', () => {
    const result = plan({ observed: observe([instanceOf(main, 'running')]) });
    assert.deepEqual(result, { actions: [], waiting: new Map(), completed: false, gone: false });
  });

  it('starts ephemeral containers first, even before the pod is initialised, and never again', () => {
    const debug = { name: 'debug', image: 'debug:1' };
    const pod = samplePod({ initContainers: [init], containers: [main], ephemeralContainers: [debug] });
    assert.deepEqual(short({ pod }), ['start debug', 'start init']);
    assert.deepEqual(short({ pod, observed: observe([exited('debug', 1)]) }), ['start init']);
  });

  it('starts sidecars, then main containers in spec order, in the newest sandbox', () => {
    const pod = samplePod({ initContainers: [sidecar('side')], containers: [main, helper] });
    const observed = observe([instanceOf(sidecar('side'), 'running')]);
    const { actions } = plan({ pod, observed });
    assert.deepEqual(inShort(actions), ['start main', 'start helper']);
    assert.deepEqual(actions[0], {
      kind: 'start-container',
      container: main,
      role: 'regular',
      sandboxId: 'sandbox-1',
      sandboxAttempt: 0,
    });
  });

  it('starts no main container before the pod is initialised', () => {
    const pod = samplePod({ initContainers: [init], containers: [main] });
    assert.deepEqual(short({ pod, observed: observe([instanceOf(init, 'running')]) }), []);
  });

  it('ends the pod when an init container failed for good', () => {
    const pod = samplePod({
      restartPolicy: 'Never',
      initContainers: [sidecar('side'), init],
      containers: [main],
    });
    const observed = observe([exited('init', 1), instanceOf(sidecar('side'), 'running')]);
    const { actions, completed } = plan({ pod, observed });
    assert.deepEqual([inShort(actions), completed], [['stop side', 'stop-sandbox sandbox-1'], true]);
  });

  it('ends the pod when its main containers are done, regardless of its sidecars', () => {
    const pod = samplePod({
      restartPolicy: 'OnFailure',
      initContainers: [sidecar('a'), sidecar('b')],
      containers: [main],
    });
    const observed = observe([
      exited('main', 0),
      exited('b', 1, { id: 'b' }),
      instanceOf(sidecar('a'), 'running'),
    ]);
    const { actions, completed } = plan({ pod, observed });
    assert.deepEqual([inShort(actions), completed], [['stop a', 'stop-sandbox sandbox-1'], true]);
  });

  it('only stops a container that failed its probe for good; the end follows once it ended', () => {
    const pod = samplePod({ restartPolicy: 'Never', containers: [main] });
    const observed = observe([instanceOf(main, 'running')]);
    const failed = plan({ pod, observed, probes: probeResults({ 'liveness/main-1': 'failure' }) });
    assert.deepEqual([inShort(failed.actions), failed.completed], [['stop main'], false]);
  });

  it('stops a container before it starts it again', () => {
    const observed = observe([instance('main', 'running')]);
    assert.deepEqual(short({ observed }), ['stop main', 'start main']);
  });

  it('cleans up after the starts', () => {
    const observed = observe([
      exited('main', 1, { id: 'm3' }),
      exited('main', 1, { id: 'm2' }),
      exited('main', 1, { id: 'm1' }),
    ]);
    assert.deepEqual(short({ observed }), ['start main', 'remove m2', 'remove m1']);
  });

  it('delays stops and clean-up after a failure while other containers continue', () => {
    const pod = samplePod({ containers: [main, helper] });
    const observed = observe([instance('main', 'running')]);
    const held = plan({ pod, observed, podFailure: podFailure('stop-containers', NOW_MS) });
    assert.deepEqual([inShort(held.actions), held.wakeAtMs], [['start helper'], NOW_MS + 10_000]);
  });

  it('does not wake up for a failure that holds nothing back', () => {
    const observed = observe([instanceOf(main, 'running')]);
    const result = plan({ observed, podFailure: podFailure('remove-container', NOW_MS) });
    assert.equal(result.wakeAtMs, undefined);
  });

  it('delays the last stop of a finished pod after a failure, but still reports it finished', () => {
    const pod = samplePod({ restartPolicy: 'Never' });
    const observed = observe([exited('main', 0)]);
    const held = plan({ pod, observed, podFailure: podFailure('stop-sandbox', NOW_MS) });
    assert.deepEqual([held.actions, held.wakeAtMs, held.completed], [[], NOW_MS + 10_000, true]);
  });
});

describe('decidePod for a start that must wait', () => {
  const pod = samplePod({ containers: [main, helper] });
  const ended = exited('main', 1, { details: { finishedAtMs: NOW_MS - 1_000 } });
  const crashLoops = new Map([
    [computeBackOffKey(pod, main), { delayMs: 20_000, updatedAtMs: NOW_MS - 5_000 }],
  ]);

  it('shows the crash loop, wakes at its end and starts the others', () => {
    const result = plan({ pod, observed: observe([ended]), crashLoops });
    assert.deepEqual(inShort(result.actions), ['start helper']);
    assert.equal(result.wakeAtMs, NOW_MS + 19_000);
    assert.deepEqual(
      [...result.waiting],
      [
        [
          'main',
          {
            reason: 'CrashLoopBackOff',
            message: 'back-off 20s restarting failed container=main pod=web_default(uid-1)',
          },
        ],
      ],
    );
  });

  it('wakes at the first of several ends', () => {
    const failure = {
      reason: 'CreateContainerError',
      message: 'x',
      failedAtMs: NOW_MS,
      retryAtMs: NOW_MS + 5,
    };
    const startFailures = new Map([['helper', failure]]);
    const result = plan({ pod, observed: observe([ended]), crashLoops, startFailures });
    assert.deepEqual([result.actions, result.wakeAtMs], [[], NOW_MS + 5]);
    assert.deepEqual(result.waiting.get('helper'), { reason: 'CreateContainerError', message: 'x' });
  });

  it('wakes when a failed pull is to be shown as back-off', () => {
    const failure = {
      reason: 'ErrImagePull',
      message: 'x',
      failedAtMs: NOW_MS - 400,
      retryAtMs: NOW_MS + 9_600,
    };
    const result = plan({ startFailures: new Map([['main', failure]]) });
    assert.deepEqual([result.waiting.get('main')?.reason, result.wakeAtMs], ['ErrImagePull', NOW_MS + 600]);
    const later = plan({ startFailures: new Map([['main', failure]]), nowMs: NOW_MS + 600 });
    assert.deepEqual(
      [later.waiting.get('main')?.reason, later.wakeAtMs],
      ['ImagePullBackOff', NOW_MS + 9_600],
    );
  });

  it('retries when the back-off has passed', () => {
    const failure = { reason: 'ErrImagePull', message: 'x', failedAtMs: NOW_MS - 10_000, retryAtMs: NOW_MS };
    assert.deepEqual(short({ startFailures: new Map([['main', failure]]) }), ['start main']);
  });
});

describe('decidePod for a pod that is to end', () => {
  it('ends a pod that is being deleted even when no termination is recorded yet', () => {
    const pod = samplePod({}, { metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' } });
    assert.deepEqual(short({ pod, observed: observe([instanceOf(main, 'running')]) }), [
      'stop main',
      'stop-sandbox sandbox-1',
    ]);
    assert.deepEqual(short({ pod, observed: observe([], []) }), ['release-pod']);
  });

  it('does not run a finished pod again after the agent forgot that it is finished', () => {
    const once: Container = { ...main, restartPolicy: 'Never' };
    const pods = [
      samplePod({ restartPolicy: 'Always', containers: [once] }),
      samplePod({ restartPolicy: 'Always', initContainers: [{ ...init, restartPolicy: 'Never' }] }),
    ];
    for (const pod of pods) {
      const name = pod.spec.initContainers === undefined ? 'main' : 'init';
      const { actions, completed } = plan({ pod, observed: observe([exited(name, 3)], [dead]) });
      assert.deepEqual([actions, completed], [[], true], name);
    }
  });
});

describe('decidePod with volumes', () => {
  const missing = { ready: false, held: true };
  const running = observe([instanceOf(main, 'running')]);

  it('mounts them before the sandbox and after what has to stop', () => {
    assert.deepEqual(short({ volumes: missing, observed: observe([], []) }), [
      'mount-volumes',
      'create-sandbox 0',
    ]);
    assert.deepEqual(short({ volumes: missing, observed: observe([instanceOf(main, 'running')], [dead]) }), [
      'stop main',
      'stop-sandbox sandbox-1',
      'mount-volumes',
      'create-sandbox 1',
    ]);
  });

  it('waits for the network before it mounts', () => {
    assert.deepEqual(short({ volumes: missing, observed: observe([], []), networkProblem: 'no plugin' }), []);
  });

  it('sets them up for a pod that runs, after a start of the agent, and before the next container', () => {
    assert.deepEqual(short({ volumes: missing, observed: running }), ['mount-volumes']);
    assert.deepEqual(short({ volumes: missing, observed: observe([]) }), ['mount-volumes', 'start main']);
  });

  it('starts nothing while they wait for the retry, names the reason, and leaves running containers alone', () => {
    const failure = podFailure('mount-volumes', NOW_MS - 1);
    for (const observed of [observe([]), observe([], []), running]) {
      const { actions, podWaitsFor, wakeAtMs, completed } = plan({
        volumes: missing,
        observed,
        podFailure: failure,
      });
      assert.deepEqual(
        [actions, podWaitsFor, wakeAtMs, completed],
        [[], 'a retry of mount-volumes: no luck', failure.retryAtMs, false],
      );
    }
  });

  it('retries at once when the object a volume waits for has changed since', () => {
    const failure = podFailure('mount-volumes', NOW_MS - 10);
    const facts = { observed: observe([], []), podFailure: failure };
    const changed = (changedAtMs: number) => ({ ...missing, changedAtMs });
    assert.deepEqual(short({ ...facts, volumes: changed(NOW_MS - 9) }), [
      'mount-volumes',
      'create-sandbox 0',
    ]);
    assert.deepEqual(short({ ...facts, volumes: changed(NOW_MS - 11) }), []);
    const other = { ...facts, podFailure: podFailure('create-sandbox', NOW_MS - 10) };
    assert.deepEqual(short({ ...other, volumes: changed(NOW_MS - 9) }), []);
  });

  it('waits for none when it starts containers with volumes that are there', () => {
    const failure = podFailure('stop-containers', NOW_MS - 1);
    assert.deepEqual(short({ observed: observe([]), podFailure: failure }), ['start main']);
  });

  it('a pod that runs outside its cgroup is stopped, and re-created unless it runs once', () => {
    const running = observe([instanceOf(samplePod().spec.containers[0] ?? { name: '' }, 'running')]);
    const stopping = plan({ observed: running, cgroupMissing: true });
    assert.deepEqual(inShort(stopping.actions), ['stop main', 'stop-sandbox sandbox-1']);
    const stopped = observe([exited('main', 137)], [sandbox({ ready: false })]);
    const again = plan({ observed: stopped, cgroupMissing: true });
    assert.equal(inShort(again.actions).at(-1), 'create-sandbox 1');
    const once = plan({ pod: samplePod({ restartPolicy: 'Never' }), observed: stopped, cgroupMissing: true });
    assert.deepEqual([once.actions, once.completed], [[], true]);
    const failing = { podFailure: podFailure('stop-containers', NOW_MS) };
    assert.deepEqual(plan({ observed: running, cgroupMissing: true, ...failing }).actions, []);
  });
});

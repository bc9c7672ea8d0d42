import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { instanceOf, podFacts } from '../../../../test/samples/sample-facts.ts';
import {
  exited,
  instance,
  NOW_MS,
  observe,
  published,
  samplePod,
  sandbox,
  sidecar,
} from '../../../../test/samples/sample-pods.ts';
import type { Container, PodSpec } from '../../api/pod.ts';
import type { PodStatus } from '../../api/pod-status.ts';
import { toContainerId, toSandboxId } from '../../model/ids.ts';
import { toApiTime } from '../../status/api-time.ts';
import { computeBackOffKey } from '../back-off-key.ts';
import { decidePod } from '../decide-pod.ts';
import type { PodFacts } from '../pod-facts.ts';
import type { ExplainFacts } from './explain-facts.ts';
import { explainPod } from './explain-pod.ts';

const SECOND = 1_000;
const MAIN: Container = { name: 'main', image: 'app:1' };
const at = (secondsAgo: number): string => toApiTime(NOW_MS - secondsAgo * SECOND);
const running = (secondsAgo: number) => ({ running: { startedAt: at(secondsAgo) } });
const notReady = (secondsAgo: number, more: Partial<PodStatus> = {}): PodStatus => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: at(secondsAgo) }],
  ...more,
});
const ready = (secondsAgo: number): PodStatus => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(secondsAgo) }],
});

/** Explains what `decidePod` makes of these facts, as the worker's last pass. */
function explain(decided: Partial<PodFacts>, more: Partial<ExplainFacts> = {}): string {
  const facts = podFacts(decided);
  const { pod, termination } = facts;
  const last = { facts, plan: decidePod(facts) };
  const status = notReady(30);
  return explainPod({ pod, termination, last, status, events: [], nowMs: NOW_MS, ...more }).sentence;
}

const start = (container: Container) => ({
  kind: 'start-container' as const,
  container,
  role: 'regular' as const,
  sandboxId: toSandboxId('sandbox-1'),
  sandboxAttempt: 0,
});
const stops = (...names: string[]) => ({
  kind: 'stop-containers' as const,
  stops: names.map((name) => ({
    id: toContainerId(`${name}-1`),
    name,
    role: 'regular' as const,
    graceSeconds: 30,
    after: [],
  })),
});
const failure = (reason: string, message: string) => ({
  reason,
  message,
  failedAtMs: NOW_MS - 12 * SECOND,
  retryAtMs: NOW_MS + 28 * SECOND,
});
const podFailure = (step: string, message: string) => ({
  step,
  message,
  failedAtMs: NOW_MS - 4 * SECOND,
  retryAtMs: NOW_MS + 6 * SECOND,
});
const withSpec = (spec: Partial<PodSpec>) => ({ pod: samplePod(spec) });

describe('explainPod: containers that do not start', () => {
  const waiting = (reason: string, message: string): string =>
    explain({ startFailures: new Map([['main', failure(reason, message)]]) });
  const rows: readonly (readonly [string, string, string])[] = [
    [
      'ErrImagePull',
      'failed to pull image "app:1":\n  not found.',
      'Waiting for the image "app:1" of container "main" (for 30s): ErrImagePull 12s ago: failed to pull image "app:1": not found; next try in 28s.',
    ],
    [
      'ErrImageNeverPull',
      'not present',
      'Waiting for the image "app:1" of container "main" (for 30s): ErrImageNeverPull 12s ago: not present; next try in 28s.',
    ],
    [
      'InvalidImageName',
      'bad',
      'Waiting for a valid image name of container "main" (for 30s): InvalidImageName 12s ago: bad; next try in 28s.',
    ],
    [
      'CreateContainerConfigError',
      'configmap "x" not found',
      'Waiting for what the configuration of container "main" needs (for 30s): CreateContainerConfigError 12s ago: configmap "x" not found; next try in 28s.',
    ],
    [
      'PostStartHookError',
      'exit 1',
      'Waiting for the postStart hook of container "main" (for 30s): PostStartHookError 12s ago: exit 1; next try in 28s.',
    ],
    [
      'RunContainerError',
      'no such file',
      'Waiting for container "main" to start (for 30s): RunContainerError 12s ago: no such file; next try in 28s.',
    ],
  ];
  for (const [reason, message, sentence] of rows)
    it(`names what ${reason} waits for`, () => assert.equal(waiting(reason, message), sentence));

  it('gives the exit and the next start of a crash loop', () => {
    const pod = samplePod();
    const ended = exited('main', 3, {
      details: { finishedAtMs: NOW_MS - 12 * SECOND, exitCode: 3, reason: 'OOMKilled' },
    });
    const crashLoops = new Map([
      [computeBackOffKey(pod, MAIN), { delayMs: 40 * SECOND, updatedAtMs: NOW_MS }],
    ]);
    assert.equal(
      explain({ pod, observed: observe([ended]), crashLoops }),
      'Waiting for the restart of container "main" (for 12s): it ended with exit code 3 (OOMKilled); next try in 28s.',
    );
    const status = notReady(12, { containerStatuses: [published('main', {}, { restartCount: 4 })] });
    assert.match(
      explain({ pod, observed: observe([ended]), crashLoops }, { status }),
      /exit code 3 \(OOMKilled\) after 4 restarts; next try/,
    );
  });

  it('gives the probe that ended a container, but not one of an earlier end', () => {
    const pod = samplePod();
    const finishedAtMs = NOW_MS - 12 * SECOND;
    const ended = exited('main', 137, { details: { finishedAtMs, exitCode: 137, reason: 'Error' } });
    const back = { delayMs: 40 * SECOND, updatedAtMs: NOW_MS };
    const decided = {
      pod,
      observed: observe([ended]),
      crashLoops: new Map([[computeBackOffKey(pod, MAIN), back]]),
    };
    const event = (reason: string, message: string, atMs: number) => ({
      ...{ reason, message, atMs },
      fieldPath: 'spec.containers{main}',
    });
    const events = [
      event('Unhealthy', 'Liveness probe failed: connection refused', finishedAtMs - SECOND),
      event('Killing', 'Container main failed liveness probe, will be restarted', finishedAtMs - SECOND),
    ];
    assert.match(
      explain(decided, { events }),
      /: its liveness probe failed \(connection refused\), so it was stopped: it ended with exit code 137;/,
    );
    const late = events.map((one) => ({ ...one, atMs: NOW_MS }));
    assert.match(explain(decided, { events: late }), /: it ended with exit code 137;/);
    const other = [event('Killing', 'Stopping container main', finishedAtMs - SECOND)];
    assert.match(explain(decided, { events: other }), /: it ended with exit code 137;/);
  });

  it('names the other main containers that are not ready', () => {
    const pod = samplePod({ containers: [MAIN, { name: 'b', image: 'b:1' }, { name: 'c', image: 'c:1' }] });
    const startFailures = new Map(
      ['main', 'b', 'c'].map((name) => [name, failure('RunContainerError', 'no')]),
    );
    assert.match(
      explain({ pod, startFailures }),
      /RunContainerError 12s ago: no; also not ready: "b" and "c"; next try/,
    );
  });
});

describe('explainPod: containers that run', () => {
  it('waits for an init container, and does not mention those after it', () => {
    const pod = samplePod({ initContainers: [{ name: 'setup', image: 'i:1' }] });
    const status = notReady(30, {
      initContainerStatuses: [published('setup', running(7))],
      containerStatuses: [published('main', { waiting: { reason: 'PodInitializing' } })],
    });
    assert.equal(
      explain({ pod, observed: observe([instance('setup', 'running')]) }, { status }),
      'Waiting for init container "setup" to end (for 7s); the next one starts then.',
    );
  });

  const startup = { startupProbe: { tcpSocket: { port: 1 }, periodSeconds: 3 } };
  const readiness = { readinessProbe: { tcpSocket: { port: 1 } } };
  it('waits for a startup probe', () => {
    const pod = samplePod({ containers: [{ ...MAIN, ...startup, ...readiness }] });
    const status = notReady(30, { containerStatuses: [published('main', running(7), { started: false })] });
    const observed = observe([instanceOf(pod.spec.containers[0] ?? MAIN, 'running')]);
    assert.equal(
      explain({ pod, observed }, { status }),
      'Waiting for the startup probe of container "main" to succeed (for 7s); asked every 3s at least.',
    );
  });

  it('waits for the startup probe of a sidecar before the main containers', () => {
    const pod = samplePod({ initContainers: [sidecar('proxy', startup)] });
    const status = notReady(30, {
      initContainerStatuses: [published('proxy', running(7), { started: false })],
    });
    assert.match(
      explain({ pod }, { status }),
      /^Waiting for the startup probe of sidecar "proxy" to succeed/,
    );
  });

  it('waits for a readiness probe and gives its last failure, of this instance only', () => {
    const pod = samplePod({ containers: [{ ...MAIN, ...readiness }] });
    const observed = observe([instanceOf(pod.spec.containers[0] ?? MAIN, 'running')]);
    const status = notReady(30, { containerStatuses: [published('main', running(5), { started: true })] });
    const unhealthy = (text: string, secondsAgo: number) => ({
      reason: 'Unhealthy',
      message: text,
      fieldPath: 'spec.containers{main}',
      atMs: NOW_MS - secondsAgo * SECOND,
    });
    const events = [unhealthy('Readiness probe failed: too old', 60)];
    assert.equal(
      explain({ pod, observed }, { status, events }),
      'Waiting for the readiness probe of container "main" to succeed (for 5s); asked every 10s at least.',
    );
    assert.equal(
      explain(
        { pod, observed },
        { status, events: [...events, unhealthy('Readiness probe failed: refused', 2)] },
      ),
      'Waiting for the readiness probe of container "main" to succeed (for 5s): Readiness probe failed: refused (2s ago); asked every 10s at least.',
    );
  });

  it('names a container that ended permanently while others run', () => {
    const pod = samplePod({ restartPolicy: 'Never', containers: [MAIN, { name: 'b', image: 'b:1' }] });
    const status = notReady(30, {
      containerStatuses: [
        published('b', running(9), { ready: true, started: true }),
        published('main', { terminated: { exitCode: 0, finishedAt: at(5) } }),
      ],
    });
    const observed = observe([instanceOf({ name: 'b', image: 'b:1' }, 'running'), exited('main', 0)]);
    assert.equal(
      explain({ pod, observed }, { status }),
      'Waiting for the other containers to end (for 5s): container "main" ended with exit code 0 5s ago and is not started again.',
    );
  });

  it('waits for readiness gates that are not set', () => {
    const pod = samplePod({ readinessGates: [{ conditionType: 'a.b/ok' }] });
    const status = notReady(30, {
      containerStatuses: [published('main', running(9), { ready: true, started: true })],
    });
    assert.equal(
      explain({ pod, observed: observe([instanceOf(MAIN, 'running')]) }, { status }),
      'Waiting for the readiness gate "a.b/ok" (for 30s); a controller has to set the condition.',
    );
  });

  it('says since when a pod is ready', () => {
    const decided = { observed: observe([instanceOf(MAIN, 'running')]) };
    const activity = { step: 'reading its state from the runtime', sinceMs: NOW_MS - 2 * SECOND };
    assert.equal(
      explain(decided, { status: ready(90), activity }),
      'Ready (for 90s); nothing is waited for.',
    );
  });

  it('names an update of volumes that fails while the pod is ready, and only as long as it does', () => {
    const failed = (secondsAgo: number) => ({
      reason: 'FailedMount',
      message: 'MountVolume.SetUp failed for volume "cm" : configmap "conf" not found',
      atMs: NOW_MS - secondsAgo * SECOND,
    });
    const sentence = (...events: ReturnType<typeof failed>[]): string =>
      explain({}, { status: ready(600), events });
    assert.equal(
      sentence(failed(5)),
      'Ready (for 10m): an update of its volumes failed 5s ago: MountVolume.SetUp failed for volume "cm" : configmap "conf" not found; its containers see the content from before; it is tried again.',
    );
    assert.match(sentence(failed(200)), /nothing is waited for/);
    assert.match(explain({}, { status: ready(3), events: [failed(5)] }), /nothing is waited for/);
  });
});

describe('explainPod: the pod as a whole', () => {
  const none = observe([], []);
  it('waits for the network', () => {
    assert.equal(
      explain({ observed: none, networkProblem: 'cni plugin not initialized' }),
      'Waiting for the network: cni plugin not initialized (for 30s); it goes on as soon as that changes.',
    );
  });

  it('waits for volumes', () => {
    const decided = { observed: none, podFailure: podFailure('mount-volumes', 'configmap "x" not found') };
    assert.equal(
      explain(decided),
      'Waiting for its volumes (for 30s): mount-volumes failed 4s ago: configmap "x" not found; next try in 6s.',
    );
  });

  it('waits for a sandbox', () => {
    assert.equal(
      explain({ observed: none, podFailure: podFailure('create-sandbox', 'no address left') }),
      'Waiting for its sandbox (for 30s): create-sandbox failed 4s ago: no address left; next try in 6s.',
    );
  });

  it('waits for a runtime that does not answer', () => {
    const setback = { message: 'connection refused', atMs: NOW_MS - SECOND, retryAtMs: NOW_MS + 1_400 };
    assert.equal(
      explain({}, { setback }),
      'Waiting for the container runtime (for 30s): the last look at the pod failed 1s ago: connection refused; next try in 2s.',
    );
  });

  it('a runtime that is away comes before everything that was last seen', () => {
    const absence = { sinceMs: NOW_MS - 16 * SECOND, why: 'it does not answer: connection refused' };
    assert.equal(
      explain({}, { status: ready(90), absence }),
      'Waiting for the container runtime (for 16s): it does not answer: connection refused; the pod was last seen ready.',
    );
    assert.match(explain({}, { absence }), /; the pod was last seen as Running, not ready\.$/);
    const termination = { cause: 'deleted' as const, requestedAtMs: NOW_MS - 20 * SECOND, graceSeconds: 30 };
    assert.match(
      explain({ termination, observed: observe([instance('main', 'running')]) }, { absence }),
      /^Ending, waiting for the container runtime \(for 16s\): it does not answer/,
    );
    const over = { ...termination, cause: 'completed' as const };
    const status = { phase: 'Succeeded' as const };
    assert.match(explain({ termination: over, observed: observe([], []) }, { absence, status }), /^Ended/);
  });

  it('waits for its predecessor and for the first answer of the runtime', () => {
    const pod = samplePod();
    const bare = { pod, termination: undefined, status: undefined, events: [], nowMs: NOW_MS };
    assert.equal(
      explainPod({ ...bare, held: 'predecessor' }).sentence,
      'Waiting for the pod of the same name before it ("web") to end; it starts when nothing of that one is left.',
    );
    assert.equal(
      explainPod({ ...bare, held: 'runtime-unread' }).sentence,
      'Waiting for the first answer of the container runtime; it starts then.',
    );
    assert.equal(
      explainPod({ ...bare, held: 'undecided' }).sentence,
      'Waiting for the API server to say which labels the node has now; it starts if they are those it asks for.',
    );
    assert.equal(explainPod(bare).sentence, 'Waiting for the first look at what runs of it.');
  });
});

describe('explainPod: a step under way', () => {
  const step = (secondsAgo: number, more: object = {}) => ({
    activity: {
      step: 'start container main',
      sinceMs: NOW_MS - secondsAgo * SECOND,
      action: start(MAIN),
      ...more,
    },
  });
  it('is the explanation once it takes long', () => {
    assert.equal(explain({}, step(3)), 'Working on "start container main" (for 3s).');
  });

  it('does not hide a reason while it has just begun', () => {
    const startFailures = new Map([['main', failure('ErrImagePull', 'no')]]);
    assert.match(explain({ startFailures }, step(0)), /^Waiting for the image "app:1"/);
  });

  it('is reported as hanging after a while, also for a ready pod', () => {
    const sentence =
      'Waiting for the step "start container main" (for 45s): it is under way and has not come back; other pods go on meanwhile.';
    assert.equal(explain({}, step(45)), sentence);
    assert.equal(explain({}, { ...step(45), status: ready(90) }), sentence);
  });

  it('names the pull, the start queue and the postStart hook', () => {
    assert.equal(
      explain({}, step(45, { pulls: 'app:1' })),
      'Waiting for the pull of image "app:1" for container "main" (for 45s).',
    );
    assert.equal(
      explain({}, step(5, { queuedBehind: 7 })),
      'Waiting for its turn to start container main (for 5s): few pods start at a time, 7 before it.',
    );
    assert.match(explain({}, step(5, { queuedBehind: 0 })), /it is the next\.$/);
    const hooked = { ...MAIN, lifecycle: { postStart: { sleep: { seconds: 60 } } } };
    const started = { reason: 'Started', message: 'Container started', atMs: NOW_MS - 4 * SECOND };
    assert.equal(
      explain({}, { ...step(5, { action: start(hooked) }), events: [started] }),
      'Waiting for the postStart hook of container "main" (for 5s).',
    );
  });
});

describe('explainPod: pods that end', () => {
  const requestedAtMs = NOW_MS - 8 * SECOND;
  const both = observe([instance('main', 'running'), instance('b', 'running')]);
  const pair = withSpec({ containers: [MAIN, { name: 'b', image: 'b:1' }] });

  it('names the containers and the grace that is left', () => {
    const termination = { cause: 'deleted' as const, requestedAtMs, graceSeconds: 30 };
    const activity = { step: 'stop main, b', sinceMs: NOW_MS - 7 * SECOND, action: stops('main', 'b') };
    assert.equal(
      explain({ ...pair, observed: both, termination }, { activity }),
      'Ending, waiting for containers "main" and "b" to stop (for 8s): because it was deleted; killed in 23s.',
    );
    assert.equal(
      explain({ ...pair, observed: observe([instance('main', 'running')]), termination }),
      'Ending, waiting for container "main" to stop (for 8s): because it was deleted.',
    );
  });

  it('names a failed step and its retry', () => {
    const termination = { cause: 'removed' as const, requestedAtMs };
    assert.equal(
      explain({
        observed: both,
        termination,
        podFailure: podFailure('stop-containers', 'deadline exceeded'),
      }),
      'Ending, waiting for the next try to end it (for 8s): because its source no longer has it; stop-containers failed 4s ago: deadline exceeded; next try in 6s.',
    );
  });

  it('names what is left to remove, and a runtime that does not answer', () => {
    const termination = { cause: 'deleted' as const, requestedAtMs };
    const observed = observe([], [sandbox({ ready: false })]);
    assert.equal(
      explain({ observed, termination }),
      'Ending, waiting for what is left of it to go (for 8s): because it was deleted.',
    );
    const setback = { message: 'refused', atMs: NOW_MS - SECOND, retryAtMs: NOW_MS + 3 * SECOND };
    assert.match(
      explain({ observed, termination }, { setback }),
      /container runtime .* failed 1s ago: refused; next try in 3s\.$/,
    );
  });

  it('gives the reason of a rejection', () => {
    const verdict = { reason: 'OutOfcpu', message: 'Pod was rejected: too much' };
    const termination = { cause: 'rejected' as const, requestedAtMs, verdict };
    assert.equal(
      explain({ observed: observe([], []), termination }),
      'Rejected (for 8s): OutOfcpu: Pod was rejected: too much; it is not tried again.',
    );
  });

  it('says more of a rejection than the API, where more is known', () => {
    const verdict = { reason: 'TopologyAffinityError', message: 'm', note: 'it asks for 2 of cpu' };
    const termination = { cause: 'rejected' as const, requestedAtMs, verdict };
    assert.equal(
      explain({ observed: observe([], []), termination }),
      'Rejected (for 8s): TopologyAffinityError: it asks for 2 of cpu; it is not tried again.',
    );
  });

  it('says how a pod has ended', () => {
    const termination = { cause: 'completed' as const, requestedAtMs };
    const observed = observe([exited('main', 0)], [sandbox({ ready: false })]);
    assert.equal(
      explain({ observed, termination }, { status: { phase: 'Succeeded' } }),
      'Ended as Succeeded (for 8s): its containers have run to their end; it is not started again.',
    );
    const failed: PodStatus = {
      phase: 'Failed',
      containerStatuses: [published('main', { terminated: { exitCode: 2 } })],
    };
    assert.match(
      explain({ observed, termination }, { status: failed }),
      /^Ended as Failed .*container "main" ended with exit code 2;/,
    );
    const evicted: PodStatus = { phase: 'Failed', reason: 'Evicted', message: 'low on memory' };
    assert.match(
      explain({ observed, termination: { ...termination, cause: 'shutdown' } }, { status: evicted }),
      /^Ended as Failed \(for 8s\): Evicted: low on memory;/,
    );
  });
});

describe('explainPod', () => {
  it('gives the parts as data beside the sentence', () => {
    const startFailures = new Map([['main', failure('ErrImagePull', 'not found')]]);
    const facts = podFacts({ startFailures });
    const last = { facts, plan: decidePod(facts) };
    const { sentence, ...parts } = explainPod({
      pod: facts.pod,
      termination: undefined,
      last,
      status: notReady(30),
      events: [],
      nowMs: NOW_MS,
    });
    assert.notEqual(sentence, '');
    assert.deepEqual(parts, {
      state: 'waiting',
      waitsFor: 'the image "app:1" of container "main"',
      sinceMs: NOW_MS - 30 * SECOND,
      tried: 'ErrImagePull 12s ago: not found',
      nextTryAtMs: NOW_MS + 28 * SECOND,
    });
  });
});

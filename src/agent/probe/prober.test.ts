import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeProbeTransport } from '../../../test/fakes/fake-probe-transport.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { SeededRandom } from '../../../test/fakes/seeded-random.ts';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { instance, observe, samplePod, sandbox, sidecar } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import type { Container, Pod, Probe } from '../../core/api/pod.ts';
import type { PodStatus } from '../../core/api/pod-status.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type PodUid, toContainerId, toPodUid } from '../../core/model/ids.ts';
import type { ObservedContainer, ObservedPod } from '../../core/model/observed-pod.ts';
import type { ProbeKind } from '../../core/model/probe-results.ts';
import type { CheckpointStore } from '../../ports/host/checkpoint-store.ts';
import type { ContainerRuntime, ExecResult } from '../../ports/runtime/container-runtime.ts';
import { ProbeMemory } from './probe-memory.ts';
import { Prober } from './prober.ts';

type Exec = (command: readonly string[], timeoutSeconds: number) => ExecResult;

interface SetupOptions {
  /** How long the agent has been running. */
  readonly uptimeMs?: number;
  readonly random?: () => number;
  readonly exec?: Exec;
  readonly status?: PodStatus;
  readonly checkpoints?: CheckpointStore;
}

const FAILED = { kind: 'failure', message: 'refused' } as const;
const TCP: Probe = { tcpSocket: { port: 80 } };

const logger = silentLogger;

function inMemory(): CheckpointStore {
  const documents = new Map<string, unknown>();
  return {
    read: async (name) => documents.get(name),
    write: async (name, document) => void documents.set(name, structuredClone(document)),
  };
}

function setUp(options: SetupOptions = {}) {
  const { uptimeMs = 3_600_000, random = () => 0, exec, status, checkpoints = inMemory() } = options;
  const clock = new FakeClock();
  const memory = new ProbeMemory(checkpoints, clock, logger);
  const transport = new FakeProbeTransport(clock);
  const recorder = new RecordingEvents();
  const wakes: PodUid[] = [];
  const probed: string[] = [];
  const runtime = {
    execSync: async (_id: unknown, command: readonly string[], timeoutSeconds: number) => {
      if (exec === undefined) throw new AgentError('unavailable', 'no runtime');
      return exec(command, timeoutSeconds);
    },
  } as unknown as ContainerRuntime;
  const startMs = clock.now();
  const prober = new Prober({
    kit: {
      clock,
      random,
      events: recorder,
      meter: { probed: ({ kind, container }, result) => void probed.push(`${kind} ${container} ${result}`) },
    },
    runtime,
    transport,
    memory,
    nodeIps: () => ['192.0.2.10'],
    agentStartedAtMs: startMs - uptimeMs,
    readStatus: () => status,
    onChange: (uid) => wakes.push(uid),
  });
  return {
    clock,
    transport,
    events: recorder.events,
    wakes,
    probed,
    prober,
    memory,
    startMs,
    /** When the transport was asked, counted from the start of the test. */
    asked: () => transport.calls.map(({ atMs }) => atMs - startMs),
    result: (kind: ProbeKind, id = 'main-1') => prober.get(kind, toContainerId(id)),
  };
}

function recordOf(pod: Pod, more: Partial<DesiredPod> = {}): DesiredPod {
  return { uid: toPodUid(pod.metadata.uid), pod, source: 'file', order: 0, ...more };
}

const podWith = (container: Partial<Container>): Pod =>
  samplePod({ containers: [{ name: 'main', image: 'app:1', ...container }] });

const terminating = (record: DesiredPod): DesiredPod => ({
  ...record,
  termination: { cause: 'deleted', requestedAtMs: 0, graceSeconds: 30 },
});

/** A container that starts now. */
const running = (clock: FakeClock, id = 'main-1', name = 'main'): ObservedContainer =>
  instance(name, 'running', { id, createdAtMs: clock.now() });

describe('Prober', () => {
  it('measures a new container at once, then less and less often until its period, then every period', async () => {
    const { clock, transport, prober, asked, result } = setUp();
    transport.onTcp = () => FAILED;
    transport.latencyMs = 0;
    prober.sync(recordOf(podWith({ readinessProbe: TCP })), observe([]));
    prober.sync(recordOf(podWith({ readinessProbe: TCP })), observe([running(clock)]));
    assert.equal(result('readiness'), 'failure');
    await clock.advance(31_000);
    assert.deepEqual(asked(), [0, 250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 20_000, 30_000]);
    prober.close();
  });

  it('wakes the worker when the result changes and not otherwise', async () => {
    const { clock, transport, wakes, probed, prober, result } = setUp();
    const record = recordOf(podWith({ readinessProbe: { ...TCP, failureThreshold: 2 } }));
    prober.sync(record, observe([running(clock)]));
    await clock.advance(25_000);
    assert.equal(result('readiness'), 'success');
    assert.deepEqual(wakes, [record.uid]);
    transport.onTcp = () => FAILED;
    await clock.advance(10_000);
    assert.equal(result('readiness'), 'success');
    await clock.advance(10_000);
    assert.equal(result('readiness'), 'failure');
    assert.deepEqual(wakes, [record.uid, record.uid]);
    assert.deepEqual([...new Set(probed)], ['readiness main successful', 'readiness main failed']);
    assert.equal(probed.length, transport.calls.length);
    prober.close();
  });

  it('holds liveness after a failure until there is another instance, and counts from its start', async () => {
    const { clock, transport, wakes, events, prober, asked, result } = setUp();
    const record = recordOf(podWith({ livenessProbe: { ...TCP, failureThreshold: 2 } }));
    transport.onTcp = () => FAILED;
    prober.sync(record, observe([]));
    await clock.advance(500);
    prober.sync(record, observe([running(clock)]));
    assert.equal(result('liveness'), 'success');
    await clock.advance(100_000);
    assert.deepEqual(asked(), [10_000, 20_000]);
    assert.equal(result('liveness'), 'failure');
    assert.equal(wakes.length, 1);
    assert.deepEqual(
      events.map(({ reason, message, fieldPath }) => [reason, message, fieldPath]),
      Array.from({ length: 2 }, () => [
        'Unhealthy',
        'Liveness probe failed: refused',
        'spec.containers{main}',
      ]),
    );
    prober.sync(record, observe([running(clock, 'main-2')]));
    assert.equal(result('liveness'), undefined);
    assert.equal(result('liveness', 'main-2'), 'success');
    prober.close();
  });

  it('asks no more of an instance that was stopped, until another one is there', async () => {
    const { clock, transport, prober, asked, result } = setUp();
    const record = recordOf(podWith({ readinessProbe: TCP, livenessProbe: { tcpSocket: { port: 81 } } }));
    prober.sync(record, observe([running(clock)]));
    await clock.advance(15_000);
    prober.leave(record.uid, toContainerId('main-0'));
    transport.calls.length = 0;
    await clock.advance(10_000);
    assert.deepEqual(asked(), [20_000, 20_000]);
    transport.calls.length = 0;
    prober.leave(record.uid, toContainerId('main-1'));
    await clock.advance(30_000);
    assert.deepEqual(asked(), []);
    assert.equal(result('readiness'), 'success');
    prober.sync(record, observe([running(clock, 'main-2')]));
    await clock.advance(10_000);
    assert.equal(result('readiness', 'main-2'), 'success');
    assert.equal(transport.calls.filter(({ address }) => address === '10.0.0.7:81').length, 1);
    prober.close();
  });

  it('takes a new instance for new also where the runtime reports times long before ours', async () => {
    const { clock, transport, prober, asked, result } = setUp();
    const probe = { ...TCP, initialDelaySeconds: 7 };
    const record = recordOf(podWith({ livenessProbe: probe, readinessProbe: probe }));
    const early = (id: string): ObservedContainer =>
      instance('main', 'running', { id, createdAtMs: clock.now() - 5 * 3_600_000 });
    prober.sync(record, observe([]));
    await clock.advance(100);
    prober.sync(record, observe([early('main-1')]));
    assert.equal(result('readiness'), 'failure', 'not taken for one that ran before the agent');
    await clock.advance(6_800);
    assert.deepEqual(asked(), []);
    await clock.advance(13_100);
    assert.equal(result('readiness'), 'success');
    transport.calls.length = 0;
    prober.sync(record, observe([early('main-1')]));
    prober.sync(record, observe([early('main-2')]));
    assert.equal(result('readiness', 'main-2'), 'failure');
    await clock.advance(6_900);
    assert.deepEqual(asked(), []);
    prober.close();
  });

  it('leaves an instance that ran before the agent in peace also when its state was not known at first', () => {
    const { clock, prober, result } = setUp({ uptimeMs: 60_000 });
    const record = recordOf(podWith({ readinessProbe: TCP }));
    const old = { ...running(clock), createdAtMs: clock.now() - 3_600_000, details: undefined };
    const { details: _, ...bare } = old;
    prober.sync(record, observe([{ ...bare, state: 'unknown' }]));
    prober.sync(record, observe([bare]));
    assert.equal(result('readiness'), undefined);
    prober.close();
  });

  it('waits for the initial delay and takes the address of the pod', async () => {
    const { clock, transport, prober, asked } = setUp();
    const readinessProbe = { httpGet: { port: 8080, path: '/up' }, initialDelaySeconds: 7 };
    prober.sync(recordOf(podWith({ readinessProbe })), observe([running(clock)]));
    await clock.advance(9_000);
    assert.deepEqual(asked(), [7_000]);
    assert.equal(transport.calls[0]?.address, '10.0.0.7:8080');
    assert.equal(transport.calls[0]?.request?.path, '/up');
    prober.close();
  });

  it('asks the node where the pod uses its network', async () => {
    const { clock, transport, prober } = setUp();
    const pod = samplePod({
      hostNetwork: true,
      containers: [{ name: 'main', readinessProbe: { grpc: { port: 9000, service: 'db' } } }],
    });
    const hosted = sandbox({ network: { mode: 'node', reported: true, ips: [] } });
    prober.sync(recordOf(pod), observe([running(clock)], [hosted]));
    await clock.advance(10);
    assert.deepEqual([transport.calls[0]?.kind, transport.calls[0]?.address], ['grpc', '192.0.2.10:9000']);
    prober.close();
  });

  it('keeps liveness and readiness back until the startup probe has succeeded', async () => {
    const { clock, transport, prober, result } = setUp();
    const up = new Set<string>();
    transport.onTcp = (address) => (up.has(address) ? undefined : FAILED);
    const record = recordOf(
      podWith({
        startupProbe: { tcpSocket: { port: 1 }, failureThreshold: 30 },
        livenessProbe: { tcpSocket: { port: 2 } },
        readinessProbe: { tcpSocket: { port: 3 } },
      }),
    );
    const observed = observe([running(clock)]);
    prober.sync(record, observed);
    await clock.advance(35_000);
    assert.equal(result('startup'), 'unknown');
    assert.ok(transport.calls.every(({ address }) => address === '10.0.0.7:1'));
    up.add('10.0.0.7:1').add('10.0.0.7:3');
    await clock.advance(10_000);
    assert.equal(result('startup'), 'success');
    transport.calls.length = 0;
    prober.sync(record, observed);
    await clock.advance(50);
    assert.deepEqual(
      transport.calls.map(({ address }) => address),
      ['10.0.0.7:3'],
    );
    assert.equal(result('readiness'), 'success');
    await clock.advance(30_000);
    assert.ok(!transport.calls.some(({ address }) => address === '10.0.0.7:1'));
    assert.ok(transport.calls.some(({ address }) => address === '10.0.0.7:2'));
    prober.close();
  });

  it('fails a startup probe no sooner than its own numbers say, though it succeeds at once', async () => {
    const { clock, transport, events, prober, result } = setUp();
    const startupProbe: Probe = { ...TCP, periodSeconds: 5, failureThreshold: 2 };
    transport.onTcp = () => FAILED;
    const record = recordOf(podWith({ startupProbe }));
    prober.sync(record, observe([]));
    await clock.advance(1_000);
    prober.sync(record, observe([running(clock)]));
    await clock.advance(8_900);
    assert.equal(result('startup'), 'unknown');
    assert.equal(events.length, 1);
    await clock.advance(200);
    assert.equal(result('startup'), 'failure');
    transport.onTcp = () => undefined;
    prober.sync(record, observe([running(clock, 'main-2')]));
    await clock.advance(10);
    assert.equal(result('startup', 'main-2'), 'success');
    prober.close();
  });

  it('asks a container that is not ready once more whenever the worker looks', async () => {
    const { clock, transport, prober, asked } = setUp();
    transport.onTcp = () => FAILED;
    const record = recordOf(podWith({ readinessProbe: { ...TCP, periodSeconds: 60 } }));
    const observed = observe([running(clock)]);
    prober.sync(record, observed);
    await clock.advance(70_000);
    transport.calls.length = 0;
    await clock.advance(5_000);
    assert.deepEqual(asked(), []);
    prober.sync(record, observed);
    await clock.advance(1);
    assert.deepEqual(asked(), [75_000]);
    prober.close();
  });

  it('has no opinion about containers that ran before the agent and spreads their first runs', async () => {
    const random = new SeededRandom(7);
    const { clock, transport, wakes, prober, startMs } = setUp({ uptimeMs: 0, random: () => random.next() });
    const uids = Array.from({ length: 100 }, (_, index) => toPodUid(`uid-${index}`));
    for (const uid of uids) {
      const pod = podWith({ readinessProbe: { ...TCP, periodSeconds: 1 } });
      const older = instance('main', 'running', { id: `c-${uid}`, createdAtMs: startMs - 60_000 });
      prober.sync(recordOf({ ...pod, metadata: { ...pod.metadata, uid } }), { ...observe([older]), uid });
      assert.equal(prober.get('readiness', older.id), undefined);
    }
    await clock.advance(5_000);
    assert.equal(wakes.length, 100);
    const perSlot = new Map<number, number>();
    for (const { atMs } of transport.calls) {
      const slot = Math.floor((atMs - startMs) / 100);
      perSlot.set(slot, (perSlot.get(slot) ?? 0) + 1);
    }
    assert.ok(transport.calls.length >= 400);
    assert.ok(Math.max(...perSlot.values()) <= 25, `crowded: ${[...perSlot.values()]}`);
    prober.close();
    assert.equal(clock.pendingTimers, 0);
  });

  it('does not ask pods all at once that start all at once, however old the agent is', async () => {
    const random = new SeededRandom(7);
    const { clock, transport, prober, startMs } = setUp({ random: () => random.next() });
    for (let index = 0; index < 100; index++) {
      const uid = toPodUid(`uid-${index}`);
      const pod = podWith({ livenessProbe: { ...TCP, periodSeconds: 1 } });
      const record = recordOf({ ...pod, metadata: { ...pod.metadata, uid } });
      prober.sync(record, { ...observe([running(clock, `c-${index}`)]), uid });
    }
    await clock.advance(5_000);
    const perSlot = Map.groupBy(transport.calls, ({ atMs }) => Math.floor((atMs - startMs) / 100));
    const crowd = [...perSlot.values()].map(({ length }) => length);
    assert.ok(transport.calls.length >= 490);
    assert.ok(Math.max(...crowd) <= 25, `crowded: ${crowd}`);
    prober.close();
  });

  it('goes on measuring every period when the clock of the machine is set back', async () => {
    const { clock, transport, prober } = setUp();
    let aheadMs = 3_600_000;
    const record = recordOf(podWith({ livenessProbe: { ...TCP, periodSeconds: 1 } }));
    const now = clock.now.bind(clock);
    clock.now = () => now() + aheadMs;
    const main = running(clock);
    prober.sync(record, observe([main]));
    await clock.advance(2_500);
    aheadMs = 0;
    const before = transport.calls.length;
    await clock.advance(5_000);
    prober.sync(record, observe([main]));
    await clock.advance(5_000);
    assert.ok(transport.calls.length - before >= 9, `only ${transport.calls.length - before} runs`);
    prober.close();
  });

  it('does not run the startup probe of a container that was published as started', async () => {
    const containerStatuses = [
      {
        name: 'main',
        state: {},
        lastState: {},
        ready: true,
        started: true,
        restartCount: 0,
        image: '',
        imageID: '',
        containerID: 'containerd://main-1',
      },
    ];
    const { clock, transport, prober, result, startMs } = setUp({
      uptimeMs: 0,
      status: { containerStatuses },
    });
    const record = recordOf(podWith({ startupProbe: TCP, readinessProbe: { tcpSocket: { port: 2 } } }));
    const older = instance('main', 'running', { createdAtMs: startMs - 60_000 });
    prober.sync(record, observe([older]));
    assert.equal(result('startup'), 'success');
    assert.equal(result('readiness'), undefined);
    await clock.advance(20_000);
    assert.ok(transport.calls.every(({ address }) => address === '10.0.0.7:2'));
    assert.equal(result('readiness'), 'success');
    prober.close();
  });

  it('keeps a container started and ready across a restart of the agent, until its probe fails', async () => {
    const checkpoints = inMemory();
    const container = { startupProbe: { tcpSocket: { port: 1 } }, readinessProbe: TCP };
    const before = setUp({ checkpoints });
    const main = running(before.clock);
    before.prober.sync(recordOf(podWith(container)), observe([main]));
    await before.clock.advance(10);
    before.prober.sync(recordOf(podWith(container)), observe([main]));
    await before.clock.advance(10);
    before.prober.close();
    await before.memory.flush();

    const { clock, transport, prober, memory, asked, result } = setUp({
      checkpoints,
      uptimeMs: 0,
      random: () => 0.5,
    });
    await memory.load();
    transport.onTcp = () => FAILED;
    prober.sync(recordOf(podWith(container)), observe([main]));
    assert.deepEqual([result('startup'), result('readiness')], ['success', 'success']);
    await clock.advance(20_000);
    assert.deepEqual(asked(), [5_000, 15_000]);
    assert.equal(result('readiness'), 'success');
    await clock.advance(10_000);
    assert.equal(result('readiness'), 'failure');
    prober.close();
  });

  it('goes on with readiness and sidecars while the pod ends, and stops the rest', async () => {
    const { clock, transport, prober, result } = setUp();
    const pod = samplePod({
      initContainers: [sidecar('side', { livenessProbe: { tcpSocket: { port: 3 } } })],
      containers: [
        {
          name: 'main',
          livenessProbe: { tcpSocket: { port: 1 } },
          readinessProbe: { tcpSocket: { port: 2 } },
        },
      ],
    });
    const observed = observe([running(clock), running(clock, 'side-1', 'side')]);
    prober.sync(recordOf(pod), observed);
    await clock.advance(15_000);
    prober.sync(terminating(recordOf(pod)), observed);
    transport.calls.length = 0;
    transport.onTcp = () => FAILED;
    await clock.advance(60_000);
    assert.deepEqual(
      new Set(transport.calls.map(({ address }) => address)),
      new Set(['10.0.0.7:2', '10.0.0.7:3']),
    );
    assert.equal(result('liveness'), 'success');
    assert.equal(result('readiness'), 'failure');
    prober.sync(terminating(recordOf(pod)), observe([]));
    assert.equal(result('readiness'), undefined);
    assert.equal(clock.pendingTimers, 0);
  });

  it('does not count a run of an instance that was replaced meanwhile', async () => {
    const { clock, transport, prober, events, wakes, result } = setUp();
    transport.latencyMs = 900;
    const record = recordOf(podWith({ readinessProbe: TCP }));
    prober.sync(record, observe([running(clock)]));
    await clock.advance(500);
    assert.equal(transport.open, 1);
    transport.onTcp = () => FAILED;
    prober.sync(record, observe([running(clock, 'main-2')]));
    await clock.advance(100);
    assert.equal(result('readiness', 'main-1'), undefined);
    assert.equal(result('readiness', 'main-2'), 'failure');
    assert.deepEqual([events.length, wakes.length], [0, 0]);
    prober.podGone(record);
    await clock.advance(0);
    assert.deepEqual([transport.open, clock.pendingTimers], [0, 0]);
  });

  it('retries a probe that cannot run three times, then records an event and counts nothing', async () => {
    let tries = 0;
    const { clock, prober, events, result } = setUp({
      exec: () => {
        tries++;
        throw new AgentError('unavailable', 'connection lost');
      },
    });
    const livenessProbe: Probe = { exec: { command: ['true'] }, periodSeconds: 1, failureThreshold: 1 };
    prober.sync(recordOf(podWith({ livenessProbe })), observe([running(clock)]));
    await clock.advance(0);
    assert.equal(tries, 3);
    assert.equal(result('liveness'), 'success');
    assert.deepEqual(
      events.map(({ message }) => message),
      ['Liveness probe errored and resulted in unknown state: connection lost'],
    );
    prober.close();
  });

  it('runs a command with its variables and takes the end of its time as a failure', async () => {
    const seen: unknown[] = [];
    const { clock, prober, events } = setUp({
      exec: (command, timeoutSeconds) => {
        seen.push(command, timeoutSeconds);
        throw new AgentError('deadline-exceeded', 'whatever the runtime says');
      },
    });
    const livenessProbe: Probe = { exec: { command: ['cat', '$(FILE)'] }, timeoutSeconds: 2 };
    const container = { env: [{ name: 'FILE', value: '/up' }], livenessProbe };
    prober.sync(recordOf(podWith(container)), observe([running(clock)]));
    await clock.advance(0);
    assert.deepEqual(seen, [['cat', '/up'], 2]);
    assert.equal(
      events[0]?.message,
      'Liveness probe failed: command timed out: "cat /up" timed out after 2s',
    );
    prober.close();
  });

  it('warns about a redirect to elsewhere and takes it as success', async () => {
    const { clock, transport, prober, events, result } = setUp();
    transport.onHttp = () => ({ kind: 'answer', status: 301, body: 'gone' });
    prober.sync(recordOf(podWith({ readinessProbe: { httpGet: { port: 80 } } })), observe([running(clock)]));
    await clock.advance(10);
    assert.equal(result('readiness'), 'success');
    const [event] = events;
    assert.equal(event?.reason, 'ProbeWarning');
    assert.equal(event?.message, 'Readiness probe warning: Probe terminated redirects, Response body: gone');
    prober.close();
  });

  it('costs nothing for containers without probes and for init containers', () => {
    const { clock, prober } = setUp();
    const pod = samplePod({
      initContainers: [{ name: 'init', readinessProbe: TCP }],
      containers: [{ name: 'main' }],
    });
    const observed: ObservedPod = observe([running(clock), running(clock, 'init-1', 'init')]);
    prober.sync(recordOf(pod), observed);
    assert.equal(clock.pendingTimers, 0);
  });

  it('starts nothing once it is closed', () => {
    const { clock, prober } = setUp();
    prober.close();
    prober.sync(recordOf(podWith({ readinessProbe: TCP })), observe([running(clock)]));
    assert.equal(clock.pendingTimers, 0);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../test/fakes/memory-api-server.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { SAMPLE_NODE_FACTS } from '../../../test/samples/node-samples.ts';
import type { Node } from '../../core/api/node.ts';
import type { NodeStatusFacts } from '../../core/node-status/node-status-facts.ts';
import { NODES } from '../../ports/cluster/api-resource.ts';
import { NodeRegistration } from './node-registration.ts';
import { NodeReporter, type NodeReporterHooks } from './node-reporter.ts';
import { OwnNode } from './own-node.ts';

interface Options extends NodeReporterHooks {
  readonly random?: () => number;
  readonly registers?: boolean;
  readonly prepare?: (api: MemoryApiServer) => void;
}

const STATUS_PATCH = { verb: 'patch', subresource: 'status' } as const;

function setUp({ registers = true, prepare, random = () => 0.5, ...hooks }: Options = {}) {
  const clock = new FakeClock();
  const api = new MemoryApiServer({ clock });
  const events = new RecordingEvents();
  const logger = new RecordingLogger();
  const own = new OwnNode(api, 'worker-1');
  const facts: { -readonly [K in keyof NodeStatusFacts]: NodeStatusFacts[K] } = { ...SAMPLE_NODE_FACTS };
  const reader = { read: async () => ({ ...facts }), readProblems: () => facts.problems };
  const registration = new NodeRegistration({
    api,
    clock,
    logger,
    facts: reader,
    settings: { labels: {}, taints: [], providerId: '', controllerAttachDetach: true },
    onlyWhenExists: false,
    readIsRecreated: async () => false,
  });
  const reporter = new NodeReporter({
    kit: { clock, logger, random, events },
    api,
    nodeName: 'worker-1',
    own,
    facts: reader,
    registration: registers ? registration : undefined,
    timing: { updatePeriodMs: 10_000, reportPeriodMs: 300_000, timeoutMs: 10_000 },
    hooks,
  });
  prepare?.(api);
  const stop = new AbortController();
  const running = Promise.all([own.run(stop.signal), reporter.run(stop.signal)]);
  return {
    clock,
    api,
    events,
    logger,
    own,
    facts,
    reporter,
    node: (): Node => api.peek<Node>(NODES, 'worker-1')!,
    patches: () => api.callsTo(STATUS_PATCH),
    reasons: () => events.nodeEvents.map(({ reason }) => reason),
    end: async (): Promise<void> => {
      stop.abort();
      await running;
      assert.equal(clock.pendingTimers, 0);
    },
  };
}

const readyOf = (node: Node): string | undefined =>
  node.status?.conditions?.find(({ type }) => type === 'Ready')?.status;

describe('NodeReporter', () => {
  it('records the warnings about the machine at start', async () => {
    const warning = { type: 'Warning', reason: 'CgroupV1', message: 'old' } as const;
    const t = setUp({ readWarnings: async () => [warning] });
    await t.clock.advance(1_000);
    assert.deepEqual(t.reasons().slice(0, 2), ['Starting', 'CgroupV1']);
    await t.end();
  });

  it('registers a new node with its status and writes nothing more', async () => {
    const { clock, node, patches, reasons, end } = setUp();
    await clock.advance(60_000);
    assert.equal(readyOf(node()), 'True');
    assert.equal(patches().length, 0);
    assert.deepEqual(reasons(), [
      'Starting',
      'NodeHasSufficientMemory',
      'NodeHasNoDiskPressure',
      'NodeHasSufficientPID',
    ]);
    await end();
  });

  it('reports to a node that was there before at once', async () => {
    const { clock, node, patches, end } = setUp({
      prepare: (api) => void api.put(NODES, { metadata: { name: 'worker-1' } }),
    });
    await clock.settle();
    assert.equal(readyOf(node()), 'True');
    assert.equal(node().status?.nodeInfo?.kubeletVersion, 'v1.36.4+ts.0.1.0');
    const { priority, timeoutMs } = patches().at(-1)?.options ?? {};
    assert.deepEqual([priority, timeoutMs], ['heartbeat', 10_000]);
    await end();
  });

  it('renews the conditions of a node with the right status once after a start', async () => {
    const first = setUp();
    await first.clock.settle();
    const conditions = first.node().status?.conditions?.map((one) => ({
      ...one,
      lastHeartbeatTime: '2026-01-01T00:00:00Z',
    }));
    const node = { ...first.node(), status: { ...first.node().status, conditions } };
    await first.end();
    const { clock, patches, end } = setUp({ prepare: (api) => void api.put(NODES, node) });
    await clock.advance(60_000);
    assert.equal(patches().length, 1);
    assert.deepEqual(Object.keys((patches()[0]!.body as { status: object }).status), ['conditions']);
    await end();
  });

  it('without registration it waits for the node that an administrator creates', async () => {
    const { api, clock, node, logger, end } = setUp({ registers: false });
    await clock.advance(30_000);
    assert.equal(api.callsTo({ verb: 'create' }).length, 0);
    assert.equal(logger.messages('warning').length, 1);
    api.put(NODES, { metadata: { name: 'worker-1' } });
    await clock.advance(10_200);
    assert.equal(readyOf(node()), 'True');
    await end();
  });

  it('a change found at the update frequency is written, with its event', async () => {
    const { clock, facts, node, patches, reasons, end } = setUp();
    await clock.advance(1_000);
    facts.pressures = { memory: true, disk: false, pid: false };
    await clock.advance(9_199);
    assert.equal(patches().length, 0);
    await clock.advance(1);
    assert.equal(patches().length, 1);
    assert.equal(reasons().at(-1), 'NodeHasInsufficientMemory');
    assert.equal(node().status?.conditions?.[0]?.status, 'True');
    await end();
  });

  it('a wake-up writes a change at once, and nothing when there is none', async () => {
    const { clock, facts, reporter, node, patches, reasons, end } = setUp();
    await clock.advance(1_000);
    reporter.wake('nothing');
    await clock.settle();
    assert.equal(patches().length, 0);
    facts.problems = {
      network: 'container runtime network not ready: NetworkReady=false reason:a message:b',
    };
    reporter.wake('runtime');
    await clock.settle();
    assert.equal(patches().length, 1);
    assert.equal(readyOf(node()), 'False');
    assert.equal(reasons().at(-1), 'NodeNotReady');
    await end();
  });

  it('without changes it reports every period; after a change the next one is moved by up to half', async () => {
    for (const [random, firstMs] of [
      [0, 150_000],
      [0.5, 300_000],
      [0.999, 449_700],
    ] as const) {
      const { clock, patches, end } = setUp({ random: () => random });
      await clock.settle();
      await clock.advance(firstMs - 10_400);
      assert.equal(patches().length, 0);
      await clock.advance(20_800);
      assert.equal(patches().length, 1, `random ${random}`);
      // From now on the period alone counts.
      await clock.advance(300_000 - 31_200);
      assert.equal(patches().length, 1);
      await clock.advance(41_600);
      assert.equal(patches().length, 2);
      await end();
    }
  });

  it('a regular report holds heartbeats only', async () => {
    const { clock, patches, end } = setUp();
    await clock.advance(310_500);
    const body = patches()[0]?.body as { status: object };
    assert.deepEqual(Object.keys(body.status), ['conditions']);
    await end();
  });

  it('while the node comes up the runtime is asked every 0.1 s, and Ready is written as soon as it is', async () => {
    let checks = 0;
    const { clock, facts, node, patches, reasons, end } = setUp({
      checkRuntime: async () => {
        checks++;
        if (checks === 6) facts.problems = {};
      },
      prepare: () => {},
    });
    facts.problems = { runtime: ['container runtime status check may not have completed yet'] };
    await clock.settle();
    assert.equal(readyOf(node()), 'False');
    await clock.advance(450);
    assert.equal(readyOf(node()), 'False');
    await clock.advance(100);
    assert.equal(readyOf(node()), 'True');
    assert.equal(patches().length, 1);
    assert.equal(reasons().at(-1), 'NodeReady');
    await clock.advance(5_000);
    assert.equal(checks, 6);
    await end();
  });

  it('quick looks end after two minutes', async () => {
    let checks = 0;
    const { clock, facts, logger, end } = setUp({
      checkRuntime: async () => void checks++,
    });
    facts.problems = { network: 'no network' };
    await clock.advance(120_000);
    assert.ok(checks > 1_000);
    await clock.advance(20_000);
    const before = checks;
    await clock.advance(60_000);
    assert.equal(checks, before);
    assert.equal(
      logger.messages('warning').filter((text) => text === 'Node not becoming ready in time after startup')
        .length,
      1,
    );
    await end();
  });

  it('a runtime check that hangs does not keep the node from registering', async () => {
    const { clock, facts, node, end } = setUp({ checkRuntime: () => new Promise(() => {}) });
    facts.problems = { runtime: ['container runtime is down'] };
    await clock.advance(1_000);
    assert.equal(readyOf(node()), 'False');
    await end();
  });

  it('a failed write is tried five times at once with fresh reads, and again in the next period', async () => {
    let repeated = 0;
    const { api, clock, facts, logger, node, patches, end } = setUp({ onRepeatedFailure: () => repeated++ });
    await clock.settle();
    facts.kubeletPort = 10_251;
    api.forgetCalls();
    api.fail(STATUS_PATCH, 'unavailable', 5);
    await clock.advance(10_200);
    assert.equal(patches().length, 5);
    assert.equal(api.callsTo({ verb: 'get' }).length, 4);
    assert.equal(repeated, 4);
    assert.deepEqual(logger.messages('error'), ['update node status exceeds retry count']);
    await clock.advance(10_200);
    assert.equal(node().status?.daemonEndpoints?.kubeletEndpoint?.Port, 10_251);
    await end();
  });

  it('an event is recorded once, when the status was written', async () => {
    const { api, clock, facts, reasons, end } = setUp();
    await clock.settle();
    facts.pressures = { memory: false, disk: true, pid: false };
    api.unreachable = true;
    await clock.advance(60_000);
    assert.ok(!reasons().includes('NodeHasDiskPressure'));
    api.unreachable = false;
    await clock.advance(60_000);
    assert.equal(reasons().filter((reason) => reason === 'NodeHasDiskPressure').length, 1);
    await end();
  });

  it('an API server that is down at the start delays nothing but the registration', async () => {
    const { api, clock, node, end } = setUp({
      prepare: (server) => {
        server.unreachable = true;
      },
    });
    await clock.advance(60_000);
    api.unreachable = false;
    await clock.advance(7_000);
    assert.equal(readyOf(node()), 'True');
    await end();
  });

  it('a deleted node is not registered again; reporting goes on once an administrator creates it', async () => {
    const { api, clock, logger, node, end } = setUp();
    await clock.settle();
    api.remove(NODES, 'worker-1');
    api.forgetCalls();
    await clock.advance(120_000);
    assert.equal(api.callsTo({ verb: 'create' }).length, 0);
    assert.equal(api.peek(NODES, 'worker-1'), undefined);
    assert.equal(logger.messages('warning').length, 1);
    assert.equal(logger.messages('error').length, 0);
    api.put(NODES, { metadata: { name: 'worker-1' } });
    await clock.advance(10_200);
    assert.equal(readyOf(node()), 'True');
    await end();
  });

  it('a reboot is recorded once', async () => {
    const { api, clock, facts, events, reporter, end } = setUp();
    await clock.settle();
    for (const bootId of ['boot-2', 'boot-3']) {
      facts.system = { ...facts.system, bootId };
      reporter.wake('test');
      await clock.settle();
    }
    assert.deepEqual(
      events.nodeEvents.filter(({ reason }) => reason === 'Rebooted'),
      [
        {
          type: 'Warning',
          reason: 'Rebooted',
          message: 'Node worker-1 has been rebooted, boot id: boot-2',
        },
      ],
    );
    assert.equal(api.peek<Node>(NODES, 'worker-1')?.status?.nodeInfo?.bootID, 'boot-3');
    await end();
  });

  it('cordon and uncordon are recorded as they are seen', async () => {
    const { api, clock, node, reasons, patches, end } = setUp();
    await clock.settle();
    api.put(NODES, { ...node(), spec: { unschedulable: true } });
    await clock.settle();
    assert.equal(reasons().at(-1), 'NodeNotSchedulable');
    api.put(NODES, { ...node(), spec: {} });
    await clock.settle();
    assert.equal(reasons().at(-1), 'NodeSchedulable');
    assert.equal(patches().length, 0);
    await end();
  });

  it('the runtime learns of new pod networks at once, of the same ones never again', async () => {
    const applied: string[] = [];
    const { api, clock, node, patches, end } = setUp({
      applyPodCidrs: async (podCidrs) => void applied.push(podCidrs),
    });
    await clock.settle();
    api.put(NODES, { ...node(), spec: { podCIDRs: ['10.1.0.0/24', 'fd00::/64'] } });
    await clock.settle();
    assert.deepEqual(applied, ['10.1.0.0/24,fd00::/64']);
    await clock.advance(60_000);
    assert.equal(applied.length, 1);
    assert.ok(patches().length <= 1);
    await end();
  });

  it('a runtime that refuses its pod networks is asked again in the next period, and reporting goes on', async () => {
    let asked = 0;
    const { api, clock, facts, node, end } = setUp({
      applyPodCidrs: async () => {
        asked++;
        throw new Error('no');
      },
    });
    await clock.settle();
    api.put(NODES, { ...node(), spec: { podCIDRs: ['10.1.0.0/24'] } });
    await clock.settle();
    assert.ok(asked >= 1 && asked <= 2);
    const before = asked;
    facts.kubeletPort = 10_251;
    await clock.advance(10_200);
    assert.equal(asked, before + 1);
    assert.equal(node().status?.daemonEndpoints?.kubeletEndpoint?.Port, 10_251);
    await end();
  });

  it('says after every look which volumes the API server knows to be in use', async () => {
    const reported: string[] = [];
    const { clock, facts, reporter, end } = setUp({
      onVolumesReported: (names) => void reported.push(names.join(' ')),
    });
    await clock.settle();
    facts.volumesInUse = ['b', 'a'];
    reporter.wake('volumes');
    await clock.settle();
    assert.deepEqual(reported, ['', 'a b']);
    await end();
  });

  it('addresses that cannot be found are said once and do not stop the report', async () => {
    const { clock, facts, logger, node, end } = setUp();
    facts.addresses = { requested: [], externalCloud: false, ips: [], problem: "can't get ip address" };
    await clock.advance(60_000);
    assert.equal(readyOf(node()), 'True');
    assert.equal(logger.messages('warning').length, 1);
    await end();
  });

  it('stops in the middle of a write that hangs', async () => {
    const { api, clock, facts, reporter, end } = setUp();
    await clock.settle();
    facts.kubeletPort = 1;
    api.hang(STATUS_PATCH);
    reporter.wake('test');
    await clock.settle();
    await end();
  });
});

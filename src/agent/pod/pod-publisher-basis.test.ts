/** A status is computed again whenever something it depends on has changed, and only then. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { podFacts } from '../../../test/samples/sample-facts.ts';
import { sampleNode } from '../../../test/samples/sample-pod.ts';
import {
  exited,
  instance,
  NOW_MS,
  observe,
  samplePod,
  sandbox,
  UID,
} from '../../../test/samples/sample-pods.ts';
import type { PodCondition } from '../../core/api/pod-status.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { ContainerId } from '../../core/model/ids.ts';
import type { ProbeOutcome } from '../../core/model/probe-results.ts';
import type { WaitingReason } from '../../core/model/start-failure.ts';
import type { PodFacts } from '../../core/pod/pod-facts.ts';
import type { StatusInput } from '../../core/status/compute-pod-status.ts';
import { PodPublisher } from './pod-publisher.ts';
import { StatusBoard } from './status-board.ts';
import { TerminationMessages } from './termination-messages.ts';

const mount = { name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'IfPossible' as const };
const readinessProbe = { httpGet: { port: 80 } };
const POD = samplePod({
  containers: [
    { name: 'main', image: 'main:1', readinessProbe, volumeMounts: [mount] },
    { name: 'other', image: 'other:1' },
  ],
});

function setUp() {
  let computed = 0;
  const counted = (container: ReturnType<typeof instance>) =>
    Object.defineProperty({ ...container }, 'details', {
      get: () => {
        computed++;
        return container.details;
      },
    });
  const observed = observe([counted(instance('main', 'running')), exited('other', 1)]);
  const main = observed.containers[0];
  assert.ok(main);
  const node = {
    runtimeName: 'containerd',
    hostIps: ['192.168.0.2'],
    deep: true,
    conditions: [] as PodCondition[],
  };
  const world = {
    waiting: new Map<string, WaitingReason>(),
    messages: new Map<ContainerId, string>(),
    readiness: 'success' as ProbeOutcome,
    record: { uid: UID, pod: POD, source: 'api', order: 0 } as DesiredPod,
    facts: podFacts({ pod: POD, observed }),
  };
  const board = new StatusBoard();
  const publisher = new PodPublisher({
    board,
    messages: new TerminationMessages(new FakeFiles()),
    kit: { events: new RecordingEvents(), logger: new RecordingLogger() },
    runtimeName: () => node.runtimeName,
    hostIps: () => node.hostIps,
    node: sampleNode({
      runtimeHandlers: () => [{ name: '', recursiveReadOnlyMounts: node.deep, userNamespaces: false }],
    }),
    agentStartedAtMs: NOW_MS - 60_000,
    resizer: { conditions: () => node.conditions },
  });
  const probes: PodFacts['probes'] = { get: (kind) => (kind === 'readiness' ? world.readiness : undefined) };
  /** True when the status was computed. */
  const publish = (nowMs = NOW_MS): boolean => {
    const before = computed;
    publisher.publish(world.record, { ...world.facts, probes, nowMs }, world.waiting, world.messages);
    return computed > before;
  };
  return { node, world, board, publish, observed, main };
}

type SetUp = ReturnType<typeof setUp>;

const CHANGES: Readonly<Record<string, (t: SetUp) => void>> = {
  'a probe result': ({ world }) => {
    world.readiness = 'failure';
  },
  'why a container waits': ({ world }) => {
    world.waiting.set('other', { reason: 'CrashLoopBackOff', message: 'back-off 10s' });
  },
  'what a container left to say': ({ world, observed }) => {
    const ended = observed.containers.find(({ name }) => name === 'other');
    if (ended !== undefined) world.messages.set(ended.id, 'out of cheese');
  },
  'the name of the runtime': ({ node }) => {
    node.runtimeName = 'cri-o';
  },
  'the addresses of the node': ({ node }) => {
    node.hostIps = ['192.168.0.3'];
  },
  'what the runtime handler can do': ({ node }) => {
    node.deep = false;
  },
  'a resize that waits': ({ node }) => {
    node.conditions = [{ type: 'PodResizePending', status: 'True', reason: 'Deferred', message: 'full' }];
  },
  'the health of a device': ({ world }) => {
    const health = [
      { name: 'example.com/d', resources: [{ resourceID: 'd1', health: 'Unhealthy' as const }] },
    ];
    world.facts = { ...world.facts, resourceHealth: new Map([['main', health]]) };
  },
  'what is in force of the resources': ({ world }) => {
    const actuated = { containers: { main: { requests: { cpu: '2' } } } };
    const { resize = { actuated: undefined, gates: { podLevel: true } } } = world.facts;
    world.facts = { ...world.facts, resize: { ...resize, actuated } as NonNullable<PodFacts['resize']> };
  },
  'another version of the pod': ({ world }) => {
    const pod = { ...POD, metadata: { ...POD.metadata, generation: 7 } };
    world.record = { ...world.record, pod };
  },
  'an instance that ended': ({ world, observed, main }) => {
    const containers = observed.containers.map((one) => (one === main ? exited('main', 0) : one));
    world.facts = { ...world.facts, observed: { ...observed, containers } };
  },
  'a sandbox with an address': ({ world, observed }) => {
    const network = { mode: 'pod' as const, reported: true, ips: ['10.0.0.9'] };
    world.facts = { ...world.facts, observed: { ...observed, sandboxes: [sandbox({ network })] } };
  },
};

/** The compiler asks here about a new field: which change tries it, or why it needs none. */
const TRIED_BY: Readonly<Record<keyof StatusInput, string>> = {
  pod: 'another version of the pod',
  observed: 'an instance that ended',
  waitingReasons: 'why a container waits',
  probes: 'a probe result',
  terminationMessages: 'what a container left to say',
  runtimeName: 'the name of the runtime',
  hostIps: 'the addresses of the node',
  resizeConditions: 'a resize that waits',
  supportsRecursiveReadOnly: 'what the runtime handler can do',
  actuated: 'what is in force of the resources',
  toPodLevel: 'what is in force of the resources',
  resourceHealth: 'the health of a device',
  ended: '(below)',
  override: '(comes with the termination, below)',
  deadlineExceeded: '(comes with the termination, below)',
  previous: '(below, on the board)',
  nowMs: '(only says when)',
  agentStartedAtMs: '(never changes)',
  reportStopSignal: '(never changes)',
  qosClass: '(follows from the pod)',
};

describe('PodPublisher, what a status was computed from', () => {
  it('has every field of the input tried', () => {
    const missing = Object.values(TRIED_BY).filter((what) => !what.startsWith('(') && !(what in CHANGES));
    assert.deepEqual(missing, []);
  });

  it('computes nothing in a pass in which nothing has changed, however late', () => {
    const t = setUp();
    assert.equal(t.publish(), true);
    assert.equal(t.publish(NOW_MS + 1_000), false);
    t.world.facts = { ...t.world.facts, observed: { ...t.observed, containers: [...t.observed.containers] } };
    t.world.waiting = new Map(t.world.waiting);
    assert.equal(t.publish(NOW_MS + 3_600_000), false, 'the same things in other lists');
  });

  for (const [what, change] of Object.entries(CHANGES)) {
    it(`publishes ${what}`, () => {
      const t = setUp();
      t.publish();
      const before = t.board.published.get(UID);
      t.publish();
      assert.equal(t.board.published.get(UID), before);
      change(t);
      t.publish();
      assert.notDeepEqual(t.board.published.get(UID)?.status, before?.status);
    });
  }

  it('publishes each pass of a pod that is being deleted', () => {
    const t = setUp();
    const metadata = { ...POD.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    t.world.record = { ...t.world.record, pod: { ...POD, metadata } };
    t.publish();
    const before = t.board.published.get(UID);
    t.publish();
    assert.notEqual(t.board.published.get(UID), before);
  });

  it('computes a status again that was replaced on the board', () => {
    const t = setUp();
    t.publish();
    const published = t.board.published.get(UID);
    assert.ok(published);
    t.board.publish(UID, { ...published });
    assert.equal(t.publish(), true);
  });

  it('takes in that the pod has ended', () => {
    const t = setUp();
    t.world.facts = {
      ...t.world.facts,
      observed: observe([exited('main', 0), exited('other', 0)], [sandbox({ ready: false })]),
    };
    t.publish();
    t.publish();
    assert.equal(t.board.hasEnded(UID), false);
    const termination = { cause: 'completed' as const, requestedAtMs: NOW_MS };
    t.world.facts = { ...t.world.facts, termination };
    t.world.record = { ...t.world.record, termination };
    t.publish();
    assert.equal(t.board.hasEnded(UID), true);
  });
});

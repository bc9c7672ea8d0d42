import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SAMPLE_NODE_FACTS, SAMPLE_NOW, SAMPLE_NOW_MS } from '../../../test/samples/node-samples.ts';
import type { NodeCondition } from '../api/node.ts';
import { computeNodeConditions, listProblems } from './node-conditions.ts';
import type { NodeStatusFacts } from './node-status-facts.ts';

const CAPACITY = { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '100Gi' };
const EARLIER = '2026-01-01T00:00:00Z';

function compute(facts: Partial<NodeStatusFacts> = {}, current: NodeCondition[] = [], capacity = CAPACITY) {
  return computeNodeConditions(current, capacity, { ...SAMPLE_NODE_FACTS, ...facts }, SAMPLE_NOW_MS);
}

function ready(facts: Partial<NodeStatusFacts>): NodeCondition | undefined {
  return compute(facts).conditions.find(({ type }) => type === 'Ready');
}

describe('computeNodeConditions for a shutdown of the machine', () => {
  const type = 'GracefulNodeShutdown';
  const guarded = (shutdownGuard: NodeStatusFacts['shutdownGuard'], current: NodeCondition[] = []) =>
    compute({ shutdownGuard }, current).conditions.find((condition) => condition.type === type);
  const times = { lastHeartbeatTime: SAMPLE_NOW, lastTransitionTime: SAMPLE_NOW };

  it('says whether it waits for pods, or why not', () => {
    assert.deepEqual(guarded({ kind: 'held' }), {
      type,
      status: 'True',
      ...times,
      reason: 'InhibitorLockHeld',
      message: 'a shutdown of the node waits until pods have ended',
    });
    const old: NodeCondition = { type, status: 'False', lastTransitionTime: EARLIER };
    assert.deepEqual(guarded({ kind: 'missing', problem: 'no logind' }, [old]), {
      type,
      status: 'False',
      ...times,
      lastTransitionTime: EARLIER,
      reason: 'InhibitorLockMissing',
      message: 'no logind',
    });
    assert.equal(guarded({ kind: 'short', problem: '5s' })?.reason, 'InhibitDelayTooShort');
  });

  it('says nothing where it is not to wait, and takes back what an earlier configuration said', () => {
    assert.equal(guarded(undefined), undefined);
    const old: NodeCondition = { type, status: 'True', lastTransitionTime: EARLIER };
    assert.equal(guarded(undefined, [old])?.status, 'Unknown');
    assert.equal(guarded(undefined, [old])?.reason, 'NotConfigured');
  });
});

describe('computeNodeConditions', () => {
  it('writes all four, Ready last, on a node that has none', () => {
    const times = { lastHeartbeatTime: SAMPLE_NOW, lastTransitionTime: SAMPLE_NOW };
    assert.deepEqual(compute(), {
      conditions: [
        {
          type: 'MemoryPressure',
          status: 'False',
          ...times,
          reason: 'KubeletHasSufficientMemory',
          message: 'kubelet has sufficient memory available',
        },
        {
          type: 'DiskPressure',
          status: 'False',
          ...times,
          reason: 'KubeletHasNoDiskPressure',
          message: 'kubelet has no disk pressure',
        },
        {
          type: 'PIDPressure',
          status: 'False',
          ...times,
          reason: 'KubeletHasSufficientPID',
          message: 'kubelet has sufficient PID available',
        },
        {
          type: 'Ready',
          status: 'True',
          ...times,
          reason: 'KubeletReady',
          message: 'kubelet is posting ready status',
        },
      ],
      // A new Ready condition is no transition; a new pressure condition comes from Unknown.
      eventReasons: ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID'],
    });
  });

  const pressures = [
    [
      'memory',
      'MemoryPressure',
      'KubeletHasInsufficientMemory',
      'kubelet has insufficient memory available',
      'NodeHasInsufficientMemory',
    ],
    ['disk', 'DiskPressure', 'KubeletHasDiskPressure', 'kubelet has disk pressure', 'NodeHasDiskPressure'],
    [
      'pid',
      'PIDPressure',
      'KubeletHasInsufficientPID',
      'kubelet has insufficient PID available',
      'NodeHasInsufficientPID',
    ],
  ] as const;
  for (const [fact, type, reason, message, event] of pressures) {
    it(`${type} turns True with its reason, message and event`, () => {
      const before = compute().conditions.map((one) => ({ ...one, lastTransitionTime: EARLIER }));
      const pressure = { ...SAMPLE_NODE_FACTS.pressures, [fact]: true };
      const { conditions, eventReasons } = compute({ pressures: pressure }, before);
      assert.deepEqual(
        conditions.find((one) => one.type === type),
        {
          type,
          status: 'True',
          lastHeartbeatTime: SAMPLE_NOW,
          lastTransitionTime: SAMPLE_NOW,
          reason,
          message,
        },
      );
      assert.deepEqual(eventReasons, [event]);
      const others = conditions.filter((one) => one.type !== type);
      assert.ok(others.every(({ lastTransitionTime }) => lastTransitionTime === EARLIER));
    });
  }

  it('a pressure that stays only gets a heartbeat, even with a new message', () => {
    const old: NodeCondition = {
      type: 'DiskPressure',
      status: 'False',
      reason: 'Other',
      message: 'words',
      lastTransitionTime: EARLIER,
      lastHeartbeatTime: EARLIER,
    };
    const found = compute({}, [old]).conditions[0];
    assert.deepEqual(found, { ...old, lastHeartbeatTime: SAMPLE_NOW });
  });

  it('Ready keeps its transition time while its status stays, and its message is always new', () => {
    const old: NodeCondition = {
      type: 'Ready',
      status: 'False',
      reason: 'KubeletNotReady',
      message: 'old words',
      lastTransitionTime: EARLIER,
    };
    const { conditions, eventReasons } = compute({ problems: { network: 'network state unknown' } }, [old]);
    assert.equal(conditions[0]?.lastTransitionTime, EARLIER);
    assert.equal(conditions[0]?.message, 'network state unknown');
    assert.ok(!eventReasons.includes('NodeNotReady'));
  });

  const flips = [
    ['True', { shutdown: 'node is shutting down' }, 'NodeNotReady'],
    ['False', {}, 'NodeReady'],
    ['Unknown', {}, 'NodeReady'],
  ] as const;
  for (const [from, problems, event] of flips) {
    it(`Ready from ${from} records ${event}`, () => {
      const old: NodeCondition = { type: 'Ready', status: from, lastTransitionTime: EARLIER };
      const { conditions, eventReasons } = compute({ problems }, [old]);
      assert.equal(eventReasons.at(-1), event);
      assert.equal(conditions[0]?.lastTransitionTime, SAMPLE_NOW);
    });
  }

  it('leaves conditions of others where and as they are', () => {
    const foreign: NodeCondition = { type: 'NetworkUnavailable', status: 'False', reason: 'CalicoIsUp' };
    const { conditions } = compute({}, [foreign]);
    assert.deepEqual(conditions[0], foreign);
    assert.equal(conditions.length, 5);
  });

  it('one problem is shown as it is, several as a list without repetitions, in the order of their sources', () => {
    assert.equal(
      ready({ problems: { runtime: ['container runtime is down'] } })?.message,
      'container runtime is down',
    );
    const problems = { shutdown: 'd', storage: 'c', network: 'b', runtime: ['a', 'a'] };
    assert.deepEqual(listProblems(problems), ['a', 'a', 'b', 'c', 'd']);
    const condition = ready({ problems });
    assert.equal(condition?.message, '[a, b, c, d]');
    assert.equal(condition?.status, 'False');
    assert.equal(condition?.reason, 'KubeletNotReady');
  });

  it('missing capacity is a problem; ephemeral storage only where it is counted', () => {
    const message = (localStorage: boolean): string | undefined => {
      const facts = { resources: { ...SAMPLE_NODE_FACTS.resources, localStorage } };
      return compute(facts, [], { pods: '110' } as unknown as typeof CAPACITY).conditions.at(-1)?.message;
    };
    assert.equal(message(true), 'missing node capacity for resources: cpu, memory, ephemeral-storage');
    assert.equal(message(false), 'missing node capacity for resources: cpu, memory');
  });

  it('warns in the Ready message where CPU cannot be capped', () => {
    assert.equal(
      ready({ canCapCpu: false })?.message,
      'kubelet is posting ready status. WARNING: CPU hardcapping unsupported',
    );
  });
});

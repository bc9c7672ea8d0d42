import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgentError } from '../../base/errors.ts';
import { MetricType, type PodSandboxStats } from '../../gen/cri.ts';
import type { CriClient } from './cri-client.ts';
import { CriPodStats, fromWirePodStats, toFamilies } from './cri-pod-stats.ts';
import type { ListCaller } from './list-caller.ts';

const AT_NS = Date.parse('2026-01-02T03:04:05Z') * 1e6;
const time = '2026-01-02T03:04:05Z';
const eth0 = {
  name: 'eth0',
  rxBytes: { value: 1 },
  rxErrors: { value: 2 },
  txBytes: { value: 3 },
  txErrors: undefined,
};
const psi = { Total: 1, Avg10: 2, Avg60: 3, Avg300: 4 };
const memory = {
  timestamp: AT_NS,
  workingSetBytes: { value: 5 },
  availableBytes: undefined,
  usageBytes: { value: 6 },
  rssBytes: undefined,
  pageFaults: undefined,
  majorPageFaults: undefined,
  psi: undefined,
};
const cpu = {
  timestamp: AT_NS,
  usageCoreNanoSeconds: { value: 7 },
  usageNanoCores: undefined,
  psi: { Full: psi, Some: psi },
};

const STATS: PodSandboxStats = {
  attributes: { id: 's1', metadata: undefined, labels: {}, annotations: {} },
  linux: {
    cpu,
    memory,
    network: { timestamp: AT_NS, defaultInterface: eth0, interfaces: [eth0, { ...eth0, name: 'net1' }] },
    process: { timestamp: AT_NS, processCount: { value: 9 } },
    containers: [
      {
        attributes: { id: 'c1', metadata: undefined, labels: {}, annotations: {} },
        cpu,
        memory: undefined,
        writableLayer: undefined,
        swap: { timestamp: AT_NS, swapAvailableBytes: { value: 10 }, swapUsageBytes: { value: 0 } },
        io: undefined,
      },
    ],
    io: { timestamp: AT_NS, psi: undefined },
  },
  windows: undefined,
};

describe('fromWirePodStats', () => {
  it('keeps what the runtime sent and nothing else', () => {
    const { usage, interfaces, processes, containers } = fromWirePodStats(STATS);
    const data = { total: 1, avg10: 2, avg60: 3, avg300: 4 };
    const shown = { time, usageCoreNanoSeconds: 7, psi: { full: data, some: data } };
    assert.deepEqual(usage, {
      cpu: shown,
      memory: { time, usageBytes: 6, workingSetBytes: 5 },
      io: { time },
    });
    assert.deepEqual(
      interfaces.map(({ name, txErrors }) => [name, txErrors]),
      [
        ['eth0', 0],
        ['net1', 0],
      ],
    );
    assert.equal(processes, 9);
    assert.deepEqual(containers.get('c1'), {
      cpu: shown,
      swap: { time, swapAvailableBytes: 10, swapUsageBytes: 0 },
    });
  });
});

describe('toFamilies', () => {
  it('pairs labels with their names and leaves out what is not described or has no possible name', () => {
    const metric = (name: string, value: number, labelValues: string[]) => ({
      name,
      timestamp: 5e6,
      metricType: MetricType.COUNTER,
      labelValues,
      value: { value },
    });
    const describe_ = (name: string) => ({
      name,
      help: `about ${name}`,
      labelKeys: ['id', 'bad-key', 'pod'],
    });
    const families = toFamilies(
      [describe_('b_total'), describe_('a_total'), describe_('not a name'), describe_('unused')],
      [
        {
          podSandboxId: 's',
          metrics: [metric('b_total', 1, ['/x', '?', 'web']), metric('not a name', 1, [])],
          containerMetrics: [
            { containerId: 'c', metrics: [metric('a_total', 2, ['/y']), metric('new', 1, [])] },
          ],
        },
      ],
    );
    assert.deepEqual(
      families.map(({ name, kind }) => [name, kind]),
      [
        ['a_total', 'counter'],
        ['b_total', 'counter'],
      ],
    );
    assert.deepEqual(families[1]?.samples(), [
      {
        suffix: '',
        labels: [
          ['id', '/x'],
          ['pod', 'web'],
        ],
        value: 1,
        timestampMs: 5,
      },
    ]);
  });
});

describe('CriPodStats', () => {
  const failWith = (code: 'unimplemented' | 'unavailable') => {
    const fail = () => Promise.reject(new AgentError(code, 'no'));
    return new CriPodStats({ call: fail } as unknown as CriClient, { list: fail } as unknown as ListCaller);
  };

  it('has nothing where the runtime does not count, and fails where it does not answer', async () => {
    assert.equal(await failWith('unimplemented').listPodStats(), undefined);
    assert.equal(await failWith('unimplemented').listPodMetrics(), undefined);
    await assert.rejects(failWith('unavailable').listPodStats(), /no/);
    await assert.rejects(failWith('unavailable').listPodMetrics(), /no/);
  });
});

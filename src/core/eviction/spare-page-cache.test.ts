import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../api/pod.ts';
import { ACTIVE_FILE_BYTES, type MemoryStats, type PodStats, type Summary } from '../stats/summary.ts';
import { toUsage } from '../stats/to-usage.ts';
import { toObservations } from './observations.ts';
import { rankPods } from './rank-pods.ts';
import { sparePageCache } from './spare-page-cache.ts';

const time = '2026-01-02T03:04:05Z';

const memory = (workingSetBytes: number, activeFileBytes: number, availableBytes?: number): MemoryStats => ({
  time,
  workingSetBytes,
  ...(availableBytes === undefined ? {} : { availableBytes }),
  [ACTIVE_FILE_BYTES]: activeFileBytes,
});

const podStats = (name: string, own: MemoryStats): PodStats => ({
  podRef: { name, namespace: 'ns', uid: name },
  startTime: time,
  containers: [{ name: 'main', startTime: time, memory: own }],
  memory: own,
});

const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'ns', uid: name },
  spec: { containers: [{ name: 'main', image: 'i', resources: { requests: { memory: '100' } } }] },
});

const SUMMARY: Summary = {
  node: {
    nodeName: 'n',
    startTime: time,
    memory: memory(900, 600, 100),
    systemContainers: [{ name: 'pods', startTime: time, memory: memory(700, 500, 50) }],
  },
  // One reads files, the other holds memory of its own.
  pods: [podStats('reader', memory(500, 450)), podStats('holder', memory(300, 10))],
};

describe('sparePageCache', () => {
  it('counts page cache as available, of the node and of all pods together', () => {
    const available = (summary: Summary) =>
      (['memory.available', 'allocatableMemory.available'] as const).map((signal) => {
        const { available, capacity } = toObservations(summary, 0).get(signal) ?? {
          available: -1,
          capacity: -1,
        };
        return [available, capacity];
      });
    assert.deepEqual(available(SUMMARY), [
      [100, 1_000],
      [50, 750],
    ]);
    assert.deepEqual(available(sparePageCache(SUMMARY)), [
      [700, 1_000],
      [550, 750],
    ]);
  });

  it('lets the pod go first that holds memory, not the one that reads files', () => {
    const rank = ({ pods }: Summary): string[] =>
      rankPods(
        [pod('reader'), pod('holder')],
        ({ metadata }) => pods.find(({ podRef }) => podRef.name === metadata.name),
        'memory.available',
        'single',
      ).map((ranked) => ranked.pod.metadata.name);
    assert.deepEqual(rank(SUMMARY), ['reader', 'holder']);
    assert.deepEqual(rank(sparePageCache(SUMMARY)), ['holder', 'reader']);
  });

  it('reaches the containers, and never falls below zero', () => {
    const spared = sparePageCache({ ...SUMMARY, pods: [podStats('odd', memory(10, 20, 5))] });
    const [odd] = spared.pods;
    assert.deepEqual([odd?.memory?.workingSetBytes, odd?.memory?.availableBytes], [0, 15]);
    assert.equal(odd?.containers[0]?.memory?.workingSetBytes, 0);
  });

  it('leaves statistics without such a count alone', () => {
    const plain: Summary = {
      node: { nodeName: 'n', startTime: time, memory: { time, workingSetBytes: 7 } },
      pods: [],
    };
    assert.deepEqual(sparePageCache(plain), plain);
  });
});

describe('the count of page cache', () => {
  it('comes from the sample and is no part of the API', () => {
    const sample = {
      usageBytes: 9,
      inactiveFileBytes: 1,
      activeFileBytes: 3,
      rssBytes: 2,
      pageFaults: 0,
      majorPageFaults: 0,
    };
    const usage = toUsage({ atMs: 0, memory: sample }, undefined);
    assert.equal(usage.memory?.[ACTIVE_FILE_BYTES], 3);
    assert.doesNotMatch(JSON.stringify(usage), /3|ctive/);
  });
});

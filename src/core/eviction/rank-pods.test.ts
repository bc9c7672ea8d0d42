import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../api/pod.ts';
import type { PodStats } from '../stats/summary.ts';
import { describeEviction } from './eviction-message.ts';
import { findLocalStorageExcess } from './local-storage.ts';
import { rankPods } from './rank-pods.ts';
import type { EvictionSignal } from './signals.ts';
import { parseThresholdValue } from './threshold.ts';

const MIB = 1024 ** 2;
const TIME = '2026-01-01T00:00:00Z';

interface Sketch {
  readonly priority?: number;
  readonly request?: string;
  readonly usage?: number;
}

function pod(name: string, { priority, request }: Sketch = {}): Pod {
  const requests = request === undefined ? {} : { memory: request, 'ephemeral-storage': request };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }], ...(priority && { priority }) },
  };
}

function stats(name: string, bytes: number): PodStats {
  const fs = { time: TIME, usedBytes: bytes, inodesUsed: bytes };
  return {
    podRef: { name, namespace: 'default', uid: name },
    startTime: TIME,
    memory: { time: TIME, workingSetBytes: bytes },
    process_stats: { process_count: bytes },
    containers: [{ name: 'c', startTime: TIME, memory: { time: TIME, workingSetBytes: bytes }, rootfs: fs }],
  };
}

function rank(sketches: Readonly<Record<string, Sketch>>, signal: EvictionSignal): string[] {
  const pods = Object.entries(sketches).map(([name, sketch]) => pod(name, sketch));
  const usage = (name: string) => sketches[name]?.usage;
  const find = ({ metadata: { name } }: Pod) => {
    const bytes = usage(name);
    return bytes === undefined ? undefined : stats(name, bytes);
  };
  return rankPods(pods, find, signal, 'single').map((ranked) => ranked.pod.metadata.name);
}

describe('rankPods', () => {
  it('for memory: no statistics, above the request, lower priority, further above', () => {
    const order = rank(
      {
        within: { request: '100Mi', usage: 99 * MIB, priority: -5 },
        high: { usage: 500 * MIB, priority: 7 },
        slightly: { request: '10Mi', usage: 20 * MIB },
        far: { request: '10Mi', usage: 60 * MIB },
        unknown: { priority: 9 },
      },
      'memory.available',
    );
    assert.deepEqual(order, ['unknown', 'far', 'slightly', 'high', 'within']);
  });

  it('for processes: lower priority, then more processes', () => {
    const order = rank(
      { few: { usage: 1 }, many: { usage: 9 }, low: { usage: 0, priority: -1 } },
      'pid.available',
    );
    assert.deepEqual(order, ['low', 'many', 'few']);
  });

  it('for inodes: no request counts', () => {
    const order = rank({ big: { request: '1Gi', usage: 9 }, small: { usage: 1 } }, 'nodefs.inodesFree');
    assert.deepEqual(order, ['big', 'small']);
  });
});

describe('describeEviction', () => {
  const value = parseThresholdValue('100Mi')!;
  const threshold = { signal: 'memory.available', value, graceMs: 0, minReclaim: undefined } as const;
  const observation = { available: 90_112, capacity: 1000 * MIB, atMs: 1 };

  it('names resource, threshold, what is left and every container above its request', () => {
    const { message, annotations } = describeEviction(
      pod('p'),
      stats('p', 105 * MIB),
      threshold,
      observation,
    );
    assert.equal(
      message,
      'The node was low on resource: memory. Threshold quantity: 100Mi, available: 88Ki. ' +
        'Container c was using 105Mi, request is 0, has larger consumption of memory. ',
    );
    assert.deepEqual(annotations, {
      starved_resource: 'memory',
      offending_containers: 'c',
      offending_containers_usage: '105Mi',
    });
  });

  it('says less where less is known', () => {
    const { message } = describeEviction(pod('p', { request: '1Gi' }), stats('p', MIB), threshold, undefined);
    assert.equal(message, 'The node was low on resource: memory. ');
  });
});

describe('findLocalStorageExcess', () => {
  it('finds a full emptyDir first, then the pod, then a container', () => {
    const full: Pod = {
      ...pod('p'),
      spec: {
        containers: [{ name: 'c', image: 'i', resources: { limits: { 'ephemeral-storage': '10Mi' } } }],
        volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }],
      },
    };
    const used = (volume: number, total: number, layer: number): PodStats => ({
      ...stats('p', layer * MIB),
      volume: [{ time: TIME, name: 'v', usedBytes: volume * MIB }],
      'ephemeral-storage': { time: TIME, usedBytes: total * MIB },
    });
    const find = (...amounts: [number, number, number]) =>
      findLocalStorageExcess(full, used(...amounts), 'single')?.message;
    assert.equal(find(2, 11, 11), 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ');
    assert.equal(
      find(1, 11, 11),
      'Pod ephemeral local storage usage exceeds the total limit of containers 10Mi. ',
    );
    assert.equal(find(1, 10, 11), 'Container c exceeded its local ephemeral storage limit "10Mi". ');
    assert.equal(find(1, 10, 10), undefined);
    assert.equal(findLocalStorageExcess(full, used(1, 10, 11), 'dedicated'), undefined);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLE_DETAILS } from '../../../../test/samples/sample-details.ts';
import { toBareLabels } from '../cgroup-labels.ts';
import { CONTAINER_SERIES } from './container-series.ts';
import { type SeriesColumn, SeriesTable } from './series-table.ts';

test('SeriesTable has every value of every cgroup in order, and more of them than expected', () => {
  const table = new SeriesTable(1);
  for (let at = 0; at < 5; at++)
    table.add({
      labels: toBareLabels(`/${at}`),
      startedAtMs: at * 1000,
      details: { ...SAMPLE_DETAILS, atMs: at, ...(at === 2 ? { memory: undefined } : {}) },
      interfaces: [],
      fileSystems: [],
    });
  const column = (name: string) => table.columns.find(({ series }) => series.name === name)!;
  const [starts, usage, faults] = ['start_time_seconds', 'memory_usage_bytes', 'memory_failures_total'].map(
    (name) => column(`container_${name}`),
  );
  assert.deepEqual(
    table.columns.map(({ series }) => series),
    CONTAINER_SERIES,
  );
  assert.deepEqual(
    table.cgroups.map(({ labels, atMs }) => [labels.id, atMs]),
    [0, 1, 2, 3, 4].map((at) => [`/${at}`, at]),
  );
  const rowsOf = (found: SeriesColumn | undefined) =>
    Array.from({ length: found?.length ?? 0 }, (_, index) => [
      found?.ownerAt(index),
      found?.labels[index],
      found?.valueAt(index),
    ]);
  assert.deepEqual(
    rowsOf(starts),
    [0, 1, 2, 3, 4].map((at) => [at, undefined, at]),
  );
  assert.deepEqual(
    rowsOf(usage),
    [0, 1, 3, 4].map((at) => [at, undefined, 40]),
  );
  assert.deepEqual(rowsOf(faults).slice(0, 4), [
    [0, 'failure_type="pgfault",scope="container"', 7],
    [0, 'failure_type="pgfault",scope="hierarchy"', 70],
    [0, 'failure_type="pgmajfault",scope="container"', 8],
    [0, 'failure_type="pgmajfault",scope="hierarchy"', 80],
  ]);
});

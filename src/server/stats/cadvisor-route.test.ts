import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { SAMPLE_DETAILS } from '../../../test/samples/sample-details.ts';
import { AgentError } from '../../base/errors.ts';
import type { MeasuredCgroup } from '../../core/stats/cgroup-details.ts';
import { CONTAINER_SERIES } from '../../core/stats/series/container-series.ts';
import type { DetailsReading } from '../../core/stats/series/details-reading.ts';
import { SeriesTable } from '../../core/stats/series/series-table.ts';
import type { HttpReply } from '../http/http-exchange.ts';
import { toCadvisorRoute } from './cadvisor-route.ts';

const traffic = { bytes: 1, packets: 2, errors: 3, dropped: 4 };
const operations = { completed: 1, merged: 2, sectors: 3, ms: 4000 };
const disk = { reads: operations, writes: operations, inProgress: 5, busyMs: 6000, weightedMs: 7000 };
const fs = { capacityBytes: 100, usedBytes: 60, inodes: 10, inodesFree: 4 };

function measured(id: string, more: Partial<MeasuredCgroup> = {}): MeasuredCgroup {
  return {
    labels: { container: 'c', id, image: 'i"m', name: 'n', namespace: 'ns', pod: 'p' },
    startedAtMs: 1_600_000_000_999,
    details: SAMPLE_DETAILS,
    interfaces: [{ name: 'eth0', received: traffic, sent: traffic }],
    fileSystems: [],
    ...more,
  };
}

function toTable(cgroups: readonly MeasuredCgroup[]): SeriesTable {
  const table = new SeriesTable();
  for (const cgroup of cgroups) table.add(cgroup);
  return table;
}

const READING: DetailsReading = {
  atMs: 1,
  series: toTable([
    measured('/', {
      fileSystems: [
        { device: '/dev/vda', ...fs, disk },
        { device: '/dev/shm', ...fs, disk: undefined },
      ],
    }),
    measured('/pod'),
  ]),
  machine: {
    bootId: 'b',
    machineId: 'm',
    systemUuid: 's',
    kernelVersion: '6.1',
    osImage: 'An "OS"',
    cores: 4,
    physicalCores: 2,
    sockets: 1,
    memoryBytes: 1000,
    swapBytes: 0,
  },
  families: undefined,
};

async function ask(read: () => Promise<DetailsReading>, encoding = ''): Promise<[HttpReply, Buffer]> {
  const { handle } = toCadvisorRoute({ readDetails: read });
  const { signal } = new AbortController();
  const headers = { 'accept-encoding': encoding };
  const reply = await handle(
    { method: 'GET', path: '', query: new URLSearchParams(), headers, body: new Uint8Array() },
    signal,
  );
  const chunks = [Buffer.from(reply.body)];
  await reply.stream?.({ write: async (chunk) => void chunks.push(Buffer.from(chunk)) }, signal);
  return [reply, Buffer.concat(chunks)];
}

const textOf = async (reading: DetailsReading): Promise<string> =>
  (await ask(async () => reading))[1].toString();

describe('/metrics/cadvisor', () => {
  it('shows every series with labels, value and time', async () => {
    const lines = (await textOf(READING)).split('\n');
    const base = 'container="c",id="/pod",image="i\\"m",name="n",namespace="ns",pod="p"';
    for (const line of [
      '# HELP container_cpu_usage_seconds_total Cumulative cpu time consumed in seconds.',
      '# TYPE container_cpu_usage_seconds_total counter',
      `container_cpu_usage_seconds_total{${base},cpu="total"} 9 1700000000123`,
      `container_cpu_cfs_throttled_seconds_total{${base}} 7 1700000000123`,
      `container_memory_working_set_bytes{${base}} 34 1700000000123`,
      `container_memory_failures_total{${base},failure_type="pgmajfault",scope="hierarchy"} 80 1700000000123`,
      `container_pressure_io_waiting_seconds_total{${base}} 4 1700000000123`,
      `container_pressure_memory_stalled_seconds_total{${base}} 5 1700000000123`,
      `container_spec_memory_limit_bytes{${base}} 4096`,
      `container_start_time_seconds{${base}} 1600000000`,
      `container_last_seen{${base}} 1700000000 1700000000123`,
      `container_blkio_device_usage_total{${base},device="/dev/vda",major="254",minor="0",operation="Write"} 12 1700000000123`,
      `container_fs_reads_total{${base},device="/dev/vda"} 13 1700000000123`,
      `container_network_transmit_packets_dropped_total{${base},interface="eth0"} 4 1700000000123`,
      `container_ulimits_soft{${base},ulimit="max_open_files"} 1024 1700000000123`,
      'container_scrape_error 0',
      'machine_scrape_error 0',
      'machine_cpu_physical_cores{boot_id="b",machine_id="m",system_uuid="s"} 2',
      'cadvisor_version_info{cadvisorRevision="",cadvisorVersion="",dockerVersion="",kernelVersion="6.1",osVersion="An \\"OS\\""} 1',
    ])
      assert.ok(lines.includes(line), line);
  });

  it('takes what a disk did from the cgroup, and from the disk where the cgroup does not count', async () => {
    const text = await textOf(READING);
    const valuesOf = (name: string): string[] =>
      text
        .split('\n')
        .filter((line) => line.startsWith(`${name}{`) && line.includes('id="/",'))
        .map((line) => `${/device="([^"]*)"/.exec(line)?.[1]} ${line.split('} ')[1]?.split(' ')[0]}`);
    assert.deepEqual(valuesOf('container_fs_reads_total'), ['/dev/vda 13', '/dev/shm 0']);
    assert.deepEqual(valuesOf('container_fs_read_seconds_total'), ['/dev/vda 4', '/dev/shm 0']);
    assert.deepEqual(valuesOf('container_fs_reads_bytes_total'), ['/dev/vda 11']);
    assert.deepEqual(valuesOf('container_fs_usage_bytes'), ['/dev/vda 60', '/dev/shm 60']);
  });

  it('leaves out what a cgroup does not have', async () => {
    const { psi: _, ...cpu } = SAMPLE_DETAILS.cpu ?? assert.fail();
    const bare = {
      ...SAMPLE_DETAILS,
      cpu: { ...cpu, psi: undefined },
      memory: undefined,
      limits: {
        cpu: { periodUs: 1, quotaUs: undefined, shares: 2 },
        memory: undefined,
        tasks: { threads: 0, openFiles: undefined },
      },
    };
    const text = await textOf({
      ...READING,
      series: toTable([measured('/x', { details: bare, interfaces: [] })]),
    });
    for (const absent of ['cfs_', 'quota', 'memory', 'pressure_cpu', 'network', 'ulimits', 'fs_usage'])
      assert.doesNotMatch(text, new RegExp(`^(# HELP )?container_\\w*${absent}`, 'm'));
    assert.match(text, /^container_spec_cpu_shares\{.*\} 2$/m);
  });

  it('writes as much as there is, in chunks, compressed for those who accept it', async () => {
    const cgroups = Array.from({ length: 300 }, (_, index) => measured(`/${'long/'.repeat(40)}${index}`));
    const reading = { ...READING, series: toTable(cgroups) };
    const [plain] = [await textOf(reading)];
    const [reply, packed] = await ask(async () => reading, 'gzip');
    assert.equal(reply.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(packed).toString(), plain);
    const usage = plain.split('\n').filter((line) => line.startsWith('container_memory_usage_bytes{'));
    assert.equal(usage.length, 300);
  });

  it('shows what the runtime counts instead, where it does', async () => {
    const family = {
      name: 'container_of_runtime',
      help: 'h',
      kind: 'gauge',
      stability: 'NONE',
      samples: () => [{ suffix: '', labels: [], value: 5 }],
    } as const;
    const text = await textOf({ ...READING, families: [family] });
    assert.match(text, /^container_of_runtime 5$/m);
    assert.doesNotMatch(text, /^container_memory/m);
    assert.match(text, /^machine_cpu_cores\{.*\} 4$/m);
  });

  it('shows an error as a metric', async () => {
    const [reply, text] = await ask(() => Promise.reject(new AgentError('unavailable', 'no')));
    assert.equal(reply.status, 200);
    assert.match(text.toString(), /^container_scrape_error 1$/m);
    assert.match(text.toString(), /^machine_scrape_error 1$/m);
  });
});

describe('CONTAINER_SERIES', () => {
  it('has each name once, and counters that say so; inodes are none, in spite of their name', () => {
    const names = CONTAINER_SERIES.map(({ name }) => name);
    assert.deepEqual(names, [...new Set(names)].toSorted());
    for (const { name, kind } of CONTAINER_SERIES)
      assert.equal(
        kind === 'counter',
        /_total$/.test(name) !== (name === 'container_fs_inodes_total') ||
          name === 'container_memory_failcnt',
        name,
      );
  });
});

import assert from 'node:assert/strict';
import fs, { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import type { CgroupLayout } from '../cgroup/cgroup-layout.ts';
import { LinuxCgroupDetails } from './cgroup-details-reader.ts';
import { findPlaces } from './machine-file-systems.ts';
import { toShares } from './read-unified-details.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cgroup-details-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function create(layout: CgroupLayout, clock = new FakeClock({ startMs: 5000 })): LinuxCgroupDetails {
  const machine = {
    bootId: 'b',
    machineId: 'm',
    systemUuid: 's',
    kernelVersion: '6',
    osImage: 'o',
    cores: 4,
    memoryBytes: 1000,
    swapBytes: 200,
  };
  return new LinuxCgroupDetails({
    layout,
    clock,
    machine,
    podPlaces: [],
    proc: join(root, 'proc'),
    sys: join(root, 'sys'),
  });
}

const PRESSURE =
  'some avg10=1.00 avg60=2.00 avg300=3.00 total=4\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n';
const PSI = {
  some: { total: 4, avg10: 1, avg60: 2, avg300: 3 },
  full: { total: 5, avg10: 0, avg60: 0, avg300: 0 },
};
const PROC = {
  'proc/12/limits': 'Max open files            1024                 4096                 files\n',
  'proc/12/fd/0': '',
  'proc/13/fd/0': '',
  'proc/1/limits': 'Max open files            7                 8                 files\n',
  'proc/diskstats': ' 254 0 vda 1 2 3 4 5 6 7 8 9 10 11\n',
  'proc/self/mountinfo': '',
};

describe('LinuxCgroupDetails of version 2', () => {
  const layout = (): CgroupLayout => ({ version: 2, root: join(root, 'v2') });

  it('reads every controller, limits, tasks and pressure', async () => {
    write({
      ...PROC,
      'v2/cpu.pressure': PRESSURE,
      'v2/pod/cpu.stat':
        'usage_usec 9\nuser_usec 4\nsystem_usec 5\nnr_periods 6\nnr_throttled 2\nthrottled_usec 7\nnr_bursts 1\nburst_usec 3\n',
      'v2/pod/cpu.max': '50000 100000\n',
      'v2/pod/cpu.weight': '100\n',
      'v2/pod/cpu.pressure': PRESSURE,
      'v2/pod/io.pressure': PRESSURE,
      'v2/pod/io.stat': '254:0 rbytes=1 wbytes=2 rios=3 wios=4\n',
      'v2/pod/memory.stat':
        'anon 10\nfile 20\nkernel 3\nfile_mapped 4\nactive_file 5\ninactive_file 6\npgfault 7\npgmajfault 8\n',
      'v2/pod/memory.current': '40\n',
      'v2/pod/memory.peak': '50\n',
      'v2/pod/memory.max': 'max\n',
      'v2/pod/memory.min': '30\n',
      'v2/pod/memory.swap.current': '2\n',
      'v2/pod/memory.swap.max': '100\n',
      'v2/pod/memory.events': 'low 0\nhigh 0\nmax 3\noom 2\noom_kill 1\n',
      'v2/pod/memory.pressure': PRESSURE,
      'v2/pod/pids.current': '9\n',
      'v2/pod/pids.max': 'max\n',
      'v2/pod/cgroup.procs': '13\n12\n0\n',
    });
    symlinkSync('socket:[1]', join(root, 'proc/12/fd/3'));
    const reader = create(layout());
    await reader.readFileSystems();
    const faults = { all: 7, major: 8 };
    assert.deepEqual(reader.readDetails('/pod'), {
      atMs: 5000,
      cpu: {
        usageNs: 9000,
        userNs: 4000,
        systemNs: 5000,
        periods: 6,
        throttledPeriods: 2,
        throttledNs: 7000,
        burstPeriods: 1,
        burstNs: 3000,
        psi: PSI,
      },
      memory: {
        usageBytes: 40,
        maxUsageBytes: 50,
        cacheBytes: 20,
        rssBytes: 10,
        kernelBytes: 3,
        mappedFileBytes: 4,
        swapBytes: 2,
        activeFileBytes: 5,
        inactiveFileBytes: 6,
        limitHits: 3,
        oomKills: 1,
        ownFaults: faults,
        allFaults: faults,
        psi: PSI,
      },
      limits: {
        cpu: { periodUs: 100000, quotaUs: 50000, shares: 2597 },
        memory: { bytes: 0, swapBytes: 100, reservedBytes: 30 },
        tasks: { threads: 0, openFiles: 1024 },
      },
      io: {
        devices: [
          {
            device: '/dev/vda',
            major: 254,
            minor: 0,
            bytes: { Read: 1, Write: 2 },
            operations: { Read: 3, Write: 4 },
            cost: undefined,
          },
        ],
        psi: PSI,
      },
      tasks: { processes: 2, descriptors: 3, sockets: 1, threads: 9 },
    });
    assert.equal(reader.readDetails('/none'), undefined);
  });

  it('reads limits again after half a minute', async () => {
    write({ ...PROC, 'v2/pod/cpu.stat': 'usage_usec 9\n', 'v2/pod/cpu.weight': '1\n' });
    const clock = new FakeClock({ startMs: 5000 });
    const reader = create(layout(), clock);
    const sharesOf = (): number | undefined => reader.readDetails('/pod')?.limits.cpu?.shares;
    assert.equal(sharesOf(), 2);
    write({ 'v2/pod/cpu.weight': '10000\n' });
    assert.equal(sharesOf(), 2);
    await clock.advance(30_000);
    assert.equal(sharesOf(), 262_144);
  });

  it('gives the root the limits of the machine and of its first process', () => {
    write({ ...PROC, 'v2/cpu.stat': 'usage_usec 9\n', 'v2/memory.stat': 'anon 10\nfile 20\n' });
    const found = create(layout()).readDetails('/');
    assert.equal(found?.memory?.usageBytes, 30);
    assert.deepEqual(found?.limits.memory, { bytes: 1000, swapBytes: 200, reservedBytes: 0 });
    assert.equal(found?.limits.tasks.openFiles, 7);
    assert.equal(found?.cpu?.psi, undefined);
  });

  it('counts cores and sockets', () => {
    const cpu = (name: string, socket: string, core: string): Record<string, string> => ({
      [`sys/devices/system/cpu/${name}/topology/physical_package_id`]: socket,
      [`sys/devices/system/cpu/${name}/topology/core_id`]: core,
    });
    write({
      ...cpu('cpu0', '0', '0'),
      ...cpu('cpu1', '0', '0'),
      ...cpu('cpu2', '1', '0'),
      'sys/devices/system/cpu/cpufreq/x': '',
    });
    const { cores, physicalCores, sockets } = create(layout()).readMachineDetails();
    assert.deepEqual([cores, physicalCores, sockets], [4, 2, 2]);
  });
});

describe('LinuxCgroupDetails of version 1', () => {
  const layout = (): CgroupLayout => ({
    version: 1,
    hierarchies: [
      { directory: join(root, 'cpu'), controllers: ['cpu', 'cpuacct'] },
      { directory: join(root, 'memory'), controllers: ['memory'] },
      { directory: join(root, 'pids'), controllers: ['pids'] },
      { directory: join(root, 'blkio'), controllers: ['blkio'] },
    ],
  });

  it('reads each controller in its tree', async () => {
    write({
      ...PROC,
      'cpu/pod/cpuacct.usage': '900\n',
      'cpu/pod/cpuacct.stat': 'user 3\nsystem 2\n',
      'cpu/pod/cpu.stat': 'nr_periods 6\nnr_throttled 2\nthrottled_time 7\nnr_bursts 1\nburst_time 3\n',
      'cpu/pod/cpu.shares': '102\n',
      'cpu/pod/cpu.cfs_period_us': '100000\n',
      'cpu/pod/cpu.cfs_quota_us': '50000\n',
      'cpu/pod/cgroup.procs': '12\n',
      'memory/pod/memory.stat':
        'cache 1\nrss 2\npgfault 3\npgmajfault 4\ntotal_cache 10\ntotal_rss 20\ntotal_mapped_file 30\ntotal_swap 40\ntotal_active_file 50\ntotal_inactive_file 60\ntotal_pgfault 70\ntotal_pgmajfault 80\n',
      'memory/pod/memory.usage_in_bytes': '100\n',
      'memory/pod/memory.max_usage_in_bytes': '200\n',
      'memory/pod/memory.kmem.usage_in_bytes': '5\n',
      'memory/pod/memory.failcnt': '6\n',
      'memory/pod/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 7\n',
      'memory/pod/memory.limit_in_bytes': '4096\n',
      'memory/pod/memory.memsw.limit_in_bytes': '8192\n',
      'memory/pod/memory.soft_limit_in_bytes': '9223372036854771712\n',
      'pids/pod/pids.current': '3\n',
      'pids/pod/pids.max': '100\n',
      'blkio/pod/blkio.throttle.io_service_bytes_recursive': '254:0 Read 8\nTotal 8\n',
      'blkio/pod/blkio.throttle.io_serviced_recursive': '254:0 Read 1\nTotal 1\n',
    });
    const reader = create(layout());
    await reader.readFileSystems();
    const found = reader.readDetails('/pod');
    assert.deepEqual(found?.cpu, {
      usageNs: 900,
      userNs: 30_000_000,
      systemNs: 20_000_000,
      periods: 6,
      throttledPeriods: 2,
      throttledNs: 7,
      burstPeriods: 1,
      burstNs: 3,
      psi: undefined,
    });
    assert.deepEqual(found?.memory, {
      usageBytes: 100,
      maxUsageBytes: 200,
      cacheBytes: 10,
      rssBytes: 20,
      kernelBytes: 5,
      mappedFileBytes: 30,
      swapBytes: 40,
      activeFileBytes: 50,
      inactiveFileBytes: 60,
      limitHits: 6,
      oomKills: 7,
      ownFaults: { all: 3, major: 4 },
      allFaults: { all: 70, major: 80 },
      psi: undefined,
    });
    assert.deepEqual(found?.limits, {
      cpu: { periodUs: 100000, quotaUs: 50000, shares: 102 },
      memory: { bytes: 4096, swapBytes: 8192, reservedBytes: 0 },
      tasks: { threads: 100, openFiles: 1024 },
    });
    assert.deepEqual(found?.tasks, {
      processes: 1,
      descriptors: 1,
      sockets: 0,
      threads: 3,
    });
    assert.equal(found?.io.devices[0]?.device, '/dev/vda');
  });

  it('reads neither periods without a quota nor operations of a cgroup that used no disk', (t) => {
    write({
      ...PROC,
      'cpu/pod/cpuacct.usage': '900\n',
      'cpu/pod/cpu.stat': 'nr_periods 0\n',
      'cpu/pod/cpu.shares': '102\n',
      'cpu/pod/cpu.cfs_quota_us': '-1\n',
      'blkio/pod/blkio.throttle.io_service_bytes_recursive': 'Total 0\n',
      'blkio/pod/blkio.throttle.io_serviced_recursive': 'Total 0\n',
    });
    const reads = t.mock.method(fs, 'readFileSync');
    syncBuiltinESMExports();
    t.after(() => {
      reads.mock.restore();
      syncBuiltinESMExports();
    });
    const found = create(layout()).readDetails('/pod');
    const names = reads.mock.calls.map(({ arguments: [path] }) => basename(String(path)));
    assert.equal(found?.limits.cpu?.quotaUs, undefined);
    assert.deepEqual(found?.io.devices, []);
    assert.ok(names.includes('blkio.throttle.io_service_bytes_recursive'));
    for (const name of ['cpu.stat', 'blkio.throttle.io_serviced_recursive', 'blkio.throttle.io_serviced'])
      assert.ok(!names.includes(name), name);
  });
});

describe('toShares', () => {
  for (const [weight, shares] of [
    [1, 2],
    [100, 2597],
    [10_000, 262_144],
  ] as const)
    it(`makes ${shares} of weight ${weight}`, () => assert.equal(toShares(weight), shares));
});

describe('findPlaces', () => {
  it('names each disk once and file systems in memory by their place, without those of pods', () => {
    const line = (path: string, type: string, source: string, numbers = '254:0'): string =>
      `1 0 ${numbers} / ${path} rw - ${type} ${source} rw\n`;
    const mounts =
      line('/', 'ext4', '/dev/vda') +
      line('/var/lib/kubelet', 'ext4', '/dev/vda') +
      line('/dev/shm', 'tmpfs', 'shm', '0:23') +
      line('/dev', 'devtmpfs', '/dev/none', '0:5') +
      line('/mnt', 'nfs4', 'server:/x', '0:6') +
      line('/media', 'fuseblk', '/dev/sdb1', '0:9') +
      line('/k/pods/u/volumes/v', 'tmpfs', 'tmpfs', '0:7') +
      line('/run/sandboxes/s/shm', 'tmpfs', 'shm', '0:8');
    const found = findPlaces({ mounts, podPlaces: ['/k'] });
    assert.deepEqual(found, [
      { device: '/dev/vda', path: '/', numbers: '254:0' },
      { device: '/dev/shm', path: '/dev/shm', numbers: '0:23' },
    ]);
  });
});

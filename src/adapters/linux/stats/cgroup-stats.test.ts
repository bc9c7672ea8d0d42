import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { type CgroupLayout, parseCgroupLayout } from '../cgroup/cgroup-layout.ts';
import { parseMountinfo } from '../mountinfo.ts';
import { LinuxCgroupStats } from './cgroup-stats.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cgroup-stats-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function create(layout: CgroupLayout): LinuxCgroupStats {
  return new LinuxCgroupStats({ layout, clock: new FakeClock({ startMs: 5000 }), proc: join(root, 'proc') });
}

const PRESSURE =
  'some avg10=1.00 avg60=2.00 avg300=3.00 total=4\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n';
const PSI = {
  some: { total: 4, avg10: 1, avg60: 2, avg300: 3 },
  full: { total: 5, avg10: 0, avg60: 0, avg300: 0 },
};

/** As a 6.12 kernel with systemd shows it, shortened. */
const UNIFIED = {
  'v2/cpu.stat': 'usage_usec 9000\nuser_usec 4000\nsystem_usec 5000\n',
  'v2/memory.stat': 'anon 1000\nfile 500\nkernel 10\ninactive_file 300\npgfault 90\npgmajfault 9\n',
  'v2/cpu.pressure': PRESSURE,
  'v2/pods/one/cpu.stat': 'usage_usec 1500\nuser_usec 1000\nsystem_usec 500\nnr_periods 0\n',
  'v2/pods/one/cpu.pressure': PRESSURE,
  'v2/pods/one/io.pressure': PRESSURE,
  'v2/pods/one/memory.current': '8192\n',
  'v2/pods/one/memory.stat':
    'anon 4096\nfile 2048\ninactive_file 1024\nactive_file 512\npgfault 7\npgmajfault 1\n',
  'v2/pods/one/memory.pressure': PRESSURE,
  'v2/pods/one/memory.max': '1048576\n',
  'v2/pods/one/memory.swap.current': '100\n',
  'v2/pods/one/memory.swap.max': 'max\n',
  'v2/pods/one/cgroup.procs': '12\n13\n14\n',
  'v2/pods/one/inner/cgroup.procs': '15\n',
  'proc/meminfo': 'MemTotal: 100 kB\nSwapTotal: 20 kB\nSwapFree: 5 kB\n',
  'proc/stat': 'btime 3\n',
  'proc/loadavg': '0 0 0 1/77 5\n',
  'proc/sys/kernel/pid_max': '4194304\n',
  'proc/sys/kernel/threads-max': '1000\n',
};

describe('LinuxCgroupStats of version 2', () => {
  const layout = (): CgroupLayout => ({ version: 2, root: join(root, 'v2') });

  it('reads a cgroup', () => {
    write(UNIFIED);
    assert.deepEqual(create(layout()).readCgroup('/pods/one'), {
      atMs: 5000,
      cpu: { usageNs: 1_500_000, psi: PSI },
      memory: {
        usageBytes: 8192,
        inactiveFileBytes: 1024,
        activeFileBytes: 512,
        rssBytes: 4096,
        pageFaults: 7,
        majorPageFaults: 1,
        limitBytes: 1048576,
        swapBytes: 100,
        psi: PSI,
      },
      ioPsi: PSI,
    });
  });

  it('reads no pressure on a kernel that does not count it', () => {
    const { 'v2/cpu.pressure': _, ...without } = UNIFIED;
    write(without);
    const sample = create(layout()).readCgroup('/pods/one');
    assert.deepEqual(
      [sample?.cpu?.psi, sample?.memory?.psi, sample?.ioPsi],
      [undefined, undefined, undefined],
    );
  });

  it('reads the machine: the root counts no memory, and its limits are those of the machine', () => {
    write(UNIFIED);
    const { root: machine, ...facts } = create(layout()).readMachine();
    assert.deepEqual(facts, { atMs: 5000, bootAtMs: 3000, maxPid: 1000, tasks: 77 });
    assert.equal(machine?.cpu?.usageNs, 9_000_000);
    const { usageBytes, limitBytes, swapBytes, swapLimitBytes } = machine?.memory ?? {};
    assert.deepEqual([usageBytes, limitBytes, swapBytes, swapLimitBytes], [1500, 102400, 15360, 20480]);
  });

  it('lists, counts and finds', () => {
    write(UNIFIED);
    const stats = create(layout());
    assert.deepEqual(stats.listCgroups('/pods'), ['one']);
    assert.deepEqual(stats.listCgroups('/none'), []);
    assert.deepEqual([stats.countProcesses('/pods/one'), stats.countProcesses('/none')], [3, 0]);
    assert.deepEqual([stats.hasCgroup('/pods/one'), stats.hasCgroup('/none')], [true, false]);
    assert.equal(stats.readCgroup('/none'), undefined);
    assert.equal(stats.readCreation('/none'), undefined);
    assert.ok((stats.readCreation('/pods/one') ?? 0) > 3000);
  });

  it('reads the network of the first process, unless its number went to another', () => {
    write({
      ...UNIFIED,
      'proc/12/net/dev': ' eth0: 1 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0\n',
      'proc/12/cgroup': '0::/pods/one\n',
    });
    const stats = create(layout());
    assert.deepEqual(stats.readInterfaces({ cgroup: '/pods/one' }), [
      { name: 'eth0', rxBytes: 1, rxErrors: 0, txBytes: 2, txErrors: 0 },
    ]);
    write({ 'proc/12/cgroup': '0::/elsewhere\n' });
    assert.deepEqual(stats.readInterfaces({ cgroup: '/pods/one' }), []);
    assert.deepEqual(stats.readInterfaces({ cgroup: '/none' }), []);
  });
});

describe('LinuxCgroupStats of version 1', () => {
  const layout = (): CgroupLayout => ({
    version: 1,
    hierarchies: [
      { directory: join(root, 'cpu'), controllers: ['cpu', 'cpuacct'] },
      { directory: join(root, 'memory'), controllers: ['memory'] },
    ],
  });
  const FILES = {
    'cpu/pod/cpuacct.usage': '123456\n',
    'cpu/pod/inner/cpuacct.usage': '1\n',
    'memory/pod/memory.stat':
      'rss 1\ninactive_file 1\ntotal_rss 400\ntotal_inactive_file 200\ntotal_active_file 100\ntotal_pgfault 5\ntotal_pgmajfault 2\ntotal_swap 30\n',
    'memory/pod/memory.usage_in_bytes': '1000\n',
    'memory/pod/memory.limit_in_bytes': '5000\n',
    'memory/pod/memory.memsw.limit_in_bytes': '6000\n',
    'memory/pod/cgroup.procs': '0\n21\n',
  };

  it('reads a cgroup with everything below it', () => {
    write(FILES);
    assert.deepEqual(create(layout()).readCgroup('/pod'), {
      atMs: 5000,
      cpu: { usageNs: 123456 },
      memory: {
        usageBytes: 1000,
        inactiveFileBytes: 200,
        activeFileBytes: 100,
        rssBytes: 400,
        pageFaults: 5,
        majorPageFaults: 2,
        limitBytes: 5000,
        swapBytes: 30,
        swapLimitBytes: 1000,
      },
    });
  });

  it('knows no limit and no swap where there is none', () => {
    const unlimited = '9223372036854771712\n';
    write({
      ...FILES,
      'memory/pod/memory.limit_in_bytes': unlimited,
      'memory/pod/memory.stat': 'total_rss 4\n',
    });
    const { limitBytes, swapBytes, swapLimitBytes } = create(layout()).readCgroup('/pod')?.memory ?? {};
    assert.deepEqual([limitBytes, swapBytes, swapLimitBytes], [undefined, undefined, undefined]);
  });

  it('passes over processes it cannot see', () => {
    write({
      ...FILES,
      'proc/21/net/dev': ' eth0: 1 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0\n',
      'proc/21/cgroup': '4:memory:/pod\n',
    });
    assert.equal(create(layout()).readInterfaces({ cgroup: '/pod' }).length, 1);
    assert.deepEqual(create(layout()).listCgroups('/pod'), ['inner']);
  });
});

describe('LinuxCgroupStats on this machine', () => {
  it('reads the root, tasks and the network', () => {
    const layout = parseCgroupLayout(parseMountinfo(readFileSync('/proc/self/mountinfo', 'utf8')));
    const stats = new LinuxCgroupStats({ layout, clock: new FakeClock({ startMs: Date.now() }) });
    const before = stats.readMachine();
    assert.ok(before.bootAtMs > Date.parse('2020-01-01') && before.bootAtMs < Date.now());
    assert.ok((before.tasks ?? 0) > 1 && (before.maxPid ?? 0) > (before.tasks ?? 0));
    const { cpu, memory } = before.root ?? {};
    assert.ok(cpu !== undefined && cpu.usageNs > 1e9);
    assert.ok(memory !== undefined && memory.usageBytes > 1e6);
    assert.ok((memory.limitBytes ?? 0) > memory.usageBytes - memory.inactiveFileBytes);
    assert.ok((stats.readMachine().root?.cpu?.usageNs ?? 0) >= cpu.usageNs);
    assert.ok(stats.readInterfaces('machine').some(({ name }) => name === 'lo'));
  });
});

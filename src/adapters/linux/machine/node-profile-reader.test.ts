import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type NodeSettings, readNodeProfile } from './node-profile-reader.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'machine-'));
});
afterEach(() => rm(base, { recursive: true }));

function write(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(base, name)), { recursive: true });
    writeFileSync(join(base, name), content);
  }
}

function makeSettings(change: Partial<NodeSettings> = {}): NodeSettings {
  return {
    nodeName: 'node-1',
    rootDir: join(base, 'not/made/yet'),
    podLogsDir: '/var/log/pods',
    clusterDomain: 'cluster.local',
    clusterDns: [],
    resolvConfPath: '',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: '/',
    cgroupsPerQos: true,
    cpuCfsQuota: true,
    cpuCfsPeriodUs: 100_000,
    singleProcessOomKill: false,
    podPidsLimit: -1,
    memoryThrottlingFactor: 0.9,
    memoryReservationPolicy: 'None',
    seccompDefault: false,
    features: () => false,
    runtimeHandlers: () => [],
    requestedNodeIps: [],
    swapBehavior: 'LimitedSwap',
    systemReserved: { memory: '24Ki' },
    kubeReserved: {},
    evictionHard: {},
    ...change,
  };
}

const read = (settings = makeSettings(), resolve = async (): Promise<string[]> => []) =>
  readNodeProfile(settings, {
    proc: join(base, 'proc'),
    sys: join(base, 'sys'),
    resolve,
    kernelRelease: '6.4.0',
    readInterfaces: () => [
      { name: 'eth0', addresses: ['192.0.2.5'] },
      { name: 'eth1', addresses: ['198.51.100.7'] },
    ],
  });

const mountinfo = (...lines: readonly string[]): string =>
  lines.map((line) => `1 2 0:3 / ${line.replace('SYS', join(base, 'sys'))}`).join('\n');

const UNIFIED = {
  'proc/meminfo': 'MemTotal: 1048 kB\nSwapTotal: 2 kB\n',
  'proc/self/cgroup': '0::/own\n',
};

describe('readNodeProfile', () => {
  it('joins machine and configuration on a version 2 machine', async () => {
    write({
      ...UNIFIED,
      'proc/self/mountinfo': mountinfo(
        'SYS/fs/cgroup rw - cgroup2 cgroup2 rw',
        '/sys/fs/selinux rw - selinuxfs none rw',
      ),
      'proc/self/auxv': new Uint8Array(new BigUint64Array([6n, 16384n, 0n, 0n]).buffer),
      'proc/self/attr/current': 'system_u:system_r:kubelet_t:s0\0',
      'proc/net/route': 'eth1 00000000 010200C0 0003 0 0 0 00000000 0 0 0\n',
      'sys/devices/system/cpu/possible': '0-3\n',
      'sys/devices/system/cpu/online': '0-1\n',
      'sys/devices/system/cpu/cpu0/thermal_throttle/count': '0',
      'sys/devices/system/cpu/cpu3/thermal_throttle/count': '0',
      'sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages': '0\n',
      'sys/kernel/mm/hugepages/hugepages-64kB/nr_hugepages': '1\n',
      'sys/fs/cgroup/own/memory.swap.max': 'max\n',
    });
    const { node, machine, warnings } = await read();
    assert.deepEqual(warnings, []);
    assert.equal(node.nodeName, 'node-1');
    assert.deepEqual(node.nodeIps(), ['198.51.100.7']);
    assert.equal(node.memoryCapacityBytes, 1048 * 1024);
    assert.equal(node.pageSizeBytes, 16384);
    assert.equal(node.allocatable['cpu'], '2');
    assert.equal(node.allocatable['memory'], '960Ki');
    assert.deepEqual(node.hugepageSizesBytes, [64 * 1024, 2048 * 1024]);
    const swap = {
      controllerAvailable: true,
      behavior: 'LimitedSwap',
      capacityBytes: 2048,
      tmpfsNoSwap: true,
    };
    assert.deepEqual(node.swap, swap);
    assert.deepEqual(
      node.thermalThrottlePaths,
      ['cpu0', 'cpu3'].map((cpu) => join(base, 'sys/devices/system/cpu', cpu, 'thermal_throttle')),
    );
    assert.equal(node.cgroupVersion, 2);
    assert.equal(node.selinuxEnabled, true);
    assert.deepEqual(machine.cgroup, { version: 2, root: join(base, 'sys/fs/cgroup') });
    assert.ok(machine.capacity.ephemeralStorageBytes > 0);
    assert.equal('requestedNodeIps' in node || 'systemReserved' in node, false);
  });

  it('reads a version 1 machine that reports little more', async () => {
    write({
      'proc/meminfo': 'MemTotal: 4 kB\n',
      'proc/self/mountinfo': mountinfo(
        'SYS/fs/cgroup rw - tmpfs tmpfs rw',
        'SYS/fs/cgroup/memory rw - cgroup cgroup rw,memory',
        'SYS/fs/cgroup/cpu rw - cgroup cgroup rw,cpu',
      ),
      'sys/fs/cgroup/memory/memory.memsw.limit_in_bytes': '1',
    });
    const { node, machine } = await read(makeSettings({ systemReserved: {} }));
    assert.equal(node.cgroupVersion, 1);
    assert.equal(machine.canCapCpu, false);
    write({ 'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1' });
    assert.equal((await read()).machine.canCapCpu, true);
    assert.equal(node.swap.controllerAvailable, true);
    assert.equal(node.selinuxEnabled, false);
    assert.equal(node.pageSizeBytes, 4096);
    assert.deepEqual(node.hugepageSizesBytes, []);
    assert.deepEqual(node.thermalThrottlePaths, []);
    assert.deepEqual(node.nodeIps(), ['192.0.2.5']);
  });

  it('finds no swap controller in the root of a version 2 tree, and no SELinux without a loaded policy', async () => {
    write({
      ...UNIFIED,
      'proc/self/cgroup': '0::/\n',
      'proc/self/mountinfo': mountinfo(
        'SYS/fs/cgroup rw - cgroup2 cgroup2 rw',
        '/sys/fs/selinux rw - selinuxfs none rw',
      ),
      'proc/self/attr/current': 'kernel\0',
    });
    const { node } = await read();
    assert.equal(node.swap.controllerAvailable, false);
    assert.equal(node.selinuxEnabled, false);
  });

  it('asks the resolver only when the address is not requested', async () => {
    write({ ...UNIFIED, 'proc/self/mountinfo': mountinfo('/ rw - ext4 /dev/vda rw') });
    const asked: string[] = [];
    const resolve = async (name?: string): Promise<string[]> => {
      asked.push(name ?? '');
      return ['198.51.100.7'];
    };
    assert.deepEqual(
      (await read(makeSettings({ requestedNodeIps: ['192.0.2.5'] }), resolve)).node.nodeIps(),
      ['192.0.2.5'],
    );
    assert.deepEqual(asked, []);
    assert.deepEqual((await read(makeSettings(), resolve)).node.nodeIps(), ['198.51.100.7']);
    assert.deepEqual(asked, ['node-1']);
  });

  it('warns, and goes on without address, when the requested one is not here', async () => {
    write({ ...UNIFIED, 'proc/self/mountinfo': mountinfo('/ rw - ext4 /dev/vda rw') });
    const { node, warnings } = await read(makeSettings({ requestedNodeIps: ['203.0.113.9'] }));
    assert.deepEqual(node.nodeIps(), []);
    assert.match(warnings.join(), /^failed to validate nodeIP: node IP: "203\.0\.113\.9" not found/);
  });

  it('rejects when memory or mounts cannot be read', async () => {
    await assert.rejects(read(), /cannot read ".*mountinfo": no such file or directory/);
    write({ 'proc/self/mountinfo': '', 'proc/meminfo': 'MemFree: 1 kB\n' });
    await assert.rejects(read(), /cannot read the size of the memory/);
  });
});

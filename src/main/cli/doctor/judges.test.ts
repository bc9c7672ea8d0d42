import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RuntimeFacts } from '../../../adapters/cri/inspect-runtime.ts';
import { KERNEL_SETTINGS } from '../../../adapters/linux/machine/kernel-tunables.ts';
import type { Finding } from './finding.ts';
import { type CgroupFacts, judgeCgroups } from './judge-cgroups.ts';
import { judgeKernel, type KernelFacts } from './judge-kernel.ts';
import { type ClockFacts, judgeClock, judgePort, judgeSwap, type PortFacts } from './judge-machine.ts';
import { type DiskFacts, judgeDisk, judgeRootDirectory } from './judge-places.ts';
import { judgeRights } from './judge-rights.ts';
import { type FoundRuntime, judgeNetwork, judgeRuntime } from './judge-runtime.ts';
import { judgeCertificate, judgeConfiguration } from './judge-settings.ts';

const NOW = Date.UTC(2026, 5, 1);
const HOUR = 3_600_000;

/** One finding as text; what is wrong always comes with what to do. */
function show({ subject, verdict, what, mend }: Finding): string {
  assert.equal(mend === undefined, verdict === 'ok', `${subject}: ${what}`);
  return `${verdict} ${subject}: ${what}${mend === undefined ? '' : ` -> ${mend}`}`;
}
const line = (findings: readonly Finding[], subject: string): string =>
  show(findings.find((one) => one.subject === subject) ?? { subject, verdict: 'ok', what: 'NOT FOUND' });

describe('judgeRights', () => {
  const ALL = (1n << 41n) - 1n;
  for (const [name, userId, capabilities, pattern] of [
    ['another user', 1000, ALL, /^problem rights: user 1000 is not root.*sudo/],
    ['root', 0, ALL, /^ok rights: root, with every/],
    ['root whose capabilities are hidden', 0, undefined, /^ok rights/],
    ['root without mounts', 0, ALL & ~(1n << 21n), /^problem rights: root without CAP_SYS_ADMIN ->/],
    [
      'root that cannot lower scores',
      0,
      ALL & ~(1n << 24n),
      /^warning rights.*restrict_oom_score_adj = true/,
    ],
  ] as const)
    it(`judges ${name}`, () =>
      assert.match(line(judgeRights({ userId, capabilities, missingPrograms: [] }), 'rights'), pattern));

  it('names programs that are missing', () =>
    assert.match(
      line(judgeRights({ userId: 0, capabilities: ALL, missingPrograms: ['flock', 'prlimit'] }), 'programs'),
      /^problem programs: not in PATH: flock, prlimit -> install util-linux/,
    ));
});

describe('judgeCgroups', () => {
  const good: CgroupFacts = {
    version: 2,
    controllers: ['cpu', 'cpuset', 'memory', 'pids', 'hugetlb'],
    hasSystemd: true,
    failsOnV1: true,
    driver: 'systemd',
    runtimeDriver: 'systemd',
  };
  for (const [name, change, subject, pattern] of [
    ['version 2', {}, 'cgroup version', /^ok/],
    ['version 1 that is refused', { version: 1 }, 'cgroup version', /^problem.*failCgroupV1: false/],
    ['version 1 that is allowed', { version: 1, failsOnV1: false }, 'cgroup version', /^warning/],
    ['all controllers', {}, 'cgroup controllers', /^ok.*cpu, cpuset, hugetlb, memory, pids$/],
    ['no memory', { controllers: ['cpu', 'cpuset'] }, 'cgroup controllers', /^problem.*missing: memory;/],
    [
      'no cpuacct in version 1',
      { version: 1 },
      'cgroup controllers',
      /^problem.*missing: cpuacct;.*mount them/,
    ],
    [
      'no limits of processes',
      { controllers: ['cpu', 'cpuset', 'memory', 'hugetlb'] },
      'cgroup controllers',
      /^ok.*without pids/,
    ],
    ['one driver', {}, 'cgroup driver', /^ok cgroup driver: systemd, in the runtime/],
    [
      'two drivers',
      { runtimeDriver: 'cgroupfs' },
      'cgroup driver',
      /^warning.*the runtime uses cgroupfs; the kubelet follows/,
    ],
    ['a silent runtime', { runtimeDriver: undefined }, 'cgroup driver', /^warning.*does not say/],
    [
      'systemd where there is none',
      { hasSystemd: false },
      'cgroup driver',
      /^problem.*the runtime wants systemd.*cgroupDriver: cgroupfs/,
    ],
    [
      'cgroupfs beside systemd',
      { driver: 'cgroupfs', runtimeDriver: 'cgroupfs' },
      'cgroup driver',
      /^warning.*SystemdCgroup = true/,
    ],
  ] as const)
    it(`judges ${name}`, () => assert.match(line(judgeCgroups({ ...good, ...change }), subject), pattern));
});

describe('judgeRuntime', () => {
  const facts: RuntimeFacts = {
    name: 'containerd',
    version: '2.1',
    conditions: [{ type: 'RuntimeReady', status: true, reason: '', message: '' }],
    cgroupDriver: 'systemd',
    imageDirectories: [],
    podsOfOthers: [],
  };
  const good: FoundRuntime = {
    endpoint: 'unix:///run/x.sock',
    socket: 'open',
    facts,
    others: [],
    isRunning: false,
  };
  const pods = { ...facts, podsOfOthers: ['default/a', 'default/b', 'default/c', 'default/d'] };
  for (const [name, change, subject, pattern] of [
    ['one that is ready', {}, 'runtime', /^ok runtime: containerd 2.1 on unix:\/\/\/run\/x.sock is ready$/],
    [
      'none',
      { socket: 'ENOENT', facts: undefined },
      'runtime',
      /^problem.*nothing listens.*ENOENT.*apt-get install containerd/,
    ],
    [
      'one elsewhere',
      { socket: 'ENOENT', facts: undefined, others: ['/run/y.sock'] },
      'runtime',
      /-> set containerRuntimeEndpoint: unix:\/\/\/run\/y.sock/,
    ],
    ['one for root only', { socket: 'EACCES', facts: undefined }, 'runtime', /^problem.*may not open.*sudo/],
    [
      'one without CRI',
      { facts: { problem: 'its CRI plugin is disabled' } },
      'runtime',
      /^problem.*CRI plugin is disabled/,
    ],
    [
      'one that is not ready',
      {
        facts: {
          ...facts,
          conditions: [{ type: 'RuntimeReady', status: false, reason: 'R', message: 'shim' }],
        },
      },
      'runtime',
      /^problem.*not ready: shim/,
    ],
    [
      'pods of another kubelet',
      { facts: pods },
      'pods',
      /^warning pods: the runtime runs default\/a, default\/b, default\/c and 1 more/,
    ],
    ['its own pods', { facts: pods, isRunning: true }, 'pods', /NOT FOUND/],
  ] as const)
    it(`judges ${name}`, () => assert.match(line(judgeRuntime({ ...good, ...change }), subject), pattern));
});

describe('judgeNetwork', () => {
  const down = { status: false, reason: 'NetworkPluginNotReady', message: 'cni plugin not initialized' };
  const directory = '/etc/cni/net.d';
  const file = '/etc/cni/net.d/10-x.conflist';
  for (const [name, condition, configuration, pattern] of [
    ['a network', { ...down, status: true }, undefined, /^ok/],
    [
      'no configuration',
      down,
      undefined,
      /^problem.*cni plugin not initialized; there is no configuration in \/etc\/cni\/net.d/,
    ],
    [
      'no plugins',
      down,
      { file, missingPlugins: ['bridge'] },
      /^problem.*10-x.conflist needs bridge.*containernetworking-plugins/,
    ],
    [
      'a runtime that has not seen it',
      down,
      { file, missingPlugins: [] },
      /^problem.*10-x.conflist is there -> look at the log/,
    ],
    ['no runtime', undefined, { file, missingPlugins: [] }, /^ok.*no runtime answers/],
  ] as const)
    it(`judges ${name}`, () =>
      assert.match(show(judgeNetwork({ condition, directory, configuration })), pattern));
});

describe('judgeSwap', () => {
  for (const [swapBytes, failsOnSwap, pattern] of [
    [0, true, /^ok swap: none/],
    [2 * 1024 ** 3, false, /^ok swap: 2.0Gi, allowed/],
    [2 * 1024 ** 3, true, /^problem swap: 2.0Gi is on.*swapoff -a/],
  ] as const)
    it(`judges ${swapBytes} bytes, refused: ${failsOnSwap}`, () =>
      assert.match(show(judgeSwap({ swapBytes, failsOnSwap })), pattern));
});

describe('judgePort', () => {
  const free: PortFacts = {
    ...{ port: 10250, setting: 'port', isNeeded: true, isTaken: false },
    holder: undefined,
    ownPid: undefined,
  };
  const holder = { pid: 7, program: 'k3s' };
  for (const [name, change, pattern] of [
    ['a free one', {}, /^ok port 10250: free for port/],
    [
      'one of another process',
      { isTaken: true, holder },
      /^problem port 10250: taken by process 7 \("k3s"\).*another port/,
    ],
    ['one of a hidden process', { isTaken: true }, /^problem.*cannot be seen/],
    ['one that is not needed', { isTaken: true, holder, isNeeded: false }, /^warning.*runs without it/],
    [
      'its own',
      { isTaken: true, holder, ownPid: 7 },
      /^ok port 10250: the kubelet that runs \(pid 7\) has it/,
    ],
    ['one its kubelet has not opened', { ownPid: 7 }, /^warning.*does not listen there/],
  ] as const)
    it(`judges ${name}`, () => assert.match(show(judgePort({ ...free, ...change })), pattern));
});

describe('judgeClock', () => {
  const good: ClockFacts = {
    ...{ nowMs: NOW, hardwareMs: NOW - 900, service: 'chronyd', isSynchronised: undefined },
    builtMs: NOW - HOUR,
  };
  for (const [name, change, pattern] of [
    ['one that is set', {}, /^ok clock: 2026-06-01T00:00:00Z, set by chronyd/],
    ['one in the past', { nowMs: 0, hardwareMs: 0 }, /^problem clock: 1970-01-01T00:00:00Z cannot be right/],
    ['hardware in local time', { hardwareMs: NOW + 5.5 * HOUR + 2_000 }, /^ok/],
    ['hardware that is off', { hardwareMs: NOW - 7 * 60_000 }, /^warning.*7m away from the hardware clock/],
    ['hardware of another year', { hardwareMs: NOW - 24 * 365 * HOUR }, /^warning.*365d away/],
    ['no service', { service: undefined }, /^warning.*no time service/],
    ['a service without servers', { isSynchronised: false }, /^warning.*not synchronised/],
  ] as const)
    it(`judges ${name}`, () => assert.match(show(judgeClock({ ...good, ...change })), pattern));
});

describe('judgeKernel', () => {
  const settings = {
    ...Object.fromEntries(KERNEL_SETTINGS),
    'net/ipv4/ip_forward': 1,
    'net/bridge/bridge-nf-call-iptables': 1,
    'user/max_user_namespaces': 9,
    'fs/inotify/max_user_instances': 128,
    'fs/inotify/max_user_watches': 65_536,
    'kernel/pid_max': 32_768,
  };
  const config = { protects: false, inCluster: false, isRunning: false };
  const good: KernelFacts = { settings, fileSystems: ['overlay'], hasSeccomp: true, config };
  it('finds nothing in a good one', () =>
    assert.deepEqual([...new Set(judgeKernel(good).map(({ verdict }) => verdict))], ['ok']));
  const without = (change: object) => ({ settings: { ...settings, ...change } });
  const oom = without({ 'vm/panic_on_oom': 1 });
  const bridge = without({ 'net/bridge/bridge-nf-call-iptables': undefined });
  for (const [name, change, subject, pattern] of [
    [
      'no forwarding',
      without({ 'net/ipv4/ip_forward': 0 }),
      'ip forwarding',
      /^problem.*sysctl -w net.ipv4.ip_forward=1/,
    ],
    ['no bridge filter', bridge, 'bridged traffic', /^ok.*br_netfilter is not loaded; only Services/],
    [
      'no bridge filter in a cluster',
      { ...bridge, config: { ...config, inCluster: true } },
      'bridged traffic',
      /^warning.*modprobe br_netfilter/,
    ],
    ['no overlay', { fileSystems: ['ext4'] }, 'overlay', /^warning.*modprobe overlay/],
    [
      'no user namespaces',
      without({ 'user/max_user_namespaces': 0 }),
      'user namespaces',
      /^warning.*hostUsers: false/,
    ],
    ['no seccomp', { hasSeccomp: false }, 'seccomp', /^warning/],
    ['what will be set', oom, 'kernel settings', /^ok.*sets vm.panic_on_oom at its start/],
    [
      'what was not set',
      { ...oom, config: { ...config, isRunning: true } },
      'kernel settings',
      /^warning.*vm.panic_on_oom is 1, not 0/,
    ],
    [
      'what must not be set',
      { ...oom, config: { ...config, protects: true } },
      'kernel settings',
      /^problem.*protectKernelDefaults.*sysctl -w vm.panic_on_oom=0/,
    ],
    [
      'few watches',
      without({ 'fs/inotify/max_user_watches': 10 }),
      'inotify watches',
      /^warning inotify watches: only 10/,
    ],
    ['few processes', without({ 'kernel/pid_max': 4096 }), 'process numbers', /^warning/],
  ] as const)
    it(`judges ${name}`, () => assert.match(line(judgeKernel({ ...good, ...change }), subject), pattern));
});

describe('judgeDisk', () => {
  const GIB = 1024 ** 3;
  const usage = {
    capacityBytes: 100 * GIB,
    availableBytes: 50 * GIB,
    usedBytes: 0,
    inodes: 1000,
    inodesFree: 900,
    inodesUsed: 100,
  };
  const good: DiskFacts = {
    name: 'images',
    path: '/d',
    usage,
    isReadOnly: false,
    hard: { bytes: '15%', inodes: '5%' },
  };
  for (const [name, change, pattern] of [
    ['room', {}, /^ok disk: images: 50.0Gi free \(50 %\) at \/d, 900 inodes/],
    ['little room', { usage: { ...usage, availableBytes: 16 * GIB } }, /^warning.*near the limit of 15%/],
    [
      'no room',
      { usage: { ...usage, availableBytes: 14 * GIB } },
      /^problem.*below the limit of 15%: the kubelet evicts/,
    ],
    ['no inodes', { usage: { ...usage, inodesFree: 49 } }, /^problem.*49 of 1000 inodes free/],
    ['a file system without inodes', { usage: { ...usage, inodes: 0, inodesFree: 0 } }, /^ok/],
    [
      'no limits',
      { usage: { ...usage, availableBytes: 1 }, hard: { bytes: undefined, inodes: undefined } },
      /^ok/,
    ],
    ['a read-only one', { isReadOnly: true }, /^problem.*read-only/],
  ] as const)
    it(`judges ${name}`, () => assert.match(show(judgeDisk({ ...good, ...change })), pattern));
});

describe('judgeRootDirectory', () => {
  const at = (path: string, mode = 0o40755, userId = 0) => ({
    path,
    isDirectory: (mode & 0o40000) !== 0,
    userId,
    mode,
  });
  const judge = (path: string, ...directories: ReturnType<typeof at>[]): string =>
    show(judgeRootDirectory({ path, socketPath: `${path}/kubelet-ts/kubelet.sock`, directories }));
  it('accepts what belongs to root', () =>
    assert.match(judge('/k', at('/k'), at('/')), /^ok root directory: \/k belongs/));
  it('accepts what is made later', () =>
    assert.match(judge('/k/l', at('/k')), /^ok.*made at the first start, in \/k/));
  it('accepts a shared directory above', () =>
    assert.match(judge('/tmp/k', at('/tmp/k'), at('/tmp', 0o41777)), /^ok/));
  it('refuses another owner', () =>
    assert.match(judge('/k', at('/k', 0o40755, 5)), /^problem.*user 5.*chown root:root \/k/));
  it('refuses what others may write', () =>
    assert.match(judge('/h/k', at('/h/k'), at('/h', 0o40777)), /^problem.*\/h \(mode 777\).*chmod go-w/));
  it('refuses a file', () => assert.match(judge('/k', at('/k', 0o100644)), /^problem.*no directory/));
  it('refuses a path too long for its socket', () =>
    assert.match(judge(`/${'k'.repeat(90)}`), /^problem.*too long.*shorter --root-dir/));
});

describe('judgeCertificate', () => {
  const day = 24 * HOUR;
  const good = {
    name: 'client certificate',
    path: '/c.pem',
    notBeforeMs: NOW - day,
    notAfterMs: NOW + 90 * day,
    rotates: false,
  };
  for (const [name, facts, pattern] of [
    ['a valid one', good, /^ok client certificate: \/c.pem is valid for 90d/],
    ['one that ended', { ...good, notAfterMs: NOW - HOUR }, /^problem.*ended 60m ago -> copy a new one/],
    [
      'one that has not begun',
      { ...good, notBeforeMs: NOW + HOUR },
      /^problem.*begins in 60m: the clock of this machine is behind/,
    ],
    ['one that ends soon', { ...good, notAfterMs: NOW + day }, /^warning.*ends in 24h/],
    ['one that is renewed', { ...good, notAfterMs: NOW + day, rotates: true }, /^ok.*renewed by the kubelet/],
    [
      'none',
      { name: 'kubeconfig', path: '/k', problem: 'cannot read "/k"' },
      /^problem kubeconfig: cannot read "\/k"/,
    ],
  ] as const)
    it(`judges ${name}`, () => assert.match(show(judgeCertificate(facts, NOW)), pattern));
});

describe('judgeConfiguration', () => {
  it('lists every problem', () => {
    const found = judgeConfiguration({ from: '/c.yaml', problems: ['a', 'b'], warnings: ['w'] });
    assert.deepEqual(
      found.map(show).map((text) => text.split(' ->')[0]),
      ['problem configuration: a', 'problem configuration: b'],
    );
  });
  it('lists warnings of a good one', () => {
    const found = judgeConfiguration({ from: '/c.yaml', problems: [], warnings: ['w'] });
    assert.deepEqual(
      found.map(show).map((text) => text.split(' ->')[0]),
      ['ok configuration: /c.yaml can be used', 'warning configuration: w'],
    );
  });
});

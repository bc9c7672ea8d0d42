import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FIREWALL_RULES, type FilterRule } from '../../../core/node/iptables-chains.ts';
import { findArgumentFault, PROGRAMS } from './program-arguments.ts';

const DEVICE = '/dev/sdb';

const toCheck = (rule: FilterRule | undefined): string[] => [
  ...['-C', rule?.chain ?? '', '-t', 'filter'],
  ...(rule?.words ?? []),
];

/** How the tree calls each program: one line per shape of a call. */
const CALLS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['mount', '-t', 'nfs', '-o', 'ro,soft', '--', 'files.example:/exports', '/var/lib/kubelet/pods/u/v'],
  ['mount', '-t', 'nfs', '--', '[fd00::1]:/', '/p'],
  ['mount', '-t', 'ext4', '-o', 'context="system_u:object_r:t:s0:c1,c2",defaults', '--', DEVICE, '/p'],
  ['mount', '--no-canonicalize', '-o', 'bind', '--', '/proc/self/fd/3', '/p'],
  ['mount', '--bind', '--', '/r', '/r'],
  ['mount', '-a', '-T', '/var/lib/kubelet/kubelet-ts/mounts'],
  ['mount', '--make-rshared', '--', '/r'],
  ['umount', '--no-canonicalize', '-f', '--', '/p'],
  ['umount', '-l', '--', '/p'],
  ['losetup', '-f', '/file'],
  ['losetup', '-d', '/dev/loop0'],
  ['blkid', '-p', '-s', 'TYPE', '-s', 'PTTYPE', '-o', 'export', DEVICE],
  ['fsck', '-a', DEVICE],
  ['mkfs.ext4', '-F', '-m0', DEVICE],
  ['mkfs.xfs', '-f', DEVICE],
  ['blockdev', '--flushbufs', DEVICE],
  [
    ...(['xfs_quota', '-t', '/r/table', '-P/dev/null', '-D/dev/null', '-x', '-f', '/p', '-c'] as const),
    'project -s -p /pods/u/v 1048577',
  ],
  ['resize2fs', DEVICE],
  ['xfs_growfs', '-d', '/p'],
  ['btrfs', 'filesystem', 'resize', 'max', '/p'],
  ['multipath', '-f', '/dev/dm-1'],
  ['iscsiadm', '-m', 'iface', '-I', 'default', '-o', 'show'],
  [
    'iscsiadm',
    '-m',
    'discoverydb',
    '-t',
    'sendtargets',
    '-p',
    '[fd::1]:3260',
    '-I',
    'a:3260:pv-1',
    '--discover',
  ],
  ['iscsiadm', '-m', 'node', '-p', '10.0.0.1:3260', '-T', 'iqn.2003-01.org.example:disk', '--login'],
  [
    'iscsiadm',
    '-m',
    'node',
    '-p',
    'a:1',
    '-T',
    'iqn.x',
    '-o',
    'update',
    '-n',
    'node.session.auth.password',
    '-v',
    '-x y',
  ],
  ['iptables', '-w', '5', '-S', 'KUBE-KUBELET-CANARY', '-t', 'mangle'],
  ['iptables', '-w', '5', '-C', 'OUTPUT', '-t', 'filter', '-j', 'KUBE-FIREWALL'],
  ['iptables', '-w', '5', ...toCheck(FIREWALL_RULES.at(-1))],
  ['ip6tables', '-w', '5', '-S', 'POSTROUTING', '-t', 'nat'],
  ['iptables-restore', '-w', '5', '--noflush'],
  ['ip6tables-restore', '-w', '5', '--noflush'],
  ['flock', '-x', '-n', '3'],
  ['prlimit', '--pid=1', '--nofile=5:5'],
  ['getsubids', '-g', 'kubelet'],
  ['systemd-notify', 'READY=1'],
  [
    'journalctl',
    '--utc',
    '--no-pager',
    '--output=short-precise',
    '--since=2026-01-02 03:04:05 UTC',
    '--pager-end',
    '--lines=5',
    '--unit=kubelet',
    '--grep=a b',
    '--boot=-1',
  ],
  ['journalctl', '--field', '_SYSTEMD_UNIT'],
];

/** Text that is an option, a path to elsewhere, or more than one line. */
const HOSTILE = ['--fstab=/var/lib/kubelet/pods/u/a', '-o', '--', '', 'a\nb', 'a\0b'];

describe('findArgumentFault', () => {
  it('accepts every call of the tree, and every program of the table has one', () => {
    for (const [program, ...args] of CALLS)
      assert.equal(findArgumentFault(program, args), undefined, program);
    const called = new Set(CALLS.map(([program]) => (program.startsWith('mkfs.') ? 'mkfs' : program)));
    assert.deepEqual([...called].sort(), Object.keys(PROGRAMS).sort());
  });

  it('hostile text is no option of any program: refuses it in place of every operand', () => {
    for (const [program, ...args] of CALLS) {
      if (program === 'journalctl' || program === 'prlimit') continue;
      const last = args.length - 1;
      if (/^--|^-[a-z]/.test(args[last] ?? '')) continue;
      for (const text of HOSTILE) {
        if (args[last - 1] === '-v' && !/\n|\0/.test(text)) continue;
        const changed = args.with(last, text);
        assert.notEqual(findArgumentFault(program, changed), undefined, `${program} ${changed.join(' ')}`);
      }
    }
  });

  it('hostile values of options are refused', () => {
    const cases: readonly (readonly [program: string, ...args: string[]])[] = [
      ['mount', '-t', 'nfs', '--fstab=/x:/', '/p'],
      ['mount', '-t', 'nfs', '--', '--fstab=/x:/', '/p'],
      ['mount', '-t', '../../x', '--', DEVICE, '/p'],
      ['mount', '-t', 'fuse.sh', '--', DEVICE, '/p'],
      ['mount', '-t', 'fuse', '--', DEVICE, '/p'],
      ['mount', '-t', '--bind', '--', DEVICE, '/p'],
      ['mount', '-o', '--bind', '--', DEVICE, '/p'],
      ['mount', '-o', 'ro\nexec', '--', DEVICE, '/p'],
      ['mkfs.../../../tmp/x', DEVICE],
      ['mkfs.ext4 -F', DEVICE],
      ['/tmp/mkfs.ext4', DEVICE],
      ['mkfs.', DEVICE],
      ['iscsiadm', '-m', 'node', '-T', '--help'],
      ['iscsiadm', '-m', 'node', '-T', 'iqn.x\nnode.startup = automatic'],
      ['iscsiadm', '-m', 'node', '-p', '-P'],
      ['iscsiadm', '-m', 'node', '-I', '/etc/passwd'],
      ['iscsiadm', '-m'],
      ['journalctl', '--unit=a', '--file=/etc/shadow'],
      ['journalctl', '--unit=a/../b'],
      ['sh', '-c', 'id'],
      ['constructor'],
    ];
    for (const [program, ...args] of cases)
      assert.notEqual(findArgumentFault(program, args), undefined, `${program} ${args.join(' ')}`);
  });
});

describe('programs', () => {
  const root = new URL('../../../', import.meta.url).pathname;
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

  it('are started in one place of the tree only, without a shell', () => {
    const starters = sources.filter(({ text }) =>
      /node:child_process|node:cluster|process\.binding/.test(text),
    );
    assert.deepEqual(
      starters.map(({ path }) => path),
      ['adapters/linux/program/start-program.ts'],
    );
    assert.doesNotMatch(starters[0]?.text ?? '', /shell: true|\bexec(File)?(Sync)?\(/);
  });

  it('are started through the table, or are named by the configuration', () => {
    const users = sources.filter(({ text }) => /\b(startProgram|streamProgram)\b/.test(text));
    assert.deepEqual(users.map(({ path }) => path).sort(), [
      'adapters/linux/logs/node-log-files.ts',
      'adapters/linux/program/ask-program.ts',
      'adapters/linux/program/run-program.ts',
      'adapters/linux/program/start-program.ts',
      'adapters/volume/flex/flex-executable.ts',
    ]);
    const askers = sources.filter(({ text }) => /\baskProgram\(/.test(text));
    assert.deepEqual(askers.map(({ path }) => path).sort(), [
      'adapters/kube/credentials/exec-plugin.ts',
      'adapters/linux/program/ask-program.ts',
      'adapters/linux/program/credential-plugin-runner.ts',
    ]);
  });

  it('that a source names are in the table', () => {
    const named = sources.flatMap(({ text }) =>
      [...text.matchAll(/(?<!#flight\.)\b(?:run|runProgram|#run|#program)\(\s*'([\w.-]+)'/g)].map(
        ([, name]) => name ?? '',
      ),
    );
    assert.ok(named.length >= 13, `only ${named.length} calls found`);
    for (const name of named) assert.ok(Object.hasOwn(PROGRAMS, name), `${name} is not in the table`);
  });
});

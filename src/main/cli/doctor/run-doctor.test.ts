import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { NO_USAGE } from '../../../core/volume/volume-usage.ts';
import { parseCliArguments } from '../../config/cli/cli-arguments.ts';
import { toKubeletFlags } from './doctor-settings.ts';
import type { Finding } from './finding.ts';
import type { MachineView } from './machine-view.ts';
import { parsePluginTypes } from './read-places.ts';
import { runDoctor } from './run-doctor.ts';

const NOW = Date.UTC(2026, 5, 1);
const ESC = '\x1b';
const OBEYED = /[^ -~\n→’…]/;
const withoutColours = (text: string): string => text.replaceAll(new RegExp(`${ESC}\\[\\d+m`, 'g'), '');

describe('runDoctor', () => {
  let root: string;
  let machine: MachineView;
  let clock: FakeClock;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'kts-'));
    clock = new FakeClock({ startMs: NOW });
    machine = {
      ...{ root, userId: 0, clock },
      trySocket: async () => 'open',
      inspectRuntime: async () => ({
        name: `cont${ESC}[2Jainerd`,
        version: '2.1',
        conditions: [
          { type: 'NetworkReady', status: false, reason: 'R', message: 'cni\nok       forged: line' },
        ],
        cgroupDriver: 'cgroupfs',
        imageDirectories: [root],
        podsOfOthers: [],
      }),
      readUsage: async () => NO_USAGE,
    };
    await put('proc/self/mountinfo', '1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n');
    await put('sys/fs/cgroup/cgroup.controllers', 'cpu cpuset memory pids\n');
    await put('proc/meminfo', 'MemTotal: 100 kB\nSwapTotal: 2097152 kB\n');
    await put('proc/sys/net/ipv4/ip_forward', '0\n');
    await put('proc/net/tcp', '  0: 0100007F:2808 00000000:0000 0A 0:0 0:0 0 0 0 77 1\n');
    await put('proc/7/comm', 'chronyd\n');
  });
  afterEach(() => rm(root, { recursive: true }));

  async function put(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }

  function start(argv: readonly string[], terminal?: number) {
    const asked = parseCliArguments('doctor', [`--root-dir=${root}/k`, ...argv]);
    assert.equal(asked.kind, 'command');
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    if (terminal !== undefined) Object.assign(stdout, { isTTY: true, columns: terminal });
    const host = {
      ...{ stdin: new PassThrough(), stdout, stderr, env: { PATH: '/usr/bin:/bin:/sbin:/usr/sbin' } },
      now: () => NOW,
      findRunning: async () => [],
      listProcesses: async () => [],
      signal: new AbortController().signal,
    };
    if (asked.kind !== 'command') throw new Error('no command');
    const ended = runDoctor(asked, host, machine);
    const read = (stream: PassThrough): string => String(stream.read() ?? '');
    return ended.then((exitCode) => ({ exitCode, out: read(stdout), err: read(stderr) }));
  }

  it('prints one plain line for each thing in a pipe, and exits with 1 when there is a problem', async () => {
    const { exitCode, out, err } = await start([]);
    assert.equal(exitCode, 1);
    assert.match(
      out,
      /^problem {2}swap: 2.0Gi is on, and the kubelet refuses to start; to mend it: turn it off \(swapoff -a/m,
    );
    assert.match(out, /^ok {7}cgroup version: version 2$/m);
    assert.match(out, /^problem {2}ip forwarding: off/m);
    assert.match(out, /^ok {7}clock: 2026-06-01T00:00:00Z, set by chronyd$/m);
    assert.match(out, /^warning {2}port 10248: taken by a process that cannot be seen from here/m);
    assert.match(err, /^\d+ problems, \d+ warnings?, \d+ well\.\n$/);
  });

  it('shows hostile text of a runtime, and does not obey it', async () => {
    for (const terminal of [undefined, 100]) {
      const { out } = await start([], terminal);
      const plain = withoutColours(out);
      assert.doesNotMatch(plain, OBEYED);
      assert.match(plain.replaceAll(/\n +/g, ' '), /cont\^\[\[2Jainerd/);
      assert.doesNotMatch(plain, /^ok {7}forged/m);
    }
  });

  it('is coloured on a terminal and stays within its width', async () => {
    const { out } = await start([], 90);
    assert.ok(out.includes(`${ESC}[31mproblem${ESC}[0m`));
    assert.ok(out.includes(`${ESC}[32mok${ESC}[0m     `));
    assert.match(withoutColours(out), /→ turn it off/);
    assert.ok(out.includes(`${ESC}[1mcgroup version${ESC}[0m`));
    const plain = withoutColours(out);
    const long = plain.split('\n').filter((text) => text.length > 90 && !text.includes(root));
    assert.deepEqual(long, []);
  });

  it('prints a document with -o json', async () => {
    const { exitCode, out } = await start(['-o', 'json']);
    const { healthy, findings } = JSON.parse(out) as { healthy: boolean; findings: Finding[] };
    assert.deepEqual([exitCode, healthy], [1, false]);
    assert.ok(
      findings.some(
        ({ subject, verdict, mend }) => subject === 'swap' && verdict === 'problem' && mend !== undefined,
      ),
    );
  });

  it('looks on with defaults when the configuration is wrong', async () => {
    await put(
      'c.yaml',
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: -1\nfailSwapOn: false\n',
    );
    const { out } = await start([`--config=${root}/c.yaml`]);
    assert.match(out, /^problem {2}configuration: .*maxPods/m);
    assert.match(out, /^problem {2}swap:/m);
  });

  it('follows the configuration that is named', async () => {
    await put(
      'c.yaml',
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nfailSwapOn: false\nhealthzPort: 0\nauthentication: {webhook: {enabled: false}}\nauthorization: {mode: AlwaysAllow}\n',
    );
    const { out } = await start([`--config=${root}/c.yaml`]);
    assert.match(out, /^ok {7}swap: 2.0Gi, allowed/m);
    assert.doesNotMatch(out, /port 10248/);
  });

  it('does not wait for a configuration that is no file', async () => {
    const { out } = await start([`--config=${root}`]);
    assert.match(out, /^problem {2}configuration: cannot read .*not a regular file/m);
  });

  it('names certificates that have ended or cannot be read', async () => {
    await put('kc', 'apiVersion: v1\nkind: Config\ncurrent-context: nowhere\n');
    const { out } = await start([`--kubeconfig=${root}/kc`]);
    assert.match(out, /^problem {2}kubeconfig: .*nowhere/m);
  });

  it('goes on when a check gets no answer, and says so', async () => {
    machine = {
      ...machine,
      inspectRuntime: () => new Promise(() => {}),
      readUsage: () => new Promise(() => {}),
    };
    const ended = start([]);
    // Those that need the runtime or the disks: all others have ended by then.
    while (clock.pendingTimers !== 4) await new Promise(setImmediate);
    await clock.advance(20_000);
    const { exitCode, out } = await ended;
    assert.equal(exitCode, 1);
    assert.match(out, /^problem {2}runtime: cannot be looked at: no answer within 15s/m);
    assert.match(out, /^ok {7}clock:/m);
  });

  it('writes nothing', async () => {
    const before = await readdir(root, { recursive: true });
    await start([]);
    assert.deepEqual(await readdir(root, { recursive: true }), before);
  });
});

describe('toKubeletFlags', () => {
  it('are behind the script that Node runs', () =>
    assert.deepEqual(toKubeletFlags('node\0--no-sparkplug\0/k/start.cjs\0--config=a\0--v=2\0'), [
      '--config=a',
      '--v=2',
    ]));
  it('are all arguments of a program', () =>
    assert.deepEqual(toKubeletFlags('/usr/bin/kubelet\0--config=a\0'), ['--config=a']));
});

describe('parsePluginTypes', () => {
  for (const [text, types] of [
    [
      '{"plugins":[{"type":"bridge","ipam":{"type":"host-local"}},{"type":"portmap"}]}',
      ['bridge', 'host-local', 'portmap'],
    ],
    ['{"type":"macvlan"}', ['macvlan']],
    ['{"plugins":[{"type":"../../bin/sh"},{"type":7},null]}', []],
    ['no json', []],
  ] as const)
    it(`reads ${text}`, () => assert.deepEqual(parsePluginTypes(text), types));
});

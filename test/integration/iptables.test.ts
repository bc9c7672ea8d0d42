/** The iptables chains of a node in a network of their own, with the programs of nft and legacy tables. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Iptables } from '../../src/adapters/linux/machine/iptables.ts';
import { SystemClock } from '../../src/adapters/linux/machine/system-clock.ts';
import { keepIptablesChains } from '../../src/main/process/keep-iptables-chains.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { silentLogger } from '../fakes/text-logger.ts';

const run = promisify(execFile);
const CANARY = ':KUBE-KUBELET-CANARY - [0:0]';
const JUMP = '-j KUBE-FIREWALL';
const NAMES = ['iptables', 'iptables-restore', 'ip6tables', 'ip6tables-restore'];
/** For a dozen programs, each of which waits for its turn on a busy machine. */
const PATIENCE_MS = 120_000;
const real = new SystemClock();

/** A network namespace, and a directory with the programs of one kind that work in it and are counted. */
class OwnNetwork {
  readonly #kind: 'nft' | 'legacy';
  readonly #holder: ChildProcess;
  readonly #directory: string;
  #path: string | undefined;

  private constructor(kind: 'nft' | 'legacy', holder: ChildProcess, directory: string) {
    this.#kind = kind;
    this.#holder = holder;
    this.#directory = directory;
  }

  static async make(kind: 'nft' | 'legacy'): Promise<OwnNetwork> {
    const holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
    const network = new OwnNetwork(kind, holder, await mkdtemp(join(tmpdir(), 'iptables-')));
    while (!(await network.#isApart())) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const name of NAMES) {
      const program = name.replace('tables', `tables-${kind}`);
      const script = `#!/bin/sh\necho "${name} $*" >>${network.#directory}/calls\nexec nsenter --net=/proc/${holder.pid}/ns/net ${program} "$@"\n`;
      await writeFile(join(network.#directory, name), script, { mode: 0o755 });
    }
    await writeFile(join(network.#directory, 'calls'), '');
    network.#path = process.env['PATH'];
    process.env['PATH'] = `${network.#directory}:${network.#path}`;
    return network;
  }

  async #isApart(): Promise<boolean> {
    const { stdout } = await run('readlink', ['/proc/self/ns/net', `/proc/${this.#holder.pid}/ns/net`]);
    const [own, other] = stdout.split('\n');
    return own !== other;
  }

  /** The words of one of its programs. */
  async ask(program: string, ...args: string[]): Promise<string> {
    const name = program.replace('tables', `tables-${this.#kind}`);
    const { stdout } = await run('nsenter', [`--net=/proc/${this.#holder.pid}/ns/net`, name, ...args]);
    return stdout;
  }

  async takeCalls(): Promise<string[]> {
    const file = join(this.#directory, 'calls');
    const text = await readFile(file, 'utf8');
    await writeFile(file, '');
    return text.split('\n').filter((line) => line !== '');
  }

  async dispose(): Promise<void> {
    process.env['PATH'] = this.#path;
    this.#holder.kill('SIGKILL');
    await rm(this.#directory, { recursive: true });
  }
}

for (const kind of ['nft', 'legacy'] as const) {
  describe(`iptables chains in ${kind} tables`, () => {
    let network: OwnNetwork;
    before(async () => {
      network = await OwnNetwork.make(kind);
    });
    after(() => network.dispose());

    const stop = new AbortController();

    it('are made for both families, and again after a flush, by few programs', async () => {
      const clock = new FakeClock();
      const running = keepIptablesChains({ clock, logger: silentLogger }, stop.signal);
      const seen = async (program: string): Promise<string> => {
        const deadlineMs = real.now() + PATIENCE_MS;
        let text = '';
        while (real.now() < deadlineMs) {
          text = await network.ask(`${program}-save`);
          if (text.split(CANARY).length === 4) return text;
          await clock.advance(10_000);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return text;
      };
      for (const program of ['iptables', 'ip6tables']) {
        const text = await seen(program);
        assert.equal(text.split(CANARY).length, 4, text);
        assert.match(text, /:KUBE-IPTABLES-HINT - \[0:0\]/);
        assert.equal(text.split(JUMP).length, program === 'iptables' ? 3 : 1, text);
      }
      const rule =
        /-A KUBE-FIREWALL ! -s 127\.0\.0\.0\/8 -d 127\.0\.0\.0\/8 -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP/;
      assert.match(await network.ask('iptables-save', '-t', 'filter'), rule);
      for (const table of ['filter', 'nat', 'mangle']) {
        await network.ask('iptables', '-t', table, '-F');
        await network.ask('iptables', '-t', table, '-X');
      }
      assert.doesNotMatch(await network.ask('iptables-save'), /KUBE/);
      assert.match(await seen('iptables'), rule);
      stop.abort();
      await running;
    });

    it('leave rules of others and their own where they are', async () => {
      await network.ask('iptables', '-A', 'KUBE-FIREWALL', '-j', 'RETURN');
      await network.ask('iptables', '-D', 'INPUT', '-j', 'KUBE-FIREWALL');
      await network.takeCalls();
      const signal = new AbortController().signal;
      const tables = new Iptables('IPv4');
      await tables.makeChains(signal);
      await tables.makeChains(signal);
      const text = await network.ask('iptables-save', '-t', 'filter');
      assert.equal(text.split('-j DROP').length, 2, text);
      assert.equal(text.split('-A KUBE-FIREWALL -j RETURN').length, 2, text);
      assert.equal(text.split(JUMP).length, 3, text);
      const calls = await network.takeCalls();
      assert.equal(calls.filter((call) => call.startsWith('iptables-restore')).length, 2, calls.join('\n'));
    });

    it('know that a family is there, and when a canary is gone', async () => {
      const signal = new AbortController().signal;
      const tables = new Iptables('IPv6');
      assert.equal(await tables.isSupported(signal), true);
      assert.equal(await tables.hasChain('nat', 'KUBE-KUBELET-CANARY', signal), true);
      assert.equal(await tables.hasChain('nat', 'KUBE-ABSENT', signal), false);
    });
  });
}

describe('iptables chains without the programs', () => {
  it('are not there, and nothing fails', async () => {
    const path = process.env['PATH'];
    const directory = await mkdtemp(join(tmpdir(), 'no-iptables-'));
    process.env['PATH'] = directory;
    try {
      const signal = new AbortController().signal;
      assert.equal(await new Iptables('IPv4').isSupported(signal), false);
      await keepIptablesChains({ clock: new FakeClock(), logger: silentLogger }, signal);
    } finally {
      process.env['PATH'] = path;
      await rm(directory, { recursive: true });
    }
  });
});

/**
 * Packets between the kubelet and the API server vanish, as behind a broken
 * switch: no reset, no refusal. The kubelet's connections are distinguished from
 * all others on this host by a group that only this process has; their
 * packets are marked and, while the hole is open, dropped in both directions.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A group that nothing else has. */
const GROUP = '64123';
const MARK = '0x6b747300';
const CHAIN = 'kubelet-ts-hole';

/** Makes the command that follows one whose connections can be cut. */
export const CUTTABLE: readonly string[] = ['/usr/bin/setpriv', `--groups=0,${GROUP}`];

const OF_GROUP = ['-p', 'tcp', '-m', 'owner', '--gid-owner', GROUP, '--suppl-groups'];
const MARKED = ['-m', 'connmark', '--mark', MARK];

/** Marks the connections of CUTTABLE programs to a port; dispose it to remove every trace. */
export class BlackHole implements AsyncDisposable {
  readonly #port: string;

  private constructor(port: string) {
    this.#port = port;
  }

  static async prepare(port: string): Promise<BlackHole> {
    const hole = new BlackHole(port);
    await hole[Symbol.asyncDispose]();
    await iptables('-t', 'mangle', '-N', CHAIN);
    await iptables('-t', 'mangle', '-A', CHAIN, ...hole.#match(), '-j', 'CONNMARK', '--set-mark', MARK);
    await iptables('-t', 'mangle', '-I', 'OUTPUT', '-j', CHAIN);
    return hole;
  }

  async open(): Promise<void> {
    await iptables('-I', 'OUTPUT', ...MARKED, '-j', 'DROP');
  }

  async close(): Promise<void> {
    await iptables('-D', 'OUTPUT', ...MARKED, '-j', 'DROP');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const removals = [
      ['-D', 'OUTPUT', ...MARKED, '-j', 'DROP'],
      ['-t', 'mangle', '-D', 'OUTPUT', '-j', CHAIN],
      ['-t', 'mangle', '-F', CHAIN],
      ['-t', 'mangle', '-X', CHAIN],
    ];
    // What is not there need not go.
    for (const removal of removals) await iptables(...removal).catch(() => {});
  }

  #match(): string[] {
    return [...OF_GROUP, '--dport', this.#port];
  }
}

async function iptables(...args: readonly string[]): Promise<void> {
  await run('iptables', ['-w', '10', ...args]);
}

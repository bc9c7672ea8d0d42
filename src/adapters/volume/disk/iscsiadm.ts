/**
 * The calls of iscsiadm(8) and multipath(8) that connect a node to a target.
 * Secret values are arguments of a program for a moment, as upstream has it;
 * they are in no message.
 */
import { AgentError } from '../../../base/errors.ts';
import type { ChapUse, IscsiDisk } from '../../../core/volume/disk/iscsi-disk.ts';
import { ProgramExit, runProgram } from '../../linux/program/run-program.ts';

/** What iscsiadm says when there is no such session or record. */
const NOTHING_THERE: ReadonlySet<number> = new Set([2, 21]);
const SESSION_EXISTS = 15;

const SIDES = ['username', 'password', 'username_in', 'password_in'] as const;

type Signal = AbortSignal | undefined;

export class Iscsiadm {
  readonly #program: typeof runProgram;

  constructor(run: typeof runProgram = runProgram) {
    this.#program = run;
  }

  /** Such as `tcp`; undefined when the interface does not report it. Rejects with AgentError. */
  async readTransport(name: string, signal: Signal): Promise<string | undefined> {
    const text = await this.#run(['-m', 'iface', '-I', name, '-o', 'show'], 'read iface', name, signal);
    const found = /^iface\.transport_name = (.*)$/m.exec(text)?.[1]?.trim();
    return found === '<empty>' ? 'tcp' : found || undefined;
  }

  /** A copy of the node's interface with the volume's initiator. Rejects with AgentError. */
  async cloneInterface(disk: IscsiDisk, signal: Signal): Promise<void> {
    const { baseInterface, interface: own, initiatorName } = disk;
    const text = await this.#run(
      ['-m', 'iface', '-I', baseInterface, '-o', 'show'],
      'read iface',
      own,
      signal,
    );
    const settings = new Map<string, string>();
    for (const line of text.split('\n')) {
      const [, key, value] = /^(iface\.\S+) = (\S+)$/.exec(line) ?? [];
      if (key === undefined || value === undefined || value === '<empty>') continue;
      if (key !== 'iface.iscsi_ifacename') settings.set(key, value);
    }
    settings.set('iface.initiatorname', initiatorName);
    await this.#run(['-m', 'iface', '-I', own, '-o', 'new'], 'make iface', own, signal, [SESSION_EXISTS]);
    try {
      for (const [key, value] of [...settings].sort(([a], [b]) => (a < b ? -1 : 1)))
        await this.#run(
          ['-m', 'iface', '-I', own, '-o', 'update', '-n', key, '-v', value],
          'set up iface',
          own,
          signal,
        );
    } catch (error) {
      await this.deleteInterface(own, signal);
      throw error;
    }
  }

  /** Best effort. */
  async deleteInterface(name: string, signal: Signal): Promise<void> {
    await this.#tolerate(['-m', 'iface', '-I', name, '-o', 'delete'], 'delete iface', name, signal);
  }

  /** Finds the target behind the portal and opens a session. Rejects with AgentError. */
  async logIn(disk: IscsiDisk, portal: string, chap: ChapUse, signal: Signal): Promise<void> {
    const { iqn, interface: used } = disk;
    const discovery = ['-m', 'discoverydb', '-t', 'sendtargets', '-p', portal, '-I', used];
    await this.#tolerate([...discovery, '-o', 'new'], 'note portal', portal, signal);
    if (chap.discovery)
      await this.#setChap(discovery, 'discovery.sendtargets.auth', chap, `portal ${portal}`, signal);
    try {
      await this.#run([...discovery, '--discover'], 'sendtargets to portal', portal, signal);
    } catch (error) {
      await this.#tolerate([...discovery, '-o', 'delete'], 'forget portal', portal, signal);
      throw error;
    }
    const node = ['-m', 'node', '-p', portal, '-T', iqn, '-I', used];
    if (chap.session) await this.#setChap(node, 'node.session.auth', chap, `target ${iqn}`, signal);
    // Only the number that is wanted is asked for; old versions do not know the setting.
    await this.#tolerate(
      [...node, '-o', 'update', '-n', 'node.session.scan', '-v', 'manual'],
      'set up',
      iqn,
      signal,
    );
    try {
      await this.#run([...node, '--login'], 'attach disk of', iqn, signal);
    } catch (error) {
      await this.#tolerate([...node, '-o', 'delete'], 'forget', iqn, signal);
      throw error;
    }
    // A boot must not wait for it.
    const startup = [
      '-m',
      'node',
      '-p',
      portal,
      '-T',
      iqn,
      '-o',
      'update',
      '-n',
      'node.startup',
      '-v',
      'manual',
    ];
    await this.#tolerate(startup, 'set up', iqn, signal);
  }

  /** No such session is success. Rejects with AgentError. */
  async logOut({ iqn, interface: used }: IscsiDisk, portal: string, signal: Signal): Promise<void> {
    const node = ['-m', 'node', '-p', portal, '-T', iqn];
    await this.#run([...node, '--logout', '-I', used], 'log out of', iqn, signal, NOTHING_THERE);
    await this.#run([...node, '-o', 'delete', '-I', used], 'forget', iqn, signal, NOTHING_THERE);
  }

  /** Best effort. */
  async flushMultipath(device: string, signal: Signal): Promise<void> {
    await ignoreFailure(
      this.#program('multipath', ['-f', device], 'flush multipath device', device, { signal }),
    );
  }

  async #setChap(
    base: readonly string[],
    prefix: string,
    { values }: ChapUse,
    what: string,
    signal: Signal,
  ): Promise<void> {
    const set = (key: string, value: string): Promise<string> =>
      this.#run([...base, '-o', 'update', '-n', key, '-v', value], `set ${key} of`, what, signal);
    await set(`${prefix}.authmethod`, 'CHAP');
    for (const side of SIDES) {
      const value = values[`${prefix}.${side}`];
      if (value) await set(`${prefix}.${side}`, value);
    }
  }

  async #tolerate(args: readonly string[], action: string, target: string, signal: Signal): Promise<void> {
    await ignoreFailure(this.#run(args, action, target, signal));
  }

  async #run(
    args: readonly string[],
    action: string,
    target: string,
    signal: Signal,
    allowed: Iterable<number> = [],
  ): Promise<string> {
    try {
      return await this.#program('iscsiadm', args, `${action}`, target, { signal });
    } catch (error) {
      const status =
        error instanceof AgentError && error.cause instanceof ProgramExit ? error.cause.status : undefined;
      if (status !== undefined && [...allowed].includes(status)) return '';
      throw error;
    }
  }
}

async function ignoreFailure(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
  }
}

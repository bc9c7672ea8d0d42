/**
 * Mounts through the host's mount(8) and umount(8), started with an argument
 * list and never through a shell. What is mounted is read from the kernel's
 * table, which is the truth after a crash as well.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { AgentError, type AgentErrorCode, errorText } from '../../base/errors.ts';
import type { Mounter, MountRequest } from '../../ports/mounter.ts';
import { hasErrno, toHostError } from './host-error.ts';
import { findMountsBelow, parseMountinfo } from './mountinfo.ts';

/** Longer output is cut: it goes into messages. */
const MAX_OUTPUT = 2_000;
/** The descriptor's number in the child: the first after stdin, stdout and stderr. */
const PASSED = 3;
/** A call into a dead file server cannot be killed; nobody waits longer than this for it. */
const UNKILLABLE_MS = 2_000;

export interface LinuxMounterParts {
  readonly readMounts?: () => Promise<string>;
}

export class LinuxMounter implements Mounter {
  readonly #readMounts: () => Promise<string>;

  constructor({ readMounts = () => readFile('/proc/self/mountinfo', 'utf8') }: LinuxMounterParts = {}) {
    this.#readMounts = readMounts;
  }

  async mountsBelow(path: string): Promise<string[]> {
    try {
      // The table knows places by their real names only.
      const real = await realpath(path);
      const found = findMountsBelow(parseMountinfo(await this.#readMounts()), real);
      return found.map((mount) => path + mount.slice(real.length));
    } catch (error) {
      if (hasErrno(error, 'ENOENT')) return [];
      throw toHostError('look for mounts below', path, error);
    }
  }

  async mount({ fsType, source, target, options }: MountRequest, signal?: AbortSignal): Promise<void> {
    const list = options.length > 0 ? ['-o', options.join(',')] : [];
    await run('mount', ['-t', fsType, ...list, source, target], `mount ${fsType} at`, target, { signal });
  }

  async bind(descriptor: number, target: string, signal?: AbortSignal): Promise<void> {
    // Without the flag mount(8) would turn the descriptor back into a name, which may lead elsewhere by now.
    const args = ['--no-canonicalize', '-o', 'bind', `/proc/self/fd/${PASSED}`, target];
    await run('mount', args, 'bind', target, { descriptor, signal });
  }

  async unmount(target: string, signal?: AbortSignal): Promise<void> {
    try {
      await run('umount', [target], 'unmount', target, { signal });
    } catch (error) {
      const gone = (await this.mountsBelow(target)).every((path) => path !== target);
      if (!gone || signal?.aborted) throw error;
    }
  }
}

interface RunOptions {
  readonly descriptor?: number;
  readonly signal?: AbortSignal | undefined;
}

type ProgramEnd = number | NodeJS.Signals | null;

/** Rejects with AgentError unless the program ends with 0. */
async function run(
  program: string,
  args: readonly string[],
  action: string,
  target: string,
  { descriptor, signal }: RunOptions,
): Promise<void> {
  if (signal?.aborted) throw new AgentError('cancelled', describe(action, target, 'no longer wanted'));
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe', ...(descriptor === undefined ? [] : [descriptor])],
    // The words of its messages are matched below.
    env: { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
  });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(0, MAX_OUTPUT);
  });
  let end: ProgramEnd;
  try {
    end = await waitForEnd(child, signal);
  } catch (error) {
    throw new AgentError('failed-precondition', describe(action, target, errorText(error)), { cause: error });
  }
  if (end === 0) return;
  if (signal?.aborted) throw new AgentError('cancelled', describe(action, target, 'no longer wanted'));
  const why = output.trim().replaceAll('\n', '; ') || `${program} ended with ${end}`;
  throw new AgentError(toCode(why), describe(action, target, why));
}

/**
 * A program that is no longer wanted is killed, but its end is waited for: a
 * mount that appears after everybody has looked would be found by nobody. One
 * that cannot even be killed is left to the kernel.
 */
async function waitForEnd(child: ChildProcess, signal: AbortSignal | undefined): Promise<ProgramEnd> {
  const ended = Promise.withResolvers<ProgramEnd>();
  let patience: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    child.kill('SIGKILL');
    patience = setTimeout(() => ended.resolve('SIGKILL'), UNKILLABLE_MS);
  };
  child.on('error', ended.reject).on('close', (code, killedBy) => ended.resolve(code ?? killedBy));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await ended.promise;
  } finally {
    clearTimeout(patience);
    signal?.removeEventListener('abort', onAbort);
  }
}

function describe(action: string, target: string, why: string): string {
  return `cannot ${action} ${JSON.stringify(target)}: ${why}`;
}

function toCode(output: string): AgentErrorCode {
  if (/permission denied|must be superuser|not permitted/i.test(output)) return 'permission-denied';
  return /busy/i.test(output) ? 'unavailable' : 'unknown';
}

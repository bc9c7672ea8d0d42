/**
 * Programs of the host, started with an argument list and never through a
 * shell. One that is no longer wanted is killed and its end waited for.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { AgentError, type AgentErrorCode, errorText } from '../../../base/errors.ts';
import { onAbort } from '../../../base/on-abort.ts';

/** Longer output is cut: it goes into messages. */
const MAX_OUTPUT = 2_000;
/** The descriptor's number in the program: the first after stdin, stdout and stderr. */
export const PASSED_DESCRIPTOR = 3;
/** A call into a dead file server cannot be killed; nobody waits longer than this for it. */
const UNKILLABLE_MS = 2_000;

/** The cause of the error of a program that ended by itself. */
export class ProgramExit extends Error {
  override readonly name = 'ProgramExit';
  readonly status: number;

  constructor(status: number) {
    super(`exit status ${status}`);
    this.status = status;
  }
}

export interface RunOptions {
  readonly descriptor?: number;
  readonly signal?: AbortSignal | undefined;
  /** Beside what every program gets. */
  readonly env?: Readonly<Record<string, string>>;
}

type ProgramEnd = number | NodeJS.Signals | null;

/**
 * The text it prints. Rejects with AgentError unless it ends with 0; the
 * message is `cannot <action> "<target>": <what it complained>`.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  action: string,
  target: string,
  { descriptor, signal, env = {} }: RunOptions = {},
): Promise<string> {
  if (signal?.aborted) throw new AgentError('cancelled', describe(action, target, 'no longer wanted'));
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe', ...(descriptor === undefined ? [] : [descriptor])],
    // The words of its messages are matched below.
    env: { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', ...env },
  });
  let printed = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(0, MAX_OUTPUT);
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
  if (end === 0) return printed;
  if (signal?.aborted) throw new AgentError('cancelled', describe(action, target, 'no longer wanted'));
  const why = output.trim().replaceAll('\n', '; ') || `${program} ended with ${end}`;
  const cause = typeof end === 'number' ? new ProgramExit(end) : undefined;
  throw new AgentError(toCode(why), describe(action, target, why), { cause });
}

/**
 * A program that is no longer wanted is killed, but its end is waited for: a
 * mount that appears after everybody has looked would be found by nobody. One
 * that cannot even be killed is left to the kernel.
 */
async function waitForEnd(child: ChildProcess, signal: AbortSignal | undefined): Promise<ProgramEnd> {
  const ended = Promise.withResolvers<ProgramEnd>();
  let patience: NodeJS.Timeout | undefined;
  const kill = (): void => {
    child.kill('SIGKILL');
    patience = setTimeout(() => ended.resolve('SIGKILL'), UNKILLABLE_MS);
  };
  child.on('error', ended.reject).on('close', (code, killedBy) => ended.resolve(code ?? killedBy));
  using _listening = onAbort(signal, kill);
  try {
    return await ended.promise;
  } finally {
    clearTimeout(patience);
  }
}

function describe(action: string, target: string, why: string): string {
  return `cannot ${action} ${JSON.stringify(target)}: ${why}`;
}

function toCode(output: string): AgentErrorCode {
  if (/permission denied|must be superuser|not permitted/i.test(output)) return 'permission-denied';
  return /busy/i.test(output) ? 'unavailable' : 'unknown';
}

/**
 * The one place of the tree that starts programs. Policy for all of them:
 * an argument list and never a shell; an environment that the caller writes
 * out, nothing inherited; output that is cut at a limit; a group of its own,
 * which is killed as a whole when a deadline or a signal says so, helpers of
 * mount(8) and children of scripts included.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import type { Clock } from '../../../base/async/clock.ts';
import { onAbort } from '../../../base/async/on-abort.ts';

/** A call into a dead file server cannot be killed; callers wait at most this long for it. */
const UNKILLABLE_MS = 2_000;
const PLAIN_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  /** All that it gets. */
  readonly env: NodeJS.ProcessEnv;
  /** Its standard input; nothing when absent. */
  readonly input?: string | undefined;
  /** An open file that it gets under {@link PASSED_DESCRIPTOR}. */
  readonly descriptor?: number | undefined;
  /** Of each of its outputs; what is more is read and dropped. */
  readonly maxOutputBytes: number;
  /** Both outputs in the order they come, as `stdout`. */
  readonly mergesOutput?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly deadline?: ProgramDeadline | undefined;
}

export interface ProgramDeadline {
  readonly clock: Pick<Clock, 'startTimer'>;
  readonly ms: number;
}

export interface ProgramEnd {
  /** Its status, what killed it, or why it was not started. */
  readonly how:
    | { readonly kind: 'exited'; readonly status: number }
    | { readonly kind: 'killed'; readonly by: NodeJS.Signals; readonly isLate: boolean }
    | { readonly kind: 'not-started'; readonly error: Error };
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly isCut: boolean;
}

/** The descriptor's number in the program: the first after stdin, stdout and stderr. */
export const PASSED_DESCRIPTOR = 3;

/** What programs of the host get: where programs are, and messages in the words we match. */
export function plainEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? PLAIN_PATH, LC_ALL: 'C' };
}

/**
 * Runs it to its end. Never rejects. One that is no longer wanted is killed,
 * but its end is waited for: a mount that appears after the last check would
 * never be found. One that cannot even be killed is left to the kernel.
 */
export async function startProgram(start: ProgramStart): Promise<ProgramEnd> {
  if (start.signal?.aborted) return withoutOutput({ kind: 'killed', by: 'SIGKILL', isLate: false });
  const child = spawnQuietly(start);
  if (child instanceof Error) return withoutOutput({ kind: 'not-started', error: child });
  const stdout = new Output(start.maxOutputBytes);
  const stderr = start.mergesOutput === true ? stdout : new Output(start.maxOutputBytes);
  child.stdout?.on('data', (chunk: Buffer) => stdout.take(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.take(chunk));
  // A program that does not read its input is no error by itself.
  child.stdin?.on('error', () => {});
  child.stdin?.end(start.input);
  const how = await waitForEnd(child, start);
  return { how, stdout: stdout.bytes(), stderr: stderr.bytes(), isCut: stdout.isCut };
}

/** What it prints, errors included, as it comes. Rejects with the error of a start that failed. */
export async function* streamProgram(
  start: Omit<ProgramStart, 'maxOutputBytes' | 'input' | 'descriptor' | 'mergesOutput' | 'deadline'>,
): AsyncGenerator<Uint8Array> {
  const child = spawnQuietly(start);
  if (child instanceof Error) throw child;
  const output = new PassThrough();
  using _listening = onAbort(start.signal, () => killGroup(child));
  child.stdout?.pipe(output, { end: false });
  child.stderr?.pipe(output, { end: false });
  let isOver = false;
  child.once('error', (error) => output.destroy(error));
  child.once('close', () => {
    isOver = true;
    output.end();
  });
  try {
    yield* output.iterator() as AsyncIterable<Buffer>;
  } finally {
    // A reader that stops reading ends it; the pid of one that has ended may be another's by now.
    if (!isOver) killGroup(child);
  }
}

class Output {
  readonly #limit: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  isCut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(chunk: Buffer): void {
    const room = this.#limit - this.#size;
    if (chunk.length > room) this.isCut = true;
    if (room <= 0) return;
    this.#chunks.push(chunk.subarray(0, room));
    this.#size += Math.min(room, chunk.length);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** Text with a zero byte, for one, is refused by Node itself, at once. */
function spawnQuietly({
  program,
  args,
  env,
  input,
  descriptor,
}: Pick<ProgramStart, 'program' | 'args' | 'env' | 'input' | 'descriptor'>): ChildProcess | Error {
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const passed = descriptor === undefined ? [] : [descriptor];
  const options: SpawnOptions = {
    stdio: [stdin, 'pipe', 'pipe', ...passed],
    env,
    detached: true,
    shell: false,
  };
  try {
    return spawn(program, [...args], options);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function waitForEnd(
  child: ChildProcess,
  { signal, deadline }: ProgramStart,
): Promise<ProgramEnd['how']> {
  const ended = Promise.withResolvers<ProgramEnd['how']>();
  let isLate = false;
  let patience: NodeJS.Timeout | undefined;
  const kill = (): void => {
    killGroup(child);
    patience ??= setTimeout(() => ended.resolve({ kind: 'killed', by: 'SIGKILL', isLate }), UNKILLABLE_MS);
  };
  child.once('error', (error) => ended.resolve({ kind: 'not-started', error }));
  child.once('close', (code, by) => {
    if (code !== null) ended.resolve({ kind: 'exited', status: code });
    else ended.resolve({ kind: 'killed', by: by ?? 'SIGKILL', isLate });
  });
  using _listening = onAbort(signal, kill);
  using _timer = deadline?.clock.startTimer(deadline.ms, () => {
    isLate = true;
    kill();
  });
  try {
    return await ended.promise;
  } finally {
    clearTimeout(patience);
  }
}

function withoutOutput(how: ProgramEnd['how']): ProgramEnd {
  return { how, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), isCut: false };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

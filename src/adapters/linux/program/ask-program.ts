/**
 * Asks a program: runs it once with an argument list, never through a shell,
 * and takes what it says. It and what it started end with their deadline.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../../base/clock.ts';

const MAX_OUTPUT_BYTES = 1024 * 1024;
const SHOWN_STDERR = 2000;

export interface ProgramQuestion {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Its standard input; nothing when absent. */
  readonly input?: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export type ProgramAnswer =
  | { readonly kind: 'ended'; readonly stdout: string }
  /** `why` holds no word of its standard output, which may be secret, but the end of its standard error. */
  | {
      readonly kind: 'failed';
      readonly why: string;
      readonly stderr: string;
      /** It could not even be started. */
      readonly isMissing: boolean;
    };

/** Never rejects. */
export function askProgram({
  command,
  args,
  env,
  input,
  timeoutMs,
  clock,
}: ProgramQuestion): Promise<ProgramAnswer> {
  const stdin = input === undefined ? 'ignore' : 'pipe';
  // A group of its own, so that children of a script end with it.
  const child = spawn(command, [...args], { stdio: [stdin, 'pipe', 'pipe'], env, detached: true });
  const stdout: Buffer[] = [];
  let size = 0;
  let stderr = '';
  let isLate = false;
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_OUTPUT_BYTES) stdout.push(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-SHOWN_STDERR);
  });
  // A program that does not read its input is no error by itself.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  const deadline = clock.startTimer(timeoutMs, () => {
    isLate = true;
    killGroup(child);
  });
  return new Promise((resolve) => {
    const end = (result: ProgramAnswer): void => {
      deadline[Symbol.dispose]();
      resolve(result);
    };
    const fail = (why: string, isMissing = false): void =>
      end({ kind: 'failed', why, stderr: stderr.trim(), isMissing });
    child.once('error', (error) => fail(error.message, true));
    child.once('close', (code, signal) => {
      if (isLate) fail('context deadline exceeded');
      else if (code !== 0) fail(code === null ? `ended by ${signal}` : `exit status ${code}`);
      else if (size > MAX_OUTPUT_BYTES) fail('its output is too long');
      else end({ kind: 'ended', stdout: Buffer.concat(stdout).toString('utf8') });
    });
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

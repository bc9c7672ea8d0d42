/**
 * Asks a program that the configuration names: runs it once and takes what it
 * says. It and what it started end with their deadline.
 */
import type { Clock } from '../../../base/async/clock.ts';
import { startProgram } from './start-program.ts';

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
export async function askProgram(question: ProgramQuestion): Promise<ProgramAnswer> {
  const { command, args, env, input, timeoutMs, clock } = question;
  const end = await startProgram({
    program: command,
    args,
    env,
    input,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    deadline: { clock, ms: timeoutMs },
  });
  const { how, stdout, isCut } = end;
  const stderr = end.stderr.toString('utf8').slice(-SHOWN_STDERR).trim();
  const fail = (why: string): ProgramAnswer => ({
    kind: 'failed',
    why,
    stderr,
    isMissing: how.kind === 'not-started',
  });
  if (how.kind === 'not-started') return fail(how.error.message);
  if (how.kind === 'killed') return fail(how.isLate ? 'context deadline exceeded' : `ended by ${how.by}`);
  if (how.status !== 0) return fail(`exit status ${how.status}`);
  if (isCut) return fail('its output is too long');
  return { kind: 'ended', stdout: stdout.toString('utf8') };
}

/**
 * Programs of the host, with the arguments that their line allows
 * (`program-arguments.ts`). One that is no longer wanted is killed and its end
 * waited for.
 */
import { AgentError, type AgentErrorCode, errorText } from '../../../base/errors.ts';
import { startTimer } from '../start-timer.ts';
import { findArgumentFault, syntaxOf } from './program-arguments.ts';
import { type ProgramDeadline, type ProgramEnd, plainEnvironment, startProgram } from './start-program.ts';

/** Longer output is cut: it goes into messages. */
const MAX_OUTPUT = 2_000;

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
  /** Its standard input; nothing when absent. */
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
  /** A program of the configuration that runs it; gets its name and arguments. */
  readonly through?: string | undefined;
  /** Beside what every program gets. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The text it prints. Rejects with AgentError unless it ends with 0; the
 * message is `cannot <action> "<target>": <what it complained>`.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  action: string,
  target: string,
  { descriptor, input, signal, through, env = {} }: RunOptions = {},
): Promise<string> {
  const fault = findArgumentFault(program, args);
  if (fault !== undefined) throw new AgentError('invalid-argument', describe(action, target, fault));
  if (signal?.aborted) throw new AgentError('cancelled', describe(action, target, 'no longer wanted'));
  const end = await startProgram({
    ...(through === undefined ? { program, args } : { program: through, args: [program, ...args] }),
    env: { ...plainEnvironment(), ...env },
    descriptor,
    input,
    maxOutputBytes: MAX_OUTPUT,
    signal,
    deadline: toDeadline(syntaxOf(program)?.timeoutMs),
  });
  const { how } = end;
  if (how.kind === 'exited' && how.status === 0) return end.stdout.toString('utf8');
  throw toError(end, program, (why) => describe(action, target, why), signal);
}

function toError(
  { how, stderr }: ProgramEnd,
  program: string,
  describeWhy: (why: string) => string,
  signal: AbortSignal | undefined,
): AgentError {
  if (how.kind === 'not-started')
    return new AgentError('failed-precondition', describeWhy(errorText(how.error)), { cause: how.error });
  if (signal?.aborted) return new AgentError('cancelled', describeWhy('no longer wanted'));
  if (how.kind === 'killed' && how.isLate)
    return new AgentError('deadline-exceeded', describeWhy(`${program} did not end in time`));
  const ended = how.kind === 'exited' ? how.status : how.by;
  const why = stderr.toString('utf8').trim().replaceAll('\n', '; ') || `${program} ended with ${ended}`;
  const cause = how.kind === 'exited' ? new ProgramExit(how.status) : undefined;
  return new AgentError(toCode(why), describeWhy(why), { cause });
}

/** Of the real clock: these programs change the real machine. */
function toDeadline(ms: number | undefined): ProgramDeadline | undefined {
  return ms === undefined ? undefined : { clock: { startTimer }, ms };
}

function describe(action: string, target: string, why: string): string {
  return `cannot ${action} ${JSON.stringify(target)}: ${why}`;
}

function toCode(output: string): AgentErrorCode {
  if (/permission denied|must be superuser|not permitted/i.test(output)) return 'permission-denied';
  return /busy/i.test(output) ? 'unavailable' : 'unknown';
}

/**
 * One flexVolume driver: an executable that is run for each command, with an
 * argument list and little of the agent's environment: where programs are, and
 * a home. What else is in there (keys of a cloud, say) is not the driver's.
 * Its arguments come from volumes:
 * none may look like an option. Commands it does not support are remembered
 * and not asked for again.
 */
import { type FlexAnswer, parseFlexAnswer } from '../../../core/volume/flex/flex-call.ts';
import { plainEnvironment, startProgram } from '../../linux/program/start-program.ts';

const MAX_OUTPUT = 64 * 1024;

export class FlexExecutable {
  readonly #path: string;
  readonly #unsupported = new Set<string>();

  constructor(path: string) {
    this.#path = path;
  }

  /** Never rejects; a driver that is no longer wanted is killed and has failed. */
  async call(command: string, args: readonly string[], signal?: AbortSignal): Promise<FlexAnswer> {
    if (this.#unsupported.has(command)) return { kind: 'unsupported' };
    const { output, problem } = await this.#run([command, ...args], signal);
    const answer = parseFlexAnswer(command, output);
    if (answer.kind === 'unsupported') this.#unsupported.add(command);
    // What it printed counts before its exit code.
    if (problem === undefined || answer.kind === 'unsupported') return answer;
    if (answer.kind === 'failed' && output.trim() !== '') return answer;
    return { kind: 'failed', message: `${command} command failed: ${problem}` };
  }

  async #run(
    args: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<{ readonly output: string; readonly problem?: string }> {
    const odd = args.find((word) => word.startsWith('-') || word.includes('\0'));
    if (odd !== undefined) return { output: '', problem: `${JSON.stringify(odd)} cannot be an argument` };
    if (signal?.aborted) return { output: '', problem: 'no longer wanted' };
    const { how, stdout } = await startProgram({
      program: this.#path,
      args,
      env: { ...plainEnvironment(), HOME: process.env['HOME'] ?? '/' },
      maxOutputBytes: MAX_OUTPUT,
      mergesOutput: true,
      signal,
    });
    const output = stdout.toString('utf8');
    if (how.kind === 'not-started') return { output, problem: how.error.message };
    if (how.kind === 'killed') return { output, problem: `ended by ${how.by}` };
    return how.status === 0 ? { output } : { output, problem: `exit status ${how.status}` };
  }
}

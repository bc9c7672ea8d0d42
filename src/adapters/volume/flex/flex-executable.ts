/**
 * One flexVolume driver: an executable that is run for each command, with an
 * argument list and the agent's environment. Commands it does not support are
 * remembered and not asked for again.
 */
import { spawn } from 'node:child_process';
import { onAbort } from '../../../base/on-abort.ts';
import { type FlexAnswer, parseFlexAnswer } from '../../../core/volume/flex/flex-call.ts';

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
    // Its own words count before the way it ended.
    if (problem === undefined || answer.kind === 'unsupported') return answer;
    if (answer.kind === 'failed' && output.trim() !== '') return answer;
    return { kind: 'failed', message: `${command} command failed: ${problem}` };
  }

  #run(
    args: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<{ readonly output: string; readonly problem?: string }> {
    if (signal?.aborted) return Promise.resolve({ output: '', problem: 'no longer wanted' });
    const child = spawn(this.#path, [...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const take = (text: string): void => {
      output = (output + text).slice(0, MAX_OUTPUT);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    const listening = onAbort(signal, () => child.kill('SIGKILL'));
    return new Promise((resolve) => {
      const end = (problem: string | undefined): void => {
        listening[Symbol.dispose]();
        resolve(problem === undefined ? { output } : { output, problem });
      };
      child.once('error', (error) => end(error.message));
      child.once('close', (code, killedBy) => {
        if (code === 0) end(undefined);
        else end(code === null ? `ended by ${killedBy}` : `exit status ${code}`);
      });
    });
  }
}

/** Runs a target on random inputs; a failure names the run, which is repeated by its number. */
import type { FuzzTarget } from './fuzz-target.ts';
import { makeInput } from './mutate.ts';

export interface Runs {
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  /** Called before each run. */
  readonly onRun?: (run: number) => void;
}

export async function runInputs(target: FuzzTarget, { seed, first, count, onRun }: Runs): Promise<void> {
  for (let run = first; run < first + count; run++) {
    onRun?.(run);
    const input = makeInput(target, seed, run);
    try {
      const pending = target.check(input);
      if (pending !== undefined) await pending;
    } catch (error) {
      const how = `make fuzz TARGET=${target.name} SEED=${seed} FIRST=${run} RUNS=1`;
      throw new Error(`${how}: input ${JSON.stringify(input.toString('latin1'))}`, { cause: error });
    }
  }
}

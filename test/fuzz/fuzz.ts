/**
 * `make fuzz`: runs targets on random inputs in a thread of their own, so that
 * a parser that hangs is found too: when one input takes more than 20 seconds,
 * its number is printed and the run ends.
 *
 *   node test/fuzz/fuzz.ts [TARGET]      RUNS=1000000 SEED=1 FIRST=0
 */
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { TARGETS } from './fuzz-targets.ts';
import { runInputs } from './run-inputs.ts';

const HANG_MS = 20_000;
const NOT_BEGUN = -1;

interface Job {
  readonly name: string;
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  /** The run that is under way; NOT_BEGUN while the thread is still loading. */
  readonly at: SharedArrayBuffer;
}

function work({ name, seed, first, count, at }: Job): Promise<void> {
  const target = TARGETS.find((one) => one.name === name);
  if (target === undefined) throw new Error(`there is no target ${name}`);
  const shared = new Int32Array(at);
  return runInputs(target, { seed, first, count, onRun: (run) => void Atomics.store(shared, 0, run) });
}

/** Resolves to what went wrong, or to undefined. */
function supervise(job: Job): Promise<string | undefined> {
  const shared = new Int32Array(job.at).fill(NOT_BEGUN);
  const worker = new Worker(new URL(import.meta.url), { workerData: job });
  return new Promise((resolve) => {
    let last = NOT_BEGUN;
    const watch = setInterval(() => {
      const run = Atomics.load(shared, 0);
      if (run !== last || run === NOT_BEGUN) {
        last = run;
        return;
      }
      resolve(`hangs: make fuzz TARGET=${job.name} SEED=${job.seed} FIRST=${run} RUNS=1`);
      void worker.terminate();
    }, HANG_MS);
    worker.once('error', (error: Error) =>
      resolve(`${error.message}\n${error.stack}\n${String(error.cause)}`),
    );
    worker.once('exit', () => {
      clearInterval(watch);
      resolve(undefined);
    });
  });
}

async function main(): Promise<void> {
  const { RUNS = '1000000', SEED = '1', FIRST = '0' } = process.env;
  const [wanted = ''] = process.argv.slice(2);
  const names = TARGETS.map(({ name }) => name).filter((name) => wanted === '' || name === wanted);
  if (names.length === 0) throw new Error(`there is no target ${wanted}`);
  for (const name of names) {
    const began = performance.now();
    const at = new SharedArrayBuffer(4);
    const problem = await supervise({
      name,
      seed: Number(SEED),
      first: Number(FIRST),
      count: Number(RUNS),
      at,
    });
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(`${name}: ${problem ?? `${RUNS} inputs, no finding`} (${seconds} s)\n`);
    if (problem !== undefined) process.exitCode = 1;
  }
}

await (isMainThread ? main() : work(workerData as Job));

/** What a run of the benchmark does, from its options and the environment that make sets. Pure. */
import { parseArgs } from 'node:util';

export const SCENARIOS = [
  'boot',
  'rest',
  'one',
  'burst',
  'ends',
  'config-map',
  'probes',
  'scrape',
  'death',
  'churn',
  'floor',
] as const;

export type ScenarioName = (typeof SCENARIOS)[number];

export interface Plan {
  readonly counts: readonly number[];
  readonly rounds: number;
  readonly scenarios: readonly ScenarioName[];
  /** How long a kubelet at rest, probing or scraped is watched. */
  readonly windowMs: number;
  /** Single pods, kills and the like in one turn. */
  readonly repeats: number;
  readonly loadPods: number;
  readonly churnMs: number;
  /** Where the page goes; undefined: the table is only printed. */
  readonly output: string | undefined;
}

const QUICK: readonly ScenarioName[] = ['boot', 'rest', 'one', 'burst', 'ends'];

/** Throws with a sentence that says which option is wrong. */
export function toPlan(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, output: { type: 'string' } },
  });
  const { quick } = values;
  const read = (name: string, otherwise: number): number =>
    toNumber(name, environment[name] || String(otherwise));
  const counts = (environment['BENCH_PODS'] || (quick ? '30' : '30,100,250')).split(',');
  return {
    counts: counts.map((text) => toNumber('BENCH_PODS', text)),
    rounds: read('BENCH_ROUNDS', quick ? 2 : 5),
    scenarios: toScenarios(environment['ONLY'], quick),
    windowMs: read('BENCH_SECONDS', quick ? 10 : 30) * 1000,
    repeats: quick ? 5 : 10,
    loadPods: read('BENCH_LOAD_PODS', 100),
    churnMs: read('BENCH_CHURN_MINUTES', 60) * 60_000,
    output: values.output,
  };
}

function toScenarios(only: string | undefined, quick: boolean): readonly ScenarioName[] {
  if (!only) return quick ? QUICK : SCENARIOS;
  return only.split(',').map((name) => {
    const known = SCENARIOS.find((each) => each === name.trim());
    if (known === undefined)
      throw new Error(`ONLY: there is no scenario "${name}"; there are ${SCENARIOS.join(', ')}`);
    return known;
  });
}

function toNumber(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${name}: "${text}" is not a number above zero`);
  return value;
}

/** Who has a turn in a round: the first changes from round to round, so that a machine that warms up favours neither. */
export function toOrder(round: number): readonly ('ours' | 'upstream')[] {
  return round % 2 === 1 ? ['ours', 'upstream'] : ['upstream', 'ours'];
}

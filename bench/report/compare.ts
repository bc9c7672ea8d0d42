/** Makes the rows of the table of the samples of all turns. Pure. */
import type { Metric, Samples, Subject } from '../metrics.ts';
import { computeSpread, median, type Spread } from './statistics.ts';

/** What one kubelet (or none) had in one round. */
export interface Turn {
  readonly subject: Subject;
  readonly round: number;
  readonly samples: Samples;
}

export interface Row {
  readonly metric: Metric;
  readonly spreads: Readonly<Partial<Record<Subject, Spread>>>;
  /** Ours divided by upstream's, of the medians over all rounds. */
  readonly ratio: number | undefined;
  /** The lowest and highest ratio of a round. */
  readonly ratios: Spread | undefined;
  readonly verdict: 'within' | 'above' | undefined;
}

const SUBJECTS: readonly Subject[] = ['ours', 'upstream', 'floor'];

/** One row for each metric that has a number, in the order of the metrics. A round counts as its median. */
export function toRows(metrics: readonly Metric[], turns: readonly Turn[]): readonly Row[] {
  return metrics.flatMap((metric) => {
    const byRound = SUBJECTS.map((subject) => ({ subject, values: valuesOf(metric, turns, subject) }));
    const present = byRound.filter(({ values }) => values.size > 0);
    if (present.length === 0) return [];
    const spreads = Object.fromEntries(
      present.map(({ subject, values }) => [subject, computeSpread([...values.values()])]),
    );
    return [
      toRow(
        metric,
        spreads,
        pairRatios(valuesOf(metric, turns, 'ours'), valuesOf(metric, turns, 'upstream')),
      ),
    ];
  });
}

function toRow(metric: Metric, spreads: Row['spreads'], roundRatios: readonly number[]): Row {
  const [ours, upstream] = [spreads.ours?.median, spreads.upstream?.median];
  const isComparable = ours !== undefined && upstream !== undefined && upstream > 0;
  const ratio = isComparable ? ours / upstream : undefined;
  const verdict =
    ratio === undefined || metric.bar === undefined ? undefined : ratio <= metric.bar ? 'within' : 'above';
  return {
    metric,
    spreads,
    ratio,
    ratios: roundRatios.length === 0 ? undefined : computeSpread(roundRatios),
    verdict,
  };
}

/** By round. */
function valuesOf({ id }: Metric, turns: readonly Turn[], subject: Subject): ReadonlyMap<number, number> {
  return new Map(
    turns
      .filter((turn) => turn.subject === subject && (turn.samples[id]?.length ?? 0) > 0)
      .map(({ round, samples }) => [round, median(samples[id] ?? [])]),
  );
}

function pairRatios(
  ours: ReadonlyMap<number, number>,
  upstream: ReadonlyMap<number, number>,
): readonly number[] {
  return [...ours].flatMap(([round, value]) => {
    const other = upstream.get(round);
    return other === undefined || other === 0 ? [] : [value / other];
  });
}

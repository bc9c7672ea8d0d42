/**
 * What each pod costs the kubelet the more of them there are, beside models of
 * a runtime and of an API server: CPU time to start and to end one, CPU at
 * rest, memory. Prints a table, and draws it where an output is named.
 *
 * usage: node bench/growth.ts [--pods=110]… [--rounds=1] [--program=bin/kubelet] [--output=docs/bench/growth.svg]
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Burst, runBurst } from './burst-run.ts';
import { toCandidate } from './candidate.ts';
import { type Growth, renderGrowth, renderGrowthTable } from './report/render-growth.ts';
import { median } from './report/statistics.ts';

const SETTLE_MS = 5_000;

const { values } = parseArgs({
  options: {
    pods: { type: 'string', multiple: true, default: ['110', '250', '500', '1000'] },
    rounds: { type: 'string', default: '1' },
    program: { type: 'string' },
    output: { type: 'string' },
  },
});

/** The middle of the rounds. */
function toGrowth(pods: number, bursts: readonly Burst[]): Growth {
  const middle = (of: (burst: Burst) => number): number => median(bursts.map(of));
  return {
    pods,
    startMs: middle(({ start }) => start.cpuMs),
    endMs: middle(({ end }) => end.cpuMs),
    restMillicores: middle(({ restMillicores = 0 }) => restMillicores),
    emptyMiB: middle(({ restMiB }) => restMiB),
    fullMiB: middle(({ start }) => start.residentMiB),
    leftMiB: middle(({ end }) => end.residentMiB),
  };
}

const growth: Growth[] = [];
for (const pods of values.pods.map(Number)) {
  const bursts: Burst[] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    const settings = { pods, settleMs: SETTLE_MS, endpoint: undefined, hasApi: true, measuresRest: true };
    bursts.push(await runBurst(toCandidate(values.program), settings));
    console.error(`${pods} pods, round ${round}`);
  }
  growth.push(toGrowth(pods, bursts));
}
console.log(renderGrowthTable(growth));
if (values.output !== undefined) await writeFile(values.output, renderGrowth(growth));

/**
 * Ours beside the upstream kubelet: both take turns as the only node of one
 * control plane on one containerd, round by round, through the same scenarios.
 * Prints a table; with --output writes it as a page with pictures.
 *
 * usage: test/cluster/live.sh --script bench/bench.ts [--quick] [--output=DIR]      (make bench, make bench-quick)
 * The environment chooses: BENCH_PODS=30,100,250 BENCH_ROUNDS=5 BENCH_SECONDS=30 BENCH_LOAD_PODS=100
 * BENCH_CHURN_MINUTES=60 ONLY=one,burst
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withCluster } from '../test/cluster/live/cluster.ts';
import { Daemon } from '../test/cluster/live/daemon.ts';
import { listMetrics, type Samples, type Subject } from './metrics.ts';
import { type Plan, type ScenarioName, toOrder, toPlan } from './plan.ts';
import { type Turn, toRows } from './report/compare.ts';
import { type RunRecord, renderFiles } from './report/render-page.ts';
import type { Course } from './report/render-plot.ts';
import { renderTable } from './report/render-table.ts';
import { BenchNode } from './scenario/bench-node.ts';
import { measureFloor } from './scenario/floor.ts';
import { measureChurn, measureProbes, measureScrapes } from './scenario/loads.ts';
import { measureConfigMaps, measureEnds } from './scenario/reactions.ts';
import { measureBoot, measureBursts, measureDeath, measureOne, measureRest } from './scenario/starts.ts';

const run = promisify(execFile);
const KUBELET = join(import.meta.dirname, '../test/cluster/kubelet.sh');
const GIB = 2 ** 30;

/** In the order in which a kubelet goes through them; what disturbs most comes last. */
const MEASURE: Readonly<
  Record<Exclude<ScenarioName, 'churn' | 'floor'>, (node: BenchNode) => Promise<Samples>>
> = {
  boot: measureBoot,
  rest: measureRest,
  one: measureOne,
  burst: measureBursts,
  ends: measureEnds,
  'config-map': measureConfigMaps,
  probes: measureProbes,
  scrape: measureScrapes,
  death: measureDeath,
};

const say = (text: string): void => void process.stderr.write(`[bench] ${text}\n`);

class Run {
  readonly #plan: Plan;
  readonly #turns: Turn[] = [];
  readonly #loads: number[] = [];
  readonly #churn: Partial<Record<Subject, Course>> = {};

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Calls `onRound` after each: a run that is cut short leaves what it has. */
  async perform(onRound: () => Promise<void>): Promise<void> {
    for (let round = 1; round <= this.#plan.rounds; round++) {
      for (const subject of toOrder(round)) {
        this.#loads.push(loadavg()[0] ?? 0);
        await this.#turn(subject, round);
      }
      if (this.#plan.scenarios.includes('floor')) await this.#floor(round);
      await onRound();
    }
  }

  toRecord(startedAt: string, runtime: string): RunRecord {
    const machine = {
      cores: cpus().length,
      memoryGiB: totalmem() / GIB,
      kernel: release(),
      runtime,
      loads: this.#loads,
    };
    return { startedAt, counts: this.#plan.counts, machine, turns: this.#turns, churn: this.#churn };
  }

  async #turn(subject: 'ours' | 'upstream', round: number): Promise<void> {
    await run(KUBELET, ['stop', 'cluster']);
    await run(KUBELET, ['up', subject]);
    await withCluster(async (cluster, namespace) => {
      await using node = new BenchNode(cluster, namespace, Daemon.find('kubelet-cluster'), this.#plan);
      const all: Record<string, readonly number[]> = {};
      for (const [name, measure] of Object.entries(MEASURE)) {
        if (!this.#plan.scenarios.some((each) => each === name)) continue;
        say(`round ${round} of ${this.#plan.rounds}: ${subject}, ${name}`);
        Object.assign(all, await measure(node));
      }
      if (this.#plan.scenarios.includes('churn') && round === 1) {
        say(`round ${round}: ${subject}, churn`);
        const { samples, course } = await measureChurn(node);
        Object.assign(all, samples);
        this.#churn[subject] = course;
      }
      this.#turns.push({ subject, round, samples: all });
    });
  }

  async #floor(round: number): Promise<void> {
    say(`round ${round}: no kubelet`);
    await run(KUBELET, ['stop', 'cluster']);
    this.#turns.push({ subject: 'floor', round, samples: await measureFloor(this.#plan) });
  }
}

const plan = toPlan(process.argv.slice(2), process.env);
const bench = new Run(plan);
const startedAt = new Date().toISOString();
await bench.perform(async () => {
  const metrics = listMetrics(plan.counts);
  const record = bench.toRecord(startedAt, 'containerd 2.1');
  console.log(renderTable(toRows(metrics, record.turns)));
  if (plan.output === undefined) return;
  await mkdir(plan.output, { recursive: true });
  for (const [name, text] of Object.entries(renderFiles(record, metrics)))
    await writeFile(join(plan.output, name), text);
  say(`the page is "${join(plan.output, 'README.md')}"`);
});

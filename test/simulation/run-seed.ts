/**
 * One simulation from its seed to its verdict: random steps, then the end of
 * all trouble, convergence, a quiet restart and a clean stop.
 */
import { Scope } from '../../src/base/scope.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import { containersOf } from '../../src/core/model/pod-containers.ts';
import type { Violation } from './invariants.ts';
import { TRANSITION_MS } from './node-pressure.ts';
import { addPod } from './pod-steps.ts';
import { describeRemains, whyUnsettled } from './settled.ts';
import { takeStep } from './steps.ts';
import { World } from './world.ts';

export interface SeedOptions {
  readonly steps?: number;
  /** Puts the agent's log between the steps. */
  readonly log?: boolean;
}

export interface SeedResult {
  readonly world: World;
  readonly violation: Violation | undefined;
}

const FIRST_PODS = 2;
/** Once trouble has ceased: the longest back-off of a pull, a slow relist, some retries. */
const CONVERGENCE_MS = 480_000;
const QUIET_MS = 30_000;
/** The transition period, the period of the loop, and a reading that took long. */
const PRESSURE_ENDS_MS = TRANSITION_MS + 75_000;
/** Calls a settled node may make in that time: relists every second where there are no events, and crash loops. */
const QUIET_CALLS = 300;
/** Of a crash loop that happens to go round. */
const CALLS_PER_POD = 20;
/** Of an agent without pods: the watch over the runtime, the slow relist. */
const IDLE_TIMERS = 5;

/** Runs one seed; never rejects, a crash of the simulation itself is a violation too. */
export async function runSeed(seed: number, options: SeedOptions = {}): Promise<SeedResult> {
  const world = new World(seed, options.log ?? false);
  const { invariants } = world;
  try {
    await live(world, options.steps ?? 18 + world.random.int(14));
    if (invariants.violation === undefined) await converge(world);
    if (invariants.violation === undefined) await restartQuietly(world);
    if (invariants.violation === undefined) await endAllPods(world);
    if (invariants.violation === undefined) await endCleanly(world);
  } catch (error) {
    invariants.fail('the simulation runs to its end', String(error instanceof Error ? error.stack : error));
  }
  world.killAgent('vanish');
  return { world, violation: invariants.violation };
}

async function live(world: World, steps: number): Promise<void> {
  for (let pod = 0; pod < FIRST_PODS; pod++) world.say(addPod(world) ?? '');
  world.startAgent();
  for (let step = 0; step < steps && world.invariants.violation === undefined; step++) {
    await takeStep(world);
    world.invariants.look();
    world.invariants.afterStep();
  }
}

/** When faults cease every pod comes to where it belongs, in bounded time. */
async function converge(world: World): Promise<void> {
  world.say('all trouble ceases');
  world.troubles.cease();
  const endMs = world.nowMs + CONVERGENCE_MS;
  const unsettled = (): string[] =>
    [...world.pods.values()].flatMap((model) => {
      const why = whyUnsettled(world, model);
      return why === undefined ? [] : [`pod ${model.uid}: ${why}`];
    });
  await world.passTime(2_000);
  while (unsettled().length > 0 && world.nowMs < endMs) {
    if (world.invariants.violation !== undefined) return;
    await world.passTime(5_000);
  }
  const left = unsettled();
  if (left.length > 0) world.invariants.fail('when faults cease every pod converges', left.join('; '));
  await expectNoPressure(world);
}

/** Conditions end a while after the last shortage. */
async function expectNoPressure(world: World): Promise<void> {
  const list = (): string[] =>
    Object.entries(world.process?.connections.host.state.get('pressures') ?? {}).flatMap(([name, isOn]) =>
      isOn ? [name] : [],
    );
  for (let waitedMs = 0; list().length > 0 && waitedMs < PRESSURE_ENDS_MS; waitedMs += 10_000)
    await world.passTime(10_000);
  if (list().length > 0) world.invariants.fail('conditions end', list().join(', '));
}

/** Another start of the agent changes nothing: `what runs and is wanted is left alone` watches. */
async function restartQuietly(world: World): Promise<void> {
  world.say('a last restart of the agent');
  if (!(await world.stopAgent())) return;
  world.startAgent();
  await world.passTime(10_000);
  const before = world.runtime.log.length;
  await world.passTime(QUIET_MS);
  const made = world.runtime.log
    .slice(before)
    .filter(({ op, phase }) => phase === 'begin' && op !== 'execSync');
  const calls = made.length;
  if (calls > QUIET_CALLS + world.wanted().length * CALLS_PER_POD)
    world.invariants.fail('a settled node is quiet', `${calls} calls in ${QUIET_MS / 1000} s`);
  const { timers = 0 } = world.process ?? {};
  const allowed = IDLE_TIMERS + world.wanted().reduce((sum, { pod }) => sum + 2 + countProbes(pod), 0);
  if (timers > allowed) world.invariants.fail('a settled node keeps few timers', `${timers} of ${allowed}`);
  world.invariants.afterStep();
}

/** Without pods nothing is left of any, on the machine, on disk or in the agent. */
async function endAllPods(world: World): Promise<void> {
  world.say('all pods are taken away');
  const all = [...world.pods.values()];
  for (const model of world.wanted()) world.remove(model);
  world.deliver();
  for (let round = 0; round < 12 && world.invariants.violation === undefined; round++) {
    await world.passTime(5_000);
    if (all.every((model) => describeRemains(world, model) === undefined)) break;
  }
  const left = all.flatMap((model) => describeRemains(world, model) ?? []);
  if (left.length > 0) world.invariants.fail('everything goes with its pod', left.join('; '));
  await world.passTime(5_000);
  const { timers = 0, agent } = world.process ?? {};
  if (timers > IDLE_TIMERS)
    world.invariants.fail('everything goes with its pod', `${timers} timers are left`);
  const records = agent?.desired.records.size ?? 0;
  if (records > 0) world.invariants.fail('everything goes with its pod', `${records} records are left`);
}

function countProbes({ spec }: Pod): number {
  return containersOf({ spec }).reduce(
    (sum, { livenessProbe, readinessProbe, startupProbe }) =>
      sum + [livenessProbe, readinessProbe, startupProbe].filter((probe) => probe !== undefined).length,
    0,
  );
}

async function endCleanly(world: World): Promise<void> {
  if (!(await world.stopAgent())) return;
  const { runtime, files, invariants } = world;
  if (runtime.openStreams > 0) invariants.fail('nothing leaks', `${runtime.openStreams} event streams`);
  if (files.disk.watches.size > 0)
    invariants.fail('nothing leaks', `${files.disk.watches.size} watched directories`);
  const scopes = Scope.openNames();
  if (scopes.length > 0) invariants.fail('nothing leaks', `scopes ${scopes.join(', ')}`);
  for (const [path, entry] of files.disk.entries) {
    if (entry.kind === 'link' && files.disk.follow(path) === undefined)
      invariants.fail('nothing leaks', `link ${path} leads nowhere`);
  }
}

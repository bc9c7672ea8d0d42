/**
 * What a pod costs, without faults and with events: calls of the runtime, passes of its worker, readings, and statuses
 * that are published. None of it may creep up.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../src/core/api/pod.ts';
import { noMeter } from '../../src/ports/agent-meter.ts';
import { World } from './world.ts';

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'sim', uid: 'web-0' },
  spec: {
    containers: [{ name: 'main', image: 'web/app:1' }],
    terminationGracePeriodSeconds: 1,
    restartPolicy: 'Always',
    enableServiceLinks: false,
  },
};

/**
 * In all passes of its worker together; an agent that looks once more than it must shows here. One list of four is
 * for an event that comes after the worker has read what it reports.
 */
const START = {
  listSandboxes: 4,
  listContainers: 4,
  runSandbox: 1,
  sandboxStatus: 1,
  imageStatus: 2,
  pullImage: 1,
  createContainer: 1,
  startContainer: 1,
  containerStatus: 1,
};
const END = {
  listSandboxes: 2,
  listContainers: 2,
  stopContainer: 1,
  sandboxStatus: 1,
  containerStatus: 1,
  removeContainer: 1,
  stopSandbox: 1,
  removeSandbox: 1,
};

/** Calls about this pod and its image, by kind; not those about the node. */
function countCalls(world: World, since: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { phase, podUid, op } of world.runtime.log.slice(since))
    if (phase === 'begin' && (podUid !== undefined || op === 'imageStatus' || op === 'pullImage'))
      counts.set(op, (counts.get(op) ?? 0) + 1);
  return counts;
}

function checkBudget(counts: ReadonlyMap<string, number>, budget: Readonly<Record<string, number>>): void {
  assert.ok(counts.size > 0);
  for (const [op, count] of counts) assert.ok(count <= (budget[op] ?? 0), `${count} calls of ${op}`);
}

describe('calls of the runtime for one pod', () => {
  for (const seed of [1, 2, 3])
    it(`stay within their numbers, seed ${seed}`, async () => {
      const world = new World(seed, false);
      world.startAgent();
      await world.passTime(10_000);
      const before = world.runtime.log.length;
      world.add(POD, 'file');
      world.deliver();
      await world.passTime(30_000);
      checkBudget(countCalls(world, before), START);
      const between = world.runtime.log.length;
      const model = world.pods.get('web-0');
      assert.ok(model);
      world.remove(model);
      world.deliver();
      await world.passTime(30_000);
      checkBudget(countCalls(world, between), END);
      await world.stopAgent();
    });
});

/**
 * Passes, each with one reading of the runtime: the first, one with the sandbox, one with what has started; one that
 * ends, one that finds nothing left. Statuses: waiting, with a sandbox, ready; ended.
 */
const WORK = {
  start: { passes: 3, readings: 3, statuses: 3 },
  end: { passes: 2, readings: 2, statuses: 1 },
};
type Work = (typeof WORK)['start'];

describe('work for one pod', () => {
  for (const seed of [1, 2, 3])
    it(`stays within its numbers, seed ${seed}`, async () => {
      const world = new World(seed, false);
      let work = { passes: 0, readings: 0, statuses: 0 };
      world.meter = {
        ...noMeter,
        passed: () => void work.passes++,
        podRead: () => void work.readings++,
      };
      world.startAgent();
      world.agent?.board.published.subscribe((_, published) => {
        if (published !== undefined) work.statuses++;
      });
      const takeWork = async (): Promise<Work> => {
        world.deliver();
        await world.passTime(30_000);
        const done = work;
        work = { passes: 0, readings: 0, statuses: 0 };
        return done;
      };
      await world.passTime(10_000);
      world.add(POD, 'file');
      const start = await takeWork();
      const model = world.pods.get('web-0');
      assert.ok(model);
      world.remove(model);
      const end = await takeWork();
      for (const [done, most] of [
        [start, WORK.start],
        [end, WORK.end],
      ] as const)
        for (const key of ['passes', 'readings', 'statuses'] as const) {
          assert.ok(done[key] > 0, key);
          assert.ok(done[key] <= most[key], `${done[key]} ${key}`);
        }
      await world.stopAgent();
    });
});

/**
 * What an agent does while nothing happens, counted over ten minutes: the same
 * with many pods as with none. A look per pod that creeps in shows here.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../src/core/api/pod.ts';
import { World } from './world.ts';

const MINUTES = 10;
/** A world with events of the runtime, eviction and image collection. */
const SEED = 4;

function toPod(name: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'sim', uid: `${name}-uid` },
    spec: {
      containers: [{ name: 'main', image: 'web/app:1' }],
      terminationGracePeriodSeconds: 1,
      restartPolicy: 'Always',
      enableServiceLinks: false,
    },
  };
}

/** Everything that such an agent asks of the runtime and of the machine, by what it asks. */
async function countAtRest(pods: number): Promise<Record<string, number>> {
  const world = new World(SEED, false);
  world.logRotation = { maxBytes: 1_000_000, maxFiles: 5, maxWorkers: 1, monitorIntervalMs: 10_000 };
  world.logFiles.sizes.set('0.log', 10);
  world.startAgent();
  for (let i = 0; i < pods; i++) world.add(toPod(`web-${i}`), 'file');
  world.deliver();
  await world.passTime(120_000);
  for (const uid of world.pods.keys())
    assert.deepEqual(
      world.runtime.containersOf(uid).map(({ state }) => state),
      ['running'],
    );
  const counts: Record<string, number> = {};
  const count = (what: string): boolean => {
    counts[what] = (counts[what] ?? 0) + 1;
    return true;
  };
  const [calls, looks, before] = [
    world.runtime.log.length,
    world.logFiles.looks.length,
    world.pressure.readings,
  ];
  world.files.faults.onOperation = (op) => count(`file: ${op}`);
  world.cgroups.faults.onOperation = (op) => count(`cgroup: ${op}`);
  world.checkpoints.faults.onOperation = (op) => count(`checkpoint: ${op}`);
  const timersBefore = world.clock.pendingTimers;
  await world.passTime(MINUTES * 60_000);
  for (const { phase, op } of world.runtime.log.slice(calls)) if (phase === 'begin') count(`runtime: ${op}`);
  const after = world.pressure.readings;
  assert.equal(world.invariants.violation, undefined);
  await world.stopAgent();
  return {
    ...counts,
    timers: timersBefore,
    logs: world.logFiles.looks.length - looks,
    machine: after.machine - before.machine,
    'runtime statistics': after.runtime - before.runtime,
  };
}

/** A look at the runtime every 10 s, at its pods every minute, at the node every 30 s, at its images every 5 min. */
const BUDGET = {
  'runtime: status': 60,
  'runtime: listSandboxes': 10,
  'runtime: listContainers': 12,
  'runtime: imageFsInfo': 12,
  'runtime: listImages': 2,
  'runtime statistics': 0,
  machine: 20,
  logs: 0,
  timers: 5,
};

describe('an agent at rest', () => {
  for (const pods of [1, 20])
    it(`makes the same few calls in ten minutes with ${pods} pods as with any number`, async () => {
      assert.deepEqual(await countAtRest(pods), BUDGET);
    });
});

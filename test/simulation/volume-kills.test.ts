/**
 * kill -9 at every single step of setting volumes up, of finding them again
 * and of taking them away: before the step, and after it. Each time the next
 * life of the agent gets everything right, and files in volumes stay.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../src/core/api/pod.ts';
import { ROOT_DIR } from './node.ts';
import { describeRemains, mountsOf } from './settled.ts';
import { World } from './world.ts';

const UID = 'web-0';
const POD_DIR = `${ROOT_DIR}/pods/${UID}`;
const VOLUMES = ['a', 'b'];
const MOUNTS = VOLUMES.map((name) => `${POD_DIR}/volumes/kubernetes.io~empty-dir/${name}`);
const FILE = `${MOUNTS[0]}/precious`;
const SETTLE_MS = 30_000;
/** Steps there are at the very most. */
const MAX_STEPS = 200;

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'sim', uid: UID },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'web/app:1',
        volumeMounts: VOLUMES.map((name) => ({ name, mountPath: `/${name}` })),
      },
    ],
    volumes: VOLUMES.map((name) => ({ name, emptyDir: {} })),
    terminationGracePeriodSeconds: 1,
    restartPolicy: 'Always',
    enableServiceLinks: false,
  },
};

type When = 'before' | 'after';

/** Kills the agent at the step of that number below the pod's directory, counted from now; returns which it was. */
function killAt(world: World, step: number, when: When): { killed: string | undefined } {
  const seen = { killed: undefined as string | undefined };
  let count = 0;
  const onOperation = (op: string, subject: string): boolean => {
    if (!subject.startsWith(POD_DIR) || count++ !== step) return true;
    seen.killed = `${op} ${subject}`;
    // Whatever else is under way is cut as well, or ends by itself.
    world.killAgent(when === 'before' ? 'vanish' : 'complete');
    return when === 'after';
  };
  world.files.faults.onOperation = onOperation;
  world.mounter.faults.onOperation = onOperation;
  return seen;
}

function calm(world: World): void {
  world.files.faults.onOperation = () => true;
  world.mounter.faults.onOperation = () => true;
}

async function livesOn(world: World): Promise<void> {
  calm(world);
  world.startAgent();
  await world.passTime(SETTLE_MS);
  assert.equal(world.invariants.violation, undefined);
}

const running = (world: World) => world.runtime.containersOf(UID).filter(({ state }) => state === 'running');

async function runningWorld(): Promise<World> {
  const world = new World(1, false);
  world.add(pod, 'file');
  world.startAgent();
  await world.passTime(10_000);
  assert.equal(running(world).length, 1);
  return world;
}

/** Runs `story` with a kill at every step there is, one after the other; `story` answers what was cut. */
async function atEveryStep(
  story: (step: number, when: When) => Promise<string | undefined>,
): Promise<number> {
  for (const when of ['before', 'after'] as const)
    for (let step = 0; ; step++) {
      assert.ok(step < MAX_STEPS);
      if ((await story(step, when)) !== undefined) continue;
      if (when === 'after') return step;
      break;
    }
  return 0;
}

describe('kill -9 at every step', () => {
  it('of a set-up: the pod runs with its volumes', { timeout: 120_000 }, async () => {
    const steps = await atEveryStep(async (step, when) => {
      const world = new World(1, false);
      const cut = killAt(world, step, when);
      world.add(pod, 'file');
      world.startAgent();
      await world.passTime(5_000);
      if (cut.killed === undefined) return undefined;
      await livesOn(world);
      assert.equal(running(world).length, 1, `killed ${when} ${cut.killed}`);
      assert.deepEqual(mountsOf(world, UID).sort(), MOUNTS, `killed ${when} ${cut.killed}`);
      return cut.killed;
    });
    assert.ok(steps > 10, `${steps} steps`);
  });

  it('of finding volumes again: containers keep running and files stay', { timeout: 120_000 }, async () => {
    const steps = await atEveryStep(async (step, when) => {
      const world = await runningWorld();
      world.files.disk.entries.set(FILE, { kind: 'file', content: 'data', mode: 0o644 });
      const [before] = running(world);
      world.killAgent('complete');
      const cut = killAt(world, step, when);
      world.startAgent();
      await world.passTime(5_000);
      if (cut.killed === undefined) return undefined;
      await livesOn(world);
      assert.deepEqual(
        running(world).map(({ id }) => id),
        [before?.id],
        `killed ${when} ${cut.killed}`,
      );
      assert.ok(world.files.disk.entries.has(FILE), `killed ${when} ${cut.killed}`);
      assert.deepEqual(mountsOf(world, UID).sort(), MOUNTS);
      return cut.killed;
    });
    assert.ok(steps > 3, `${steps} steps`);
  });

  it('of a removal: nothing is left', { timeout: 120_000 }, async () => {
    const steps = await atEveryStep(async (step, when) => {
      const world = await runningWorld();
      const model = world.pods.get(UID);
      assert.ok(model);
      const cut = killAt(world, step, when);
      world.remove(model);
      world.deliver();
      await world.passTime(20_000);
      if (cut.killed === undefined) return undefined;
      await livesOn(world);
      assert.equal(describeRemains(world, model), undefined, `killed ${when} ${cut.killed}`);
      return cut.killed;
    });
    assert.ok(steps > 10, `${steps} steps`);
  });
});

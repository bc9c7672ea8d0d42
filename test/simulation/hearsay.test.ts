/** The laws ask of the agent what it can know: what its sources delivered to it, and what the machine still shows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod, PodSpec } from '../../src/core/api/pod.ts';
import type { PodSourceName } from '../../src/core/model/pod-source-name.ts';
import { isHeldUp } from './handler-excuses.ts';
import type { PodModel } from './pod-model.ts';
import { toCommand } from './script-book.ts';
import { World } from './world.ts';

function podWith(spec: Partial<PodSpec> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'sim', uid: 'web-0' },
    spec: {
      containers: [{ name: 'main', image: 'web/app:1' }],
      terminationGracePeriodSeconds: 1,
      restartPolicy: 'Always',
      enableServiceLinks: false,
      ...spec,
    },
  };
}

/** A world whose agent has had the pod for a while. */
async function worldWith(
  source: PodSourceName,
  spec?: Partial<PodSpec>,
  seed = 1,
): Promise<[World, PodModel]> {
  const world = new World(seed, false);
  world.add(podWith(spec), source);
  world.startAgent();
  await world.passTime(10_000);
  const model = world.pods.get('web-0');
  assert.ok(model);
  return [world, model];
}

const brokenBy = (world: World): string | undefined => world.invariants.violation?.invariant;
const runs = (world: World): boolean =>
  world.runtime.containersOf('web-0').some(({ state }) => state === 'running');
const phaseOf = (world: World): string | undefined =>
  [...(world.agent?.board.published.values() ?? [])][0]?.status.phase;

function stopMain(world: World): void {
  const [main] = world.runtime.containersOf('web-0', 'main');
  assert.ok(main);
  void world.process?.connections.runtime.runtime.stopContainer(main.id, 1);
}

function leave(world: World, model: PodModel): void {
  world.remove(model);
  world.deliver();
}

function comeBack(world: World, model: PodModel): void {
  world.add(model.pod, model.source);
  world.deliver();
}

describe('a pod that the API server changes its mind about while it is away', () => {
  it('still ends when it left before that, and runs once its return is heard', async () => {
    // In some of these worlds the other sources are read later: only then is the pod found on the machine, and ended.
    for (const seed of [1, 2, 3, 5, 6, 7]) {
      const [world, model] = await worldWith('api', {}, seed);
      world.killAgent('vanish');
      world.startAgent();
      leave(world, model);
      while (model.heard !== false) await world.passTime(10);
      world.troubles.cutApiServer(30_000);
      comeBack(world, model);
      await world.passTime(20_000);
      assert.ok(!runs(world));
      await world.passTime(60_000);
      assert.ok(runs(world));
      assert.equal(brokenBy(world), undefined);
    }
  });

  it('is not to be ended when it left meanwhile', async () => {
    const [world, model] = await worldWith('api');
    world.troubles.cutApiServer(30_000);
    leave(world, model);
    await world.passTime(20_000);
    assert.ok(runs(world) && !model.ending);
    stopMain(world);
    assert.equal(brokenBy(world), 'what runs and is wanted is left alone');
  });

  it('keeps what has ended of it when it came back before that and left again', async () => {
    const [world, model] = await worldWith('api', { containers: [{ name: 'main', image: 'web/term:1500' }] });
    await world.passTime(20_000);
    leave(world, model);
    await world.passTime(500);
    comeBack(world, model);
    world.troubles.cutApiServer(30_000);
    leave(world, model);
    await world.passTime(20_000);
    assert.ok(runs(world));
    await world.passTime(60_000);
    assert.equal(world.runtime.containersOf('web-0').length, 0);
    assert.equal(brokenBy(world), undefined);
  });
});

describe('the end of a static pod', () => {
  const ONCE: Partial<PodSpec> = {
    containers: [{ name: 'main', image: 'web/exit:0-2000' }],
    restartPolicy: 'Never',
  };

  it('is lost on the next agent with a container that a killed one was removing', async () => {
    const [world, model] = await worldWith('file', ONCE);
    world.troubles.hang(model, 'removeContainer');
    leave(world, model);
    await world.passTime(500);
    world.killAgent('complete');
    comeBack(world, model);
    world.startAgent();
    await world.passTime(4_000);
    assert.equal(phaseOf(world), 'Succeeded');
    world.troubles.releaseOldest();
    await world.passTime(1_000);
    assert.equal(world.runtime.containersOf('web-0').length, 0);
    assert.equal(phaseOf(world), 'Succeeded');
    world.killAgent('vanish');
    world.startAgent();
    await world.passTime(4_000);
    assert.equal(world.runtime.containersOf('web-0').length, 1, 'it runs again');
    assert.equal(brokenBy(world), undefined);
  });

  it('is not lost because a container is gone that no agent removed', async () => {
    const [world] = await worldWith('file', ONCE);
    world.killAgent('vanish');
    for (const container of world.runtime.containersOf('web-0'))
      world.runtime.machine.removeContainer(container);
    world.startAgent();
    await world.passTime(4_000);
    assert.equal(brokenBy(world), 'a terminal phase is never left');
  });
});

describe('isHeldUp', () => {
  it('is true until a hook has ended with its container, and the pod had the time to go on', async () => {
    const world = new World(1, false);
    const uid = 'web-0';
    const number = world.scripts.write({ uid, container: 'main', purpose: 'postStart', script: 'hangs' });
    const postStart = { exec: { command: toCommand(number) } };
    const main = { name: 'main', image: 'web/exit:0-20000', lifecycle: { postStart } };
    world.add(podWith({ containers: [main], restartPolicy: 'Never' }), 'file');
    world.startAgent();
    const model = world.pods.get(uid);
    assert.ok(model);
    const held: boolean[] = [];
    for (const ms of [18_000, 10_000, 10_000]) {
      await world.passTime(ms);
      held.push(isHeldUp(world, model));
    }
    assert.deepEqual(held, [true, true, false]);
  });
});

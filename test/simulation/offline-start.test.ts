/** The agent starts while the API server is away: what it may do on the word of its checkpoint, and what not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../src/core/api/pod.ts';
import { makeSandboxConfig } from '../fakes/runtime-configs.ts';
import { World } from './world.ts';

const AWAY_MS = 60_000;

function plainPod(name: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'sim', uid: `${name}-0` },
    spec: {
      containers: [{ name: 'main', image: `${name}/app:1` }],
      terminationGracePeriodSeconds: 1,
      restartPolicy: 'Always',
      enableServiceLinks: false,
    },
  };
}

const running = (world: World, name: string): string[] =>
  world.runtime
    .containersOf(`${name}-0`)
    .filter(({ state }) => state === 'running')
    .map(({ id }) => id);

function removeNow(world: World, name: string): void {
  const model = world.pods.get(`${name}-0`);
  assert.ok(model);
  world.remove(model);
  world.deliver();
}

/** The pods run and are remembered; then the agent is killed and the API server goes away. */
async function cutOff(names: readonly string[]): Promise<World> {
  const world = new World(1, false);
  for (const name of names) world.add(plainPod(name), 'api');
  world.add(plainPod('static'), 'file');
  world.startAgent();
  await world.passTime(20_000);
  for (const name of [...names, 'static']) assert.equal(running(world, name).length, 1, name);
  world.killAgent('complete');
  world.troubles.cutApiServer(AWAY_MS);
  return world;
}

describe('a start without the API server', () => {
  it('brings back a pod of which nothing runs any more, and a static pod before it', async () => {
    const world = await cutOff(['web']);
    for (const name of ['web', 'static'])
      for (const sandbox of world.runtime.sandboxesOf(`${name}-0`))
        await world.clock.finish(world.runtime.stopSandbox(sandbox.id));
    world.startAgent();
    await world.passTime(4_000);
    assert.deepEqual([running(world, 'web').length, running(world, 'static').length], [0, 1]);
    await world.passTime(10_000);
    assert.equal(running(world, 'web').length, 1);
    const [id] = running(world, 'web');
    await world.passTime(AWAY_MS);
    assert.deepEqual(running(world, 'web'), [id], 'its return restarts nothing');
    assert.equal(world.invariants.violation, undefined);
  });

  it('leaves alone what runs and matches', async () => {
    const world = await cutOff(['web', 'shop']);
    const before = [running(world, 'web'), running(world, 'shop')];
    world.startAgent();
    await world.passTime(2 * AWAY_MS);
    assert.deepEqual([running(world, 'web'), running(world, 'shop')], before);
  });

  it('ends a pod that was deleted meanwhile only when the API server says so', async () => {
    const world = await cutOff(['web', 'shop']);
    removeNow(world, 'web');
    world.startAgent();
    await world.passTime(AWAY_MS / 2);
    assert.equal(running(world, 'web').length, 1);
    await world.passTime(AWAY_MS);
    assert.deepEqual([running(world, 'web').length, running(world, 'shop').length], [0, 1]);
  });

  it('ends no pod for not being in the checkpoint', async () => {
    const world = await cutOff(['web']);
    const config = makeSandboxConfig('late-0', { name: 'late', namespace: 'sim' });
    const id = await world.clock.finish(world.runtime.runSandbox(config, ''));
    const isThere = (): boolean =>
      world.runtime.sandboxesOf('late-0').some((each) => each.id === id && each.ready);
    world.startAgent();
    await world.passTime(AWAY_MS / 2);
    assert.ok(isThere());
    await world.passTime(AWAY_MS);
    assert.ok(!isThere(), 'an orphan is removed once all sources were read');
  });
});

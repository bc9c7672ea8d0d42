/** The simulation's own conscience: every invariant is seen to fail when it is broken on purpose. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../src/core/api/pod.ts';
import type { FakeContainer } from '../fakes/fake-machine.ts';
import { makeContainerConfig, makeSandboxConfig } from '../fakes/runtime-configs.ts';
import { describeRemains } from './settled.ts';
import { World } from './world.ts';

function plainPod(name: string, uid: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'sim', uid },
    spec: {
      containers: [{ name: 'main', image: 'app:1' }],
      restartPolicy: 'Always',
      enableServiceLinks: false,
    },
  };
}

/** A container started straight at the runtime, as a broken agent might. */
async function startContainer(
  world: World,
  uid: string,
  attempt = 0,
  image = 'app:1',
): Promise<FakeContainer> {
  const { runtime, clock } = world;
  runtime.imageStore.add(image);
  const sandboxConfig = makeSandboxConfig(uid, { name: 'web', namespace: 'sim' });
  const work = async (): Promise<FakeContainer> => {
    const sandbox = runtime.sandboxesOf(uid)[0]?.id ?? (await runtime.runSandbox(sandboxConfig, ''));
    const config = makeContainerConfig('main', image, { attempt });
    const id = await runtime.createContainer(sandbox, config, sandboxConfig);
    await runtime.startContainer(id);
    return runtime.machine.containers.get(id) as FakeContainer;
  };
  const container = await clock.finish(work());
  world.invariants.look();
  return container;
}

/** A world whose agent runs one pod. */
async function runningWorld(): Promise<{ world: World; container: FakeContainer }> {
  const world = new World(1, false);
  world.add(plainPod('web', 'web-0'), 'file');
  world.startAgent();
  await world.passTime(10_000);
  const container = world.runtime.containersOf('web-0')[0];
  assert.equal(container?.state, 'running');
  assert.equal(world.invariants.violation, undefined);
  return { world, container: container as FakeContainer };
}

const brokenBy = (world: World): string | undefined => world.invariants.violation?.invariant;

describe('Invariants', () => {
  it('see a second ready sandbox', async () => {
    const world = new World(1, false);
    for (const attempt of [0, 1])
      await world.clock.finish(world.runtime.runSandbox(makeSandboxConfig('web-0', { attempt }), ''));
    world.invariants.look();
    assert.equal(brokenBy(world), 'at most one ready sandbox per pod');
  });

  it('see two pods of one name running', async () => {
    const world = new World(1, false);
    for (const uid of ['web-0', 'web-1']) {
      world.add(plainPod('web', uid), 'file');
      await startContainer(world, uid);
    }
    assert.equal(brokenBy(world), 'same-named static pods never overlap');
  });

  it('see a crash loop that does not wait', async () => {
    const world = new World(1, false);
    world.add(plainPod('web', 'web-0'), 'file');
    for (const attempt of [0, 1, 2]) {
      assert.equal(brokenBy(world), undefined);
      world.runtime.exitContainer(await startContainer(world, 'web-0', attempt), 1);
    }
    assert.equal(brokenBy(world), 'a crash loop waits for its back-off');
  });

  it('see a falling restart count and a terminal phase that is left or too early', async () => {
    const status = (restartCount: number) => ({
      containerStatuses: [
        { name: 'main', state: {}, lastState: {}, ready: false, restartCount, image: '', imageID: '' },
      ],
    });
    const { world } = await runningWorld();
    world.invariants.onPublished('web-0', status(2));
    world.invariants.onPublished('web-0', status(1));
    assert.equal(brokenBy(world), 'restart counts never fall');

    const second = await runningWorld();
    second.world.invariants.onPublished('web-0', { phase: 'Failed' });
    assert.equal(brokenBy(second.world), 'terminal phase only when nothing runs');

    const third = await runningWorld();
    third.world.runtime.exitContainer(third.container, 0);
    third.world.invariants.onPublished('web-0', { phase: 'Failed' });
    third.world.invariants.onPublished('web-0', { phase: 'Running' });
    assert.equal(brokenBy(third.world), 'a terminal phase is never left');
  });

  it('see a wanted container stopped', async () => {
    const { world, container } = await runningWorld();
    void world.process?.connections.runtime.stopContainer(container.id, 1);
    assert.equal(brokenBy(world), 'what runs and is wanted is left alone');
  });

  it('see a start in a pod that terminates, and none in one that does not', async () => {
    const { world, container } = await runningWorld();
    const start = (): void =>
      void world.process?.connections.runtime.startContainer(container.id).catch(() => {});
    start();
    assert.equal(brokenBy(world), undefined);
    const model = world.wanted()[0];
    assert.ok(model);
    world.remove(model);
    world.deliver();
    start();
    assert.equal(brokenBy(world), 'no container starts once its pod is terminating');
  });

  it('see a call made because the agent stops', async () => {
    const { world, container } = await runningWorld();
    const { process } = world;
    process?.stop.signal.addEventListener('abort', () => {
      void process.connections.runtime.stopContainer(container.id, 0);
    });
    await world.stopAgent();
    assert.equal(brokenBy(world), 'stopping the agent leaves containers untouched');
  });

  it('see an agent that leaves a timer behind', async () => {
    const { world } = await runningWorld();
    world.process?.connections.clock.startTimer(60_000, () => {});
    assert.equal(await world.stopAgent(), false);
    assert.equal(brokenBy(world), 'a stopped agent comes to rest');
  });

  it('see a pod that does not come to where it belongs, wanted or not', async () => {
    const { world, container } = await runningWorld();
    const model = world.wanted()[0];
    assert.ok(model);
    await world.passTime(60_000);
    world.invariants.afterStep();
    assert.equal(brokenBy(world), undefined);
    assert.match(describeRemains(world, model) ?? '', /container main \(running\), sandbox .*pods\/web-0/);
    world.killAgent('vanish');
    world.runtime.exitContainer(container, 1);
    world.process = (await runningWorld()).world.process;
    await world.passTime(60_000);
    world.invariants.afterStep();
    assert.equal(brokenBy(world), 'a pod settles in bounded time, whatever hangs elsewhere');
  });
});

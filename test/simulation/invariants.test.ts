/** The simulation's own conscience: every invariant is seen to fail when it is broken on purpose. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../src/core/api/pod.ts';
import { toPodUid } from '../../src/core/model/ids.ts';
import type { FakeContainer } from '../fakes/fake-machine.ts';
import { makeContainerConfig, makeSandboxConfig } from '../fakes/runtime-configs.ts';
import { type Script, toCommand } from './script-book.ts';
import { describeRemains } from './settled.ts';
import { whyUntrue } from './status-truth.ts';
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
    void world.process?.connections.runtime.runtime.stopContainer(container.id, 1);
    assert.equal(brokenBy(world), 'what runs and is wanted is left alone');
  });

  it('see a start in a pod that terminates, and none in one that does not', async () => {
    const { world, container } = await runningWorld();
    const start = (): void =>
      void world.process?.connections.runtime.runtime.startContainer(container.id).catch(() => {});
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
      void process.connections.runtime.runtime.stopContainer(container.id, 0);
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

/** A pod whose sidecar serves its main container, each with a hook. */
function servedPod(world: World): Pod {
  const preStop = {
    exec: {
      command: toCommand(
        world.scripts.write({ uid: 'web-0', container: 'main', purpose: 'preStop', script: 'steady' }),
      ),
    },
  };
  const pod = plainPod('web', 'web-0');
  return {
    ...pod,
    spec: {
      ...pod.spec,
      initContainers: [{ name: 'side', image: 'side:1', restartPolicy: 'Always' }],
      containers: [{ name: 'main', image: 'app:1', lifecycle: { preStop } }],
      terminationGracePeriodSeconds: 5,
    },
  };
}

/** A world whose agent has run `servedPod` for a while. */
async function servedWorld(): Promise<{ world: World; main: FakeContainer; side: FakeContainer }> {
  const world = new World(1, false);
  world.add(servedPod(world), 'api');
  world.startAgent();
  await world.passTime(60_000);
  const [main, side] = ['main', 'side'].map((name) => world.runtime.containersOf('web-0', name)[0]);
  assert.ok(main?.state === 'running' && side?.state === 'running');
  assert.equal(world.invariants.violation, undefined);
  return { world, main, side };
}

/** Takes the pod away, with an agent that does not get to do anything. */
function endWithoutAgent(world: World): void {
  const model = world.wanted()[0];
  assert.ok(model);
  world.remove(model);
  world.deliver();
}

describe('LifecycleLaws', () => {
  it('see a second instance, and a number used twice', async () => {
    const { world } = await runningWorld();
    await startContainer(world, 'web-0', 7);
    assert.equal(brokenBy(world), 'one instance of a container runs at a time');

    const second = await runningWorld();
    second.world.killAgent('vanish');
    second.world.runtime.exitContainer(second.container, 0);
    second.world.runtime.machine.removeContainer(second.container);
    await startContainer(second.world, 'web-0', 0);
    assert.equal(brokenBy(second.world), 'numbers of instances are used once');
  });

  it('see a main container that starts before its sidecar', async () => {
    const world = new World(1, false);
    world.add(servedPod(world), 'api');
    await startContainer(world, 'web-0');
    assert.equal(brokenBy(world), 'containers start in order');
  });

  it('see an ephemeral container that is started again', async () => {
    const { world } = await runningWorld();
    const model = world.wanted()[0];
    assert.ok(model);
    const { spec } = model.pod;
    model.pod = { ...model.pod, spec: { ...spec, containers: [], ephemeralContainers: spec.containers } };
    world.killAgent('vanish');
    for (const { id } of world.runtime.containersOf('web-0'))
      world.runtime.exitContainer(world.runtime.machine.containers.get(id) as FakeContainer, 0);
    await startContainer(world, 'web-0', 1);
    assert.equal(brokenBy(world), 'ephemeral containers start once');
  });

  it('see a sidecar stopped before what it serves, and a stop without its hook', async () => {
    const { world, side } = await servedWorld();
    endWithoutAgent(world);
    void world.process?.connections.runtime.runtime.stopContainer(side.id, 5);
    assert.equal(brokenBy(world), 'sidecars end after what they serve');

    const other = await servedWorld();
    endWithoutAgent(other.world);
    void other.world.process?.connections.runtime.runtime.stopContainer(other.main.id, 5);
    assert.equal(brokenBy(other.world), 'preStop hooks come before the stop');
  });

  it('see a grace that is too long, and a kill without any', async () => {
    const { world, side, main } = await servedWorld();
    endWithoutAgent(world);
    world.runtime.exitContainer(main, 0);
    void world.process?.connections.runtime.runtime.stopContainer(side.id, 6);
    assert.equal(brokenBy(world), 'graces are respected');

    const other = await servedWorld();
    endWithoutAgent(other.world);
    void other.world.process?.connections.runtime.runtime.stopSandbox(other.side.sandbox.id);
    assert.equal(brokenBy(other.world), 'what runs is asked to end first');
  });
});

describe('what probes report', () => {
  /** A world whose agent runs a pod with one probe. */
  async function probedWorld(kind: 'livenessProbe' | 'readinessProbe', script: Script): Promise<World> {
    const world = new World(1, false);
    const purpose = kind === 'livenessProbe' ? 'liveness' : 'readiness';
    const number = world.scripts.write({ uid: 'web-0', container: 'main', purpose, script });
    const probe = { tcpSocket: { port: number }, periodSeconds: 2, failureThreshold: 1 };
    const pod = plainPod('web', 'web-0');
    const [main] = pod.spec.containers;
    assert.ok(main);
    world.add({ ...pod, spec: { ...pod.spec, containers: [{ ...main, [kind]: probe }] } }, 'api');
    world.startAgent();
    await world.passTime(20_000);
    return world;
  }

  it('a container whose probe failed may be ended, and has to', async () => {
    const world = await probedWorld('livenessProbe', 'fails-0');
    assert.equal(brokenBy(world), undefined);
    assert.ok(world.runtime.log.some(({ op }) => op === 'stopContainer'));
    const healthy = await probedWorld('livenessProbe', 'steady');
    const [container] = healthy.runtime.containersOf('web-0');
    assert.ok(container);
    void healthy.process?.connections.runtime.runtime.stopContainer(container.id, 1);
    assert.equal(brokenBy(healthy), 'what runs and is wanted is left alone');
  });

  it('detects a ready container published as not ready without a bad answer', async () => {
    const world = await probedWorld('readinessProbe', 'steady');
    const status = world.agent?.board.published.get(toPodUid('web-0'))?.status;
    assert.equal(status?.containerStatuses?.[0]?.ready, true);
    const containerStatuses = status?.containerStatuses?.map((each) => ({ ...each, ready: false }));
    world.invariants.onPublished('web-0', { ...status, ...(containerStatuses && { containerStatuses }) });
    assert.equal(brokenBy(world), 'what is ready stays so until its probe says otherwise');
  });

  it('detects a status that differs from the machine', async () => {
    const world = await probedWorld('readinessProbe', 'steady');
    const model = world.wanted()[0];
    assert.ok(model);
    const status = world.agent?.board.published.get(toPodUid('web-0'))?.status;
    assert.equal(whyUntrue(world, model, status), undefined);
    assert.match(whyUntrue(world, model, {}) ?? '', /does not say that it runs/);
    await world.passTime(30_000);
    const [shown] = status?.containerStatuses ?? [];
    assert.ok(shown);
    const unready = { ...status, containerStatuses: [{ ...shown, ready: false }] };
    assert.match(whyUntrue(world, model, unready) ?? '', /is not ready=true/);
  });
});

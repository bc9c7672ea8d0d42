/** Histories that once broke an invariant, written out step by step so that no change of seeds loses them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../src/core/api/pod.ts';
import { toPodUid } from '../../src/core/model/ids.ts';
import { makeSandboxConfig } from '../fakes/runtime-configs.ts';
import { GATE_WIDTH } from './node.ts';
import { type Script, toCommand } from './script-book.ts';
import { describeRemains } from './settled.ts';
import { World } from './world.ts';

function plainPod(name: string, uid: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'sim', uid },
    spec: {
      containers: [{ name: 'main', image: `${name}/app:1` }],
      terminationGracePeriodSeconds: 1,
      restartPolicy: 'Always',
      enableServiceLinks: false,
    },
  };
}

/** A world whose agent runs the pod `web-0`. */
async function runningWorld(seed: number): Promise<World> {
  const world = new World(seed, false);
  world.add(plainPod('web', 'web-0'), 'file');
  world.startAgent();
  await world.passTime(10_000);
  assert.ok(isRunning(world, 'web-0'));
  return world;
}

const isRunning = (world: World, uid: string): boolean =>
  world.runtime.containersOf(uid).some(({ state }) => state === 'running');

function removeNow(world: World, uid: string): void {
  const model = world.pods.get(uid);
  assert.ok(model);
  world.remove(model);
  world.deliver();
}

describe('the agent', () => {
  it('starts an edited static pod after its predecessor, also when it was away during the edit', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const world = await runningWorld(seed);
      world.killAgent('complete');
      removeNow(world, 'web-0');
      world.add(plainPod('web', 'web-1'), 'file');
      world.startAgent();
      await world.passTime(20_000);
      assert.equal(world.invariants.violation, undefined);
      assert.ok(isRunning(world, 'web-1'));
    }
  });

  it('restarts a container at the request of an operator, once, and records it', async () => {
    const world = await runningWorld(1);
    const uid = toPodUid('web-0');
    const [before] = world.runtime.containersOf('web-0');
    world.pods.get('web-0')?.restartsAsked.add(before?.id ?? '');
    assert.deepEqual(world.agent?.operator.restart(uid, undefined), { ok: true, subjects: ['main'] });
    await world.passTime(60_000);
    const running = world.runtime.containersOf('web-0').filter(({ state }) => state === 'running');
    assert.equal(world.invariants.violation, undefined);
    assert.equal(running.length, 1);
    assert.notEqual(running[0]?.id, before?.id);
    assert.equal(world.agent?.board.published.get(uid)?.status.containerStatuses?.[0]?.restartCount, 1);
    const steps = world.agent?.timelines.read(uid)?.steps.map(({ what }) => what) ?? [];
    assert.equal(steps.filter((what) => what === 'start').length, 2);
    assert.equal(steps.filter((what) => what === 'stop').length, 1);
    assert.equal(world.invariants.violation, undefined);
    await world.stopAgent();
  });

  it('keeps the back-off of a crash loop where the clock of the machine was set', async () => {
    for (const byHours of [0, -5, 5]) {
      const world = await runningWorld(1);
      let crashes = 0;
      const crashFor = async (ms: number): Promise<void> => {
        const endMs = world.clock.steady() + ms;
        while (world.clock.steady() < endMs) {
          const running = world.runtime.containersOf('web-0').find(({ state }) => state === 'running');
          if (running !== undefined) world.runtime.exitContainer(running, 1);
          crashes += Number(running !== undefined);
          await world.clock.advance(500);
        }
      };
      await crashFor(60_000);
      world.clock.setBy(byHours * 3_600_000);
      await crashFor(600_000);
      assert.ok(crashes >= 7 && crashes <= 9, `${crashes} crashes, clock set by ${byHours} h`);
    }
  });

  it('ends a back-off at the request of an operator', async () => {
    const world = await runningWorld(1);
    const crash = async (): Promise<void> => {
      const running = world.runtime.containersOf('web-0').find(({ state }) => state === 'running');
      assert.ok(running);
      world.runtime.exitContainer(running, 1);
      await world.passTime(3_000);
    };
    await crash();
    await crash();
    assert.ok(!isRunning(world, 'web-0'), 'the second end waits for its back-off');
    const model = world.pods.get('web-0');
    assert.ok(model);
    model.retriedAtMs = world.nowMs;
    assert.deepEqual(world.agent?.operator.retry(toPodUid('web-0')), { ok: true, subjects: ['main'] });
    await world.passTime(3_000);
    assert.ok(isRunning(world, 'web-0'));
    assert.equal(world.invariants.violation, undefined);
    await world.stopAgent();
  });

  it('starts nothing while the runtime says that it is not ready, publishes, and goes on when it is', async () => {
    const world = await runningWorld(1);
    const countSandboxes = () => world.runtime.log.filter(({ op }) => op === 'runSandbox').length;
    const before = countSandboxes();
    world.runtime.runtimeReady = false;
    await world.passTime(6_000);
    world.add(plainPod('db', 'db-0'), 'file');
    world.deliver();
    await world.passTime(20_000);
    assert.equal(countSandboxes(), before);
    assert.equal(world.agent?.board.published.get(toPodUid('db-0'))?.status.phase, 'Pending');
    assert.ok(isRunning(world, 'web-0'));
    world.runtime.runtimeReady = true;
    await world.passTime(8_000);
    assert.ok(isRunning(world, 'db-0'));
    assert.equal(world.invariants.violation, undefined);
    await world.stopAgent();
  });

  it('leaves nothing of a removed pod, wherever in its end the agent is killed', async () => {
    let wasOver = false;
    for (let timers = 0; !wasOver; timers++) {
      assert.ok(timers < 60);
      const world = await runningWorld(7);
      const model = world.pods.get('web-0');
      assert.ok(model);
      removeNow(world, 'web-0');
      await world.passTimers(timers);
      // To be killed later than this changes nothing.
      wasOver = describeRemains(world, model) === undefined;
      world.killAgent('complete');
      world.startAgent();
      for (let ms = 0; ms < 90_000 && describeRemains(world, model) !== undefined; ms += 5_000)
        await world.passTime(5_000);
      await world.passTime(5_000);
      assert.equal(describeRemains(world, model), undefined, `killed after ${timers} timers`);
      assert.ok(!wasOver || timers > 10, `${timers} timers`);
    }
  });

  it('ends a pod whose container the runtime refuses to remove, and removes it when the runtime lets go', async () => {
    const world = await runningWorld(1);
    const refusal = world.runtime.faults.add({
      op: ['removeContainer', 'removeSandbox'],
      podUid: 'web-0',
      error: 'failed-precondition',
    });
    removeNow(world, 'web-0');
    await world.passTime(60_000);
    const model = world.pods.get('web-0');
    assert.ok(model);
    assert.equal(world.agent?.desired.records.get(toPodUid('web-0'))?.source, 'runtime');
    assert.equal(world.runtime.containersOf('web-0').length, 1);
    refusal.release();
    await world.passTime(20_000);
    assert.equal(describeRemains(world, model), undefined);
    assert.equal(world.agent.desired.records.has(toPodUid('web-0')), false);
    assert.equal(world.invariants.violation, undefined);
  });

  it('runs a pod in a sandbox that a killed agent made after its directories were gone', async () => {
    const world = await runningWorld(1);
    removeNow(world, 'web-0');
    await world.passTime(20_000);
    const config = makeSandboxConfig('web-0', { name: 'web', namespace: 'sim' });
    await world.clock.finish(world.runtime.runSandbox(config, ''));
    world.add(plainPod('web', 'web-0'), 'file');
    world.deliver();
    await world.passTime(20_000);
    assert.ok(isRunning(world, 'web-0'));
  });

  it('starts a pod although more starts hang than the gate has places', async () => {
    const world = await runningWorld(1);
    for (let index = 0; index < GATE_WIDTH + 1; index++) {
      world.add(plainPod(`hung${index}`, `hung${index}-0`), 'file');
      const model = world.pods.get(`hung${index}-0`);
      assert.ok(model);
      world.troubles.hang(model, 'runSandbox');
    }
    world.add(plainPod('late', 'late-0'), 'file');
    world.deliver();
    await world.passTime(30_000);
    assert.ok(isRunning(world, 'late-0'));
  });

  it('does not end a sidecar while its main container cannot be stopped', async () => {
    const world = new World(1, false);
    const pod = plainPod('web', 'web-0');
    const initContainers = [{ name: 'side', image: 'web/side:1', restartPolicy: 'Always' as const }];
    const spec = { ...pod.spec, initContainers, terminationGracePeriodSeconds: 20 };
    world.add({ ...pod, spec }, 'file');
    world.startAgent();
    await world.passTime(30_000);
    const main = { op: 'stopContainer', containerName: 'main', error: 'unavailable', times: 1 } as const;
    const fault = world.runtime.faults.add(main);
    removeNow(world, 'web-0');
    await world.passTime(400);
    assert.equal(fault.hits, 1);
    assert.deepEqual(
      world.runtime.containersOf('web-0').map(({ state }) => state),
      ['running', 'running'],
    );
    await world.passTime(30_000);
    assert.equal(world.invariants.violation, undefined);
    const model = world.pods.get('web-0');
    assert.ok(model);
    assert.equal(describeRemains(world, model), undefined);
  });

  it('says that a pod has ended only when its ephemeral containers have', async () => {
    const world = new World(1, false);
    const pod = plainPod('job', 'job-0');
    const ephemeralContainers = [{ name: 'debug', image: 'job/term:1500' }];
    const containers = [{ name: 'main', image: 'job/exit:0-4000' }];
    world.add(
      { ...pod, spec: { ...pod.spec, containers, ephemeralContainers, restartPolicy: 'Never' } },
      'api',
    );
    const phases: (string | undefined)[] = [];
    world.startAgent();
    world.agent?.board.published.subscribe((_uid, published) => void phases.push(published?.status.phase));
    await world.passTime(20_000);
    assert.equal(world.invariants.violation, undefined);
    assert.ok(!isRunning(world, 'job-0'));
    assert.deepEqual([...new Set(phases)], ['Pending', 'Running', 'Succeeded']);
  });

  it('lets a sandbox that is being made come to its end before the pod is gone', async () => {
    const world = new World(1, false);
    world.add(plainPod('web', 'web-0'), 'file');
    world.startAgent();
    const calls = (phase: string) =>
      world.runtime.log.filter((call) => call.op === 'runSandbox' && call.phase === phase);
    await world.clock.runUntil(() => calls('begin').length === 1, 10_000);
    removeNow(world, 'web-0');
    await world.passTime(10_000);
    assert.deepEqual(
      calls('end').map(({ error }) => error),
      [undefined],
    );
    assert.deepEqual(
      world.runtime.history.map(({ event }) => event.kind),
      ['created', 'started', 'stopped', 'deleted'],
    );
    assert.equal(world.agent?.desired.records.size, 0);
  });

  it('cancels a sandbox that does not come to its end, and the pod goes all the same', async () => {
    const world = new World(1, false);
    world.add(plainPod('web', 'web-0'), 'file');
    const model = world.pods.get('web-0');
    assert.ok(model);
    world.troubles.hang(model, 'runSandbox');
    world.startAgent();
    await world.passTime(10_000);
    removeNow(world, 'web-0');
    await world.passTime(5_000);
    assert.equal(world.agent?.desired.records.size, 0);
  });

  it('lets a start that is under way come to its end when the agent is asked to stop', async () => {
    const world = new World(1, false);
    const pod = plainPod('job', 'job-0');
    world.add({ ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } }, 'file');
    world.startAgent();
    const calls = (phase: string) =>
      world.runtime.log.filter((call) => call.op === 'startContainer' && call.phase === phase);
    await world.clock.runUntil(() => calls('begin').length === 1, 10_000);
    assert.ok(await world.stopAgent());
    assert.deepEqual(
      calls('end').map(({ error }) => error),
      [undefined],
    );
    assert.ok(isRunning(world, 'job-0'));
  });

  it('keeps the count of an init container, wherever it is killed while a lost sandbox is replaced', async () => {
    for (let timers = 0; timers < 40; timers++) {
      const world = new World(2, false);
      const pod = plainPod('web', 'web-0');
      const initContainers = [{ name: 'init', image: 'web/exit:1-300' }];
      world.add({ ...pod, spec: { ...pod.spec, initContainers } }, 'file');
      world.startAgent();
      await world.clock.runUntil(() => world.runtime.containersOf('web-0', 'init').length === 2, 60_000);
      await world.passTime(200);
      const [sandbox] = world.runtime.sandboxesOf('web-0');
      assert.ok(sandbox);
      world.runtime.failSandbox(sandbox);
      await world.passTimers(timers);
      world.killAgent('complete');
      world.startAgent();
      // Longer than its back-off.
      await world.passTime(15_000);
      assert.equal(world.invariants.violation, undefined, `killed after ${timers} timers`);
    }
  });

  it('publishes that a pod is not ready any more while its preStop hook runs', async () => {
    const world = new World(1, false);
    const command = (purpose: 'readiness' | 'preStop', script: Script) =>
      toCommand(world.scripts.write({ uid: 'web-0', container: 'main', purpose, script }));
    const pod = plainPod('web', 'web-0');
    const containers = [
      {
        name: 'main',
        image: 'web/app:1',
        lifecycle: { preStop: { exec: { command: command('preStop', 'hangs') } } },
        readinessProbe: {
          exec: { command: command('readiness', 'fails-35000') },
          periodSeconds: 1,
          failureThreshold: 1,
        },
      },
    ];
    world.add({ ...pod, spec: { ...pod.spec, containers, terminationGracePeriodSeconds: 60 } }, 'api');
    world.startAgent();
    await world.passTime(30_000);
    const isReady = (): boolean | undefined =>
      world.agent?.board.published.get(toPodUid('web-0'))?.status.containerStatuses?.[0]?.ready;
    assert.equal(isReady(), true);
    removeNow(world, 'web-0');
    await world.passTime(2_000);
    assert.equal(isReady(), true);
    await world.passTime(10_000);
    assert.ok(isRunning(world, 'web-0'));
    assert.equal(isReady(), false);
  });

  it('enforces what is kept for others on cgroups that get their controllers with its own', async () => {
    const world = new World(1, false);
    const path = '/system.slice';
    world.cgroups.paths.add(path);
    world.cgroups.lacking.add(path);
    const values = { memoryLimitBytes: 2 ** 30 };
    world.reserved = [{ holder: 'system', name: path, path, values, cpuOnly: false }];
    world.startAgent();
    await world.passTime(1_000);
    assert.equal(world.invariants.violation, undefined);
    assert.deepEqual(world.cgroups.values.get(path), values);
  });

  it('gives all cgroups their values again when someone has removed those above its pods', async () => {
    const world = await runningWorld(1);
    const before = Object.fromEntries(world.cgroups.values);
    world.cgroups.paths.clear();
    world.cgroups.values.clear();
    const [sandbox] = world.runtime.sandboxesOf('web-0');
    assert.ok(sandbox);
    world.runtime.failSandbox(sandbox);
    await world.passTime(30_000);
    assert.ok(isRunning(world, 'web-0'));
    assert.deepEqual(Object.fromEntries(world.cgroups.values), before);
  });
});

/** Pods that the node itself fails, on the whole agent: past their deadline, refused, preempted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod, PodSpec } from '../../src/core/api/pod.ts';
import type { PodStatus } from '../../src/core/api/pod-status.ts';
import { toPodUid } from '../../src/core/model/ids.ts';
import { World } from './world.ts';

function makePod(name: string, spec: Partial<PodSpec> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'sim', uid: name },
    spec: {
      containers: [{ name: 'main', image: `${name}/app:1` }],
      terminationGracePeriodSeconds: 1,
      restartPolicy: 'Always',
      enableServiceLinks: false,
      ...spec,
    },
  };
}

/** The node is to end the pod: the world, once its agent runs, expects it and reports no violation. */
function expectEnd(world: World, uid: string): void {
  const model = world.pods.get(uid);
  assert.ok(model);
  model.ending = true;
  model.endIsExpected = true;
}

const statusOf = (world: World, uid: string): PodStatus | undefined =>
  world.agent?.board.published.get(toPodUid(uid))?.status;
const isRunning = (world: World, uid: string): boolean =>
  world.runtime.containersOf(uid).some(({ state }) => state === 'running');
const deadlineEvents = (world: World): unknown[] =>
  world.events.events
    .filter(({ reason }) => reason === 'DeadlineExceeded')
    .map(({ type, message }) => [type, message]);

const PAST = 'Pod was active on the node longer than the specified deadline';

describe('a pod with an active deadline', () => {
  it('runs until then, ends as Failed and is not started again', async () => {
    const world = new World(3, false);
    world.add(makePod('late', { activeDeadlineSeconds: 30 }), 'file');
    world.startAgent();
    expectEnd(world, 'late');
    await world.passTime(25_000);
    assert.ok(isRunning(world, 'late'));
    assert.equal(statusOf(world, 'late')?.phase, 'Running');
    await world.passTime(15_000);
    assert.ok(!isRunning(world, 'late'));
    const { phase, reason, message } = statusOf(world, 'late') ?? {};
    assert.deepEqual([phase, reason, message], ['Failed', 'DeadlineExceeded', PAST]);
    assert.deepEqual(deadlineEvents(world), [['Normal', PAST]]);
    await world.passTime(60_000);
    assert.ok(!isRunning(world, 'late'));
    assert.equal(statusOf(world, 'late')?.phase, 'Failed');
    assert.equal(world.invariants.violation, undefined);
  });

  it('does not get more time from a restart of the agent', async () => {
    const world = new World(4, false);
    world.add(makePod('late', { activeDeadlineSeconds: 60 }), 'file');
    world.startAgent();
    await world.passTime(30_000);
    world.killAgent('complete');
    await world.passTime(10_000);
    world.startAgent();
    expectEnd(world, 'late');
    await world.passTime(10_000);
    assert.ok(isRunning(world, 'late'));
    await world.passTime(25_000);
    assert.ok(!isRunning(world, 'late'));
    assert.equal(statusOf(world, 'late')?.reason, 'DeadlineExceeded');
  });

  it('does not wait for a step that hangs', async () => {
    const world = new World(5, false);
    world.add(makePod('hung', { activeDeadlineSeconds: 20 }), 'file');
    const model = world.pods.get('hung');
    assert.ok(model);
    world.troubles.hang(model, 'runSandbox');
    world.startAgent();
    // Its call gets a moment to end by itself.
    await world.passTime(23_000);
    assert.equal(world.agent?.desired.records.get(toPodUid('hung'))?.termination?.cause, 'deadline');
  });
});

describe('a pod that the node does not take', () => {
  it('never starts and says why, and nothing else', async () => {
    const world = new World(6, false);
    world.admit = ({ metadata }) =>
      metadata.name === 'big'
        ? { ok: false, reason: 'OutOfcpu', message: 'no room' }
        : { ok: true, victims: [] };
    world.add(makePod('big'), 'api');
    world.add(makePod('small'), 'api');
    world.startAgent();
    expectEnd(world, 'big');
    await world.passTime(20_000);
    assert.deepEqual(world.runtime.sandboxesOf('big'), []);
    const { startTime: _, ...shown } = statusOf(world, 'big') ?? {};
    assert.deepEqual(shown, {
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: 'Pod was rejected: no room',
      qosClass: 'BestEffort',
    });
    assert.ok(isRunning(world, 'small'));
    assert.equal(world.invariants.violation, undefined);
  });

  it('ends when it already ran: an agent that starts again repeats the request', async () => {
    const world = new World(7, false);
    world.add(makePod('web'), 'file');
    world.startAgent();
    await world.passTime(10_000);
    assert.ok(isRunning(world, 'web'));
    world.killAgent('complete');
    world.admit = () => ({ ok: false, reason: 'NodeAffinity', message: 'not here' });
    world.startAgent();
    expectEnd(world, 'web');
    await world.passTime(10_000);
    assert.ok(!isRunning(world, 'web'));
    assert.equal(statusOf(world, 'web')?.phase, 'Failed');
    assert.equal(statusOf(world, 'web')?.reason, 'NodeAffinity');
  });

  it('a victim of a critical pod ends as Failed, with the condition that says so', async () => {
    const world = new World(8, false);
    const victim = makePod('victim');
    world.admit = ({ metadata }) => ({ ok: true, victims: metadata.name === 'critical' ? [victim] : [] });
    world.add(victim, 'api');
    world.startAgent();
    await world.passTime(10_000);
    expectEnd(world, 'victim');
    world.add(makePod('critical'), 'file');
    world.deliver();
    await world.passTime(10_000);
    assert.ok(isRunning(world, 'critical'));
    assert.ok(!isRunning(world, 'victim'));
    const { phase, reason, message, conditions } = statusOf(world, 'victim') ?? {};
    assert.deepEqual(
      [phase, reason, message],
      ['Failed', 'Preempting', 'Preempted in order to admit critical pod'],
    );
    assert.equal(conditions?.find(({ type }) => type === 'DisruptionTarget')?.status, 'True');
    assert.equal(world.invariants.violation, undefined);
  });
});

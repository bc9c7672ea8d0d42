import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeCgroups } from '../../../test/fakes/fake-cgroups.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import type { Pod } from '../../core/api/pod.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { DesiredPods } from '../desired/desired-pods.ts';
import { CgroupRefusals } from './cgroup-refusals.ts';
import { QosCgroups } from './qos-cgroups.ts';

const ALL = '/kubepods';
const BURSTABLE = '/kubepods/burstable';
const BEST_EFFORT = '/kubepods/besteffort';
const LIMITS = { cpuShares: 4096, memoryLimitBytes: 2 ** 30 };

function burstable(uid: string, cpu: string): Pod {
  const containers = [sampleContainer({ resources: { requests: { cpu } } })];
  return samplePod({ containers }, { name: uid, uid });
}

function setUp(cgroups = new FakeCgroups(), cgroupsPerQos = true, reservedMemoryPercent?: number) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const events = new RecordingEvents();
  const desired = new DesiredPods({ clock, events, sources: ['file', 'api'] });
  const refusals = new CgroupRefusals(logger);
  const node = sampleNode({ cgroupDriver: 'cgroupfs', cgroupsPerQos });
  const qos = new QosCgroups({
    cgroups,
    desired,
    node,
    allPods: LIMITS,
    reservedMemoryPercent,
    refusals,
    kit: { clock, logger, events },
  });
  const stop = new AbortController();
  const shares = (): number | undefined => cgroups.values.get(BURSTABLE)?.cpuShares;
  /** Runs until the body is over; ends with a leak check. */
  const during = async (body: () => Promise<void>): Promise<void> => {
    await qos.load();
    const running = qos.run(stop.signal);
    await clock.settle();
    await body();
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  };
  return { cgroups, clock, desired, events, logger, qos, shares, during };
}

describe('QosCgroups', () => {
  it('gives the node and both tiers their values at start, and says that limits hold', async () => {
    const { cgroups, events, during } = setUp();
    await during(async () => {
      assert.deepEqual([...cgroups.paths].sort(), [BEST_EFFORT, BURSTABLE]);
      assert.deepEqual(Object.fromEntries(cgroups.values), {
        [BURSTABLE]: { cpuShares: 2 },
        [BEST_EFFORT]: { cpuShares: 2 },
        [ALL]: LIMITS,
      });
      assert.deepEqual(events.nodeEvents, [
        {
          type: 'Normal',
          reason: 'NodeAllocatableEnforced',
          message: 'Updated Node Allocatable limit across pods',
        },
      ]);
    });
  });

  it('recomputes the weight of the burstable tier when a pod comes, finishes or is gone', async () => {
    const { clock, desired, shares, during } = setUp();
    await during(async () => {
      desired.deliver('file', [burstable('a', '250m'), burstable('b', '500m'), samplePod()]);
      await clock.settle();
      assert.equal(shares(), 768);
      desired.requestTermination(toPodUid('a'), { cause: 'completed' });
      await clock.settle();
      assert.equal(shares(), 512);
      desired.deliver('file', []);
      await clock.settle();
      assert.equal(shares(), 512, 'a pod counts while it ends');
      desired.forget(toPodUid('b'));
      await clock.settle();
      assert.equal(shares(), 2);
    });
  });

  it('writes nothing when a change of a pod changes no weight', async () => {
    const { cgroups, clock, desired, during } = setUp();
    await during(async () => {
      desired.deliver('file', [burstable('a', '250m')]);
      await clock.settle();
      cgroups.values.clear();
      const changed = burstable('a', '250m');
      desired.deliver('file', [{ ...changed, metadata: { ...changed.metadata, labels: { a: 'b' } } }]);
      await clock.settle();
      assert.equal(cgroups.values.size, 0);
    });
  });

  it('leaves the weight an earlier agent gave until every source has been seen', async () => {
    const cgroups = new FakeCgroups();
    await cgroups.ensure(BURSTABLE);
    await cgroups.apply(BURSTABLE, { cpuShares: 900 });
    const { clock, desired, shares, during } = setUp(cgroups);
    await during(async () => {
      desired.deliver('file', [burstable('a', '500m')]);
      await clock.settle();
      assert.equal(shares(), 900);
      desired.deliver('api', []);
      await clock.settle();
      assert.equal(shares(), 512);
    });
  });

  it('retries a busy limit after a minute, and logs a missing right only once', async () => {
    const { cgroups, clock, events, logger, during } = setUp();
    const refused = (message: string, retryable: boolean) => ({ control: 'memory.max', message, retryable });
    cgroups.refusals.set(ALL, [refused('cannot write "1" to "/a": resource busy or locked', true)]);
    cgroups.refusals.set(BURSTABLE, [refused('cannot write "1" to "/b": operation not permitted', false)]);
    cgroups.refusals.set(BEST_EFFORT, [refused('cannot write "1" to "/c": operation not permitted', false)]);
    await during(async () => {
      assert.deepEqual(
        logger.lines.map(({ fields }) => fields['cgroup']),
        [BURSTABLE, ALL],
      );
      cgroups.refusals.clear();
      await clock.advance(60_000);
    });
    assert.deepEqual(
      events.nodeEvents.map(({ reason, message }) => [reason, message]),
      [
        [
          'FailedNodeAllocatableEnforcement',
          'Failed to update Node Allocatable Limits "/kubepods": cannot write "1" to "/a": resource busy or locked',
        ],
        ['NodeAllocatableEnforced', 'Updated Node Allocatable limit across pods'],
      ],
    );
  });

  it('tries again a minute after a failure of the disk', async () => {
    const { cgroups, clock, shares, logger, during } = setUp();
    cgroups.faults.add({ errno: 'EIO', op: 'ensure', times: 2 });
    await during(async () => {
      assert.equal(shares(), undefined);
      assert.deepEqual(logger.messages('warning'), [
        'cannot make the QoS cgroups',
        'cannot write the QoS cgroups, retrying later',
      ]);
      await clock.advance(60_000);
      assert.equal(shares(), 2);
    });
  });

  it('makes its cgroups before anything runs', async () => {
    const { cgroups, clock, qos } = setUp();
    await qos.load();
    assert.deepEqual([...cgroups.paths].sort(), [BEST_EFFORT, BURSTABLE]);
    assert.equal(cgroups.values.size, 0);
    assert.equal(clock.pendingTimers, 0);
  });

  it('writes everything again when it was lost, also what is written at that moment', async () => {
    const cgroups = new FakeCgroups();
    await cgroups.ensure(BURSTABLE);
    const { clock, desired, qos, shares, during } = setUp(cgroups);
    await during(async () => {
      for (const source of ['file', 'api'] as const)
        desired.deliver(source, source === 'file' ? [burstable('a', '500m')] : []);
      await clock.settle();
      assert.equal(shares(), 512);
      for (const isBusy of [false, true]) {
        if (isBusy) desired.deliver('file', [burstable('a', '500m'), burstable('b', '250m')]);
        cgroups.paths.clear();
        cgroups.values.clear();
        qos.writeAgain();
        await clock.settle();
        assert.deepEqual([...cgroups.paths].sort(), [BEST_EFFORT, BURSTABLE]);
        assert.deepEqual(Object.fromEntries(cgroups.values), {
          [BURSTABLE]: { cpuShares: isBusy ? 768 : 512 },
          [BEST_EFFORT]: { cpuShares: 2 },
          [ALL]: LIMITS,
        });
      }
    });
  });

  it('makes again also what was removed the moment it was made', async () => {
    const cgroups = new FakeCgroups();
    const { qos, during } = setUp(cgroups);
    const { ensure } = cgroups;
    cgroups.ensure = async (path) => {
      const ensured = await ensure.call(cgroups, path);
      if (path !== BEST_EFFORT) return ensured;
      cgroups.ensure = ensure;
      cgroups.paths.clear();
      qos.writeAgain();
      return ensured;
    };
    await during(async () => assert.deepEqual([...cgroups.paths].sort(), [BEST_EFFORT, BURSTABLE]));
  });

  it('weighs what it knows when the weight of an earlier agent was lost before every source was seen', async () => {
    const cgroups = new FakeCgroups();
    await cgroups.ensure(BURSTABLE);
    const { clock, desired, qos, shares, during } = setUp(cgroups);
    await during(async () => {
      desired.deliver('file', [burstable('a', '500m')]);
      await clock.settle();
      assert.equal(shares(), undefined);
      qos.writeAgain();
      await clock.settle();
      assert.equal(shares(), 512);
    });
  });

  it('keeps memory for higher tiers where that is wanted, but never below what is in use', async () => {
    const cgroups = new FakeCgroups();
    const MIB = 2 ** 20;
    const { desired, during, clock } = setUp(cgroups, true, 50);
    const resources = { requests: { memory: '200Mi' } };
    const pod = samplePod({ containers: [sampleContainer({ resources })] }, { name: 'a', uid: 'a' });
    await during(async () => {
      desired.deliver('file', [pod]);
      await clock.settle();
      assert.equal(cgroups.values.get(BURSTABLE)?.memoryLimitBytes, 2 ** 30);
      assert.equal(cgroups.values.get(BEST_EFFORT)?.memoryLimitBytes, 2 ** 30 - 100 * MIB);
      cgroups.usages.set(BEST_EFFORT, 2 ** 30 - MIB);
      const message = 'cannot write: device or resource busy';
      cgroups.refusals.set(BEST_EFFORT, [{ control: 'memory.limit_in_bytes', message, retryable: true }]);
      desired.deliver('file', [pod, { ...pod, metadata: { ...pod.metadata, name: 'b', uid: 'b' } }]);
      await clock.settle();
      assert.equal(cgroups.values.get(BEST_EFFORT)?.memoryLimitBytes, 2 ** 30 - MIB);
    });
  });

  it('touches nothing on a node without QoS cgroups', async () => {
    const { cgroups, during } = setUp(new FakeCgroups(), false);
    await during(async () => assert.equal(cgroups.paths.size + cgroups.values.size, 0));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeCgroups } from '../../../test/fakes/fake-cgroups.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { hasCode } from '../../base/errors.ts';
import { CgroupRefusals } from './cgroup-refusals.ts';
import { enforceReservedCgroups, type ReservedCgroup } from './reserved-cgroups.ts';

const SYSTEM: ReservedCgroup = {
  holder: 'system',
  name: '/system.slice',
  path: '/system.slice',
  values: { cpuShares: 512 },
  cpuOnly: false,
};
const KUBE: ReservedCgroup = { ...SYSTEM, holder: 'kube', name: '/kube', path: '/kube', cpuOnly: true };

function setUp() {
  const cgroups = new FakeCgroups();
  const events = new RecordingEvents();
  const parts = { cgroups, events, refusals: new CgroupRefusals(new RecordingLogger()) };
  return {
    cgroups,
    events,
    run: (reserved: ReservedCgroup[]) => enforceReservedCgroups(parts, reserved),
  };
}

describe('enforceReservedCgroups', () => {
  it('writes to the named cgroups and records an event for each', async () => {
    const { cgroups, events, run } = setUp();
    for (const { path } of [SYSTEM, KUBE]) await cgroups.ensure(path);
    await run([SYSTEM, KUBE]);
    assert.deepEqual(cgroups.values.get('/kube'), { cpuShares: 512 });
    assert.deepEqual(
      events.nodeEvents.map(({ message }) => message),
      [
        'Updated limits on system reserved cgroup /system.slice',
        'Updated limits on kube reserved cgroup /kube',
      ],
    );
  });

  it('fails when a cgroup does not exist, and makes none', async () => {
    const { cgroups, events, run } = setUp();
    const message =
      'Failed to enforce Kube Reserved Compressible Cgroup Limits on "/kube": cgroup "/kube" does not exist';
    await assert.rejects(run([KUBE]), (error) => {
      assert.ok(hasCode(error, 'failed-precondition'));
      assert.equal(error.message, message);
      return true;
    });
    assert.deepEqual(events.nodeEvents, [
      { type: 'Warning', reason: 'FailedNodeAllocatableEnforcement', message },
    ]);
    assert.equal(cgroups.paths.size, 0);
  });

  it('fails when more is in use than is reserved', async () => {
    const { cgroups, run } = setUp();
    await cgroups.ensure(SYSTEM.path);
    cgroups.refusals.set(SYSTEM.path, [{ control: 'memory.max', message: 'it is busy', retryable: true }]);
    await assert.rejects(run([SYSTEM]), /System Reserved Cgroup Limits on "\/system.slice": it is busy/);
  });
});

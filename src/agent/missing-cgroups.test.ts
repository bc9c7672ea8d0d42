import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeCgroups } from '../../test/fakes/fake-cgroups.ts';
import { RecordingLogger } from '../../test/fakes/recording-logger.ts';
import { type PodUid, toPodUid } from '../core/pod/ids.ts';
import type { ObservedPod } from '../core/pod/observed-pod.ts';
import { sampleNode, samplePod } from '../core/spec/sample-pod.ts';
import { observe, sandbox } from '../core/status/sample-pods.ts';
import type { DesiredPod } from './desired-pods.ts';
import { warnOfMissingCgroups } from './missing-cgroups.ts';

const record = (uid: string): DesiredPod => ({
  uid: toPodUid(uid),
  pod: samplePod({}, { uid }),
  source: 'file',
  order: 0,
});

test('warnOfMissingCgroups names pods that run without their cgroup, and no others', async () => {
  const cgroups = new FakeCgroups();
  await cgroups.ensure('/kubepods/besteffort/podkept');
  const listed = new Map<PodUid, ObservedPod>([
    [toPodUid('kept'), observe([], [sandbox()])],
    [toPodUid('lost'), observe([], [sandbox()])],
    [toPodUid('ended'), observe([], [])],
  ]);
  const warn = async (cgroupsPerQos: boolean) => {
    const logger = new RecordingLogger();
    const node = sampleNode({ cgroupDriver: 'cgroupfs', cgroupsPerQos });
    const records = ['kept', 'lost', 'ended', 'new'].map(record);
    await warnOfMissingCgroups({ cgroups, node, logger }, records, listed);
    return logger.lines.map(({ fields }) => fields['cgroup']);
  };
  assert.deepEqual(await warn(true), ['/kubepods/besteffort/podlost']);
  assert.deepEqual(await warn(false), []);
});

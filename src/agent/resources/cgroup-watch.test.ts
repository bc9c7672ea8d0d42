import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { sampleNode } from '../../../test/samples/sample-pod.ts';
import { instance, observe, samplePod, UID } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { CgroupWatch } from './cgroup-watch.ts';

const RECORD: DesiredPod = { uid: UID, pod: samplePod(), source: 'api', order: 0 };
const RUNNING = observe([instance('main', 'running')]);

it('CgroupWatch looks until a running pod has its cgroup, warns once, and forgets with the pod', async () => {
  const logger = new RecordingLogger();
  const host = { exists: false, broken: false, looks: 0 };
  const cgroups = {
    children: async () => {
      host.looks++;
      if (host.broken) throw new AgentError('unavailable', 'no answer');
      return [];
    },
    exists: async () => host.exists,
  };
  const watch = new CgroupWatch({ cgroups, node: sampleNode(), logger });
  host.broken = true;
  await watch.refresh(RECORD, RUNNING);
  assert.equal(watch.isMissing(UID), false, 'nothing is known on a guess');
  host.broken = false;
  await watch.refresh(RECORD, RUNNING);
  await watch.refresh(RECORD, RUNNING);
  assert.equal(watch.isMissing(UID), true);
  assert.equal(logger.messages('warning').length, 1);
  host.exists = true;
  await watch.refresh(RECORD, RUNNING);
  assert.deepEqual([watch.isMissing(UID), host.looks], [false, 4]);
  await watch.refresh(RECORD, RUNNING);
  assert.equal(host.looks, 4);
  watch.podGone(RECORD);
  await watch.refresh(RECORD, RUNNING);
  assert.equal(host.looks, 5);
});

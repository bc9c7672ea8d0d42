import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { CgroupRefusals } from './cgroup-refusals.ts';

it('CgroupRefusals logs a reason once, also one that names the cgroup', () => {
  const logger = new RecordingLogger();
  const refusals = new CgroupRefusals(logger);
  const note = (pod: string, why: string): void => {
    const unit = `kubepods-pod${pod}.slice`;
    const message = `cannot change "${unit}": ${why.replace('UNIT', unit)}`;
    refusals.note(`/kubepods.slice/${unit}`, [{ control: 'systemd', message, retryable: false }]);
  };
  for (const pod of ['a', 'b', 'c']) {
    note(pod, 'Unit UNIT not loaded.');
    note(pod, 'no such property');
  }
  assert.deepEqual(
    logger.lines.map(({ fields }) => fields?.['err']),
    [
      'cannot change "kubepods-poda.slice": Unit kubepods-poda.slice not loaded.',
      'cannot change "kubepods-poda.slice": no such property',
    ],
  );
});

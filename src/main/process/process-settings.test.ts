import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { AgentError } from '../../base/errors.ts';
import { applyProcessSettings } from './process-settings.ts';

describe('applyProcessSettings', () => {
  it('sets what it can and reports what it cannot', async () => {
    const logger = new RecordingLogger();
    const set: number[] = [];
    await applyProcessSettings({ maxOpenFiles: 1000 }, logger, async (count) => void set.push(count));
    assert.deepEqual([set, logger.lines], [[1000], []]);
    await applyProcessSettings({ maxOpenFiles: 1000 }, logger, async () => {
      throw new AgentError('permission-denied', 'no');
    });
    assert.deepEqual(
      logger.lines.map(({ severity }) => severity),
      ['warning'],
    );
  });
});

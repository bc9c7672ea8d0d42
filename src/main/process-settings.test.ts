import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecordingLogger } from '../../test/fakes/recording-logger.ts';
import { AgentError } from '../base/errors.ts';
import type { KubeletConfiguration } from './config/kubelet-configuration.ts';
import { applyProcessSettings } from './process-settings.ts';

const config = { oomScoreAdj: -999, maxOpenFiles: 1000 } as KubeletConfiguration;

describe('applyProcessSettings', () => {
  it('sets what it can and tells what it cannot', async () => {
    const logger = new RecordingLogger();
    const set: number[] = [];
    await applyProcessSettings(config, logger, {
      oomScore: async () => {
        throw new AgentError('permission-denied', 'no');
      },
      maxFiles: async (count) => void set.push(count),
    });
    assert.deepEqual(set, [1000]);
    assert.equal(logger.lines.length, 1);
    assert.match(JSON.stringify(logger.lines[0]), /oomScoreAdj/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toWaitingReason } from './start-failure.ts';

const failure = (reason: string) => ({
  reason,
  message: 'no such image',
  failedAtMs: 5_000,
  retryAtMs: 15_000,
});

describe('toWaitingReason', () => {
  for (const reason of ['ErrImagePull', 'RegistryUnavailable', 'SignatureValidationFailed']) {
    it(`shows ${reason} for a second, then the back-off with the same words`, () => {
      assert.deepEqual(toWaitingReason(failure(reason), 'app:1', 5_999), {
        reason,
        message: 'no such image',
        changesAtMs: 6_000,
      });
      assert.deepEqual(toWaitingReason(failure(reason), 'app:1', 6_000), {
        reason: 'ImagePullBackOff',
        message: `Back-off pulling image "app:1": ${reason}: no such image`,
      });
    });
  }

  for (const reason of [
    'ErrImageNeverPull',
    'InvalidImageName',
    'CreateContainerError',
    'RunContainerError',
  ]) {
    it(`goes on to show ${reason}`, () => {
      assert.deepEqual(toWaitingReason(failure(reason), 'app:1', 14_999), {
        reason,
        message: 'no such image',
      });
    });
  }
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDue, toWaitingReason } from './start-failure.ts';

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
    it(`keeps showing ${reason}`, () => {
      assert.deepEqual(toWaitingReason(failure(reason), 'app:1', 14_999), {
        reason,
        message: 'no such image',
      });
    });
  }
});

describe('isDue', () => {
  const failure = { failedAtMs: 1_000, retryAtMs: 11_000 };
  const rows: readonly [number, boolean][] = [
    [1_000, false],
    [10_999, false],
    [11_000, true],
    [999, true],
  ];
  for (const [nowMs, expected] of rows)
    it(`is ${expected} at ${nowMs} for what failed at 1000 and waits until 11000`, () => {
      assert.equal(isDue(failure, nowMs), expected);
    });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RejectedManifests } from './rejected-manifests.ts';

describe('RejectedManifests', () => {
  it('keeps the time of what stays wrong, forgets what is good again, and calls listeners on a change only', async () => {
    const clock = new FakeClock();
    const rejected = new RejectedManifests(clock);
    let calls = 0;
    using _listening = rejected.subscribe(() => calls++);
    const [a, b] = ['a', 'b'].map((file) => ({ file, path: '', message: 'bad' }));
    assert.ok(a !== undefined && b !== undefined);
    const beganMs = clock.now();
    rejected.replace('file', [a]);
    await clock.advance(1_000);
    rejected.replace('file', [a]);
    rejected.replace('file', [a, b]);
    rejected.replace('http', [{ file: 'u', path: '', message: 'bad' }]);
    const times = rejected.list().map(({ file, sinceMs }) => [file, sinceMs - beganMs]);
    assert.deepEqual(times, [
      ['a', 0],
      ['b', 1_000],
      ['u', 1_000],
    ]);
    assert.equal(calls, 3);
    rejected.replace('file', []);
    assert.deepEqual(
      rejected.list().map(({ file }) => file),
      ['u'],
    );
  });
});

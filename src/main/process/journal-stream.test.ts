import assert from 'node:assert/strict';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { describe, it } from 'node:test';
import { isJournalStream } from './journal-stream.ts';

describe('isJournalStream', () => {
  it('knows the stream that systemd names from any other', () => {
    const descriptor = openSync('/dev/null', 'w');
    const { dev, ino } = fstatSync(descriptor);
    assert.equal(isJournalStream(`${dev}:${ino}`, descriptor), true);
    for (const other of [undefined, '', `${dev}:${ino + 1}`, `${dev + 1}:${ino}`, `${dev}:${ino}:`, 'x'])
      assert.equal(isJournalStream(other, descriptor), false, other);
    assert.equal(isJournalStream(`${dev}:${ino}`, 1_000_000), false, 'one that is closed');
    closeSync(descriptor);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseShutdownTimes, renderShutdownTimes } from './shutdown-times.ts';

describe('renderShutdownTimes', () => {
  it("writes upstream's file", () => {
    assert.equal(
      renderShutdownTimes({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6), endMs: undefined }),
      '{"startTime":"2026-01-02T03:04:05.006Z","endTime":"0001-01-01T00:00:00Z"}',
    );
  });
});

describe('parseShutdownTimes', () => {
  it('reads what was written, and the times of Go', () => {
    const times = { startMs: 1_700_000_000_000, endMs: 1_700_000_030_000 };
    assert.deepEqual(parseShutdownTimes(renderShutdownTimes(times)), times);
    const go = '{"startTime":"2026-01-02T03:04:05.123456789+02:00","endTime":"0001-01-01T00:00:00Z"}';
    assert.deepEqual(parseShutdownTimes(go), {
      startMs: Date.UTC(2026, 0, 2, 1, 4, 5, 123),
      endMs: undefined,
    });
  });

  it('takes nothing from what is not such a file', () => {
    assert.equal(parseShutdownTimes('{'), undefined);
    assert.equal(parseShutdownTimes('null'), undefined);
    assert.deepEqual(parseShutdownTimes('{"startTime":7,"endTime":"soon"}'), {
      startMs: undefined,
      endMs: undefined,
    });
  });
});

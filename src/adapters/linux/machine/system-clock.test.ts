import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { SystemClock } from './system-clock.ts';

describe('SystemClock', () => {
  const LONGEST = 2 ** 31 - 1;
  const NOW = Date.UTC(2026, 0, 2);
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: NOW }));
  afterEach(() => mock.timers.reset());

  it('returns the wall time', () => {
    assert.equal(new SystemClock().now(), NOW);
    // With the machine's steady clock a wall clock that stands still is one that was set back.
    const clock = new SystemClock({ wall: () => Date.now(), steady: () => Date.now() });
    assert.equal(clock.now(), NOW);
    mock.timers.tick(7);
    assert.equal(clock.now(), NOW + 7);
  });

  describe('with a wall clock that is set', () => {
    const HOUR = 3_600_000;
    function setUp() {
      const at = { wallMs: 10 * HOUR, steadyMs: 0 };
      const clock = new SystemClock({ wall: () => at.wallMs, steady: () => at.steadyMs });
      const pass = (ms: number): void => {
        at.wallMs += ms;
        at.steadyMs += ms;
      };
      return { at, clock, pass };
    }

    it('back, a grace is not longer: time goes on from where it was', () => {
      const { at, clock, pass } = setUp();
      const deadlineMs = clock.now() + 30_000;
      pass(10_000);
      at.wallMs -= HOUR;
      assert.ok(clock.now() >= deadlineMs - 20_100);
      pass(20_500);
      assert.ok(clock.now() >= deadlineMs, 'at most a hundredth later');
    });

    it('back, it is followed slowly until both are the same again', () => {
      const { at, clock, pass } = setUp();
      clock.now();
      at.wallMs -= 60_000;
      let before = clock.now();
      for (let minute = 0; minute < 101; minute++) {
        pass(60_000);
        assert.ok(clock.now() > before, 'time never goes back');
        before = clock.now();
      }
      assert.equal(clock.now(), at.wallMs);
    });

    it('ahead, it is followed at once', () => {
      const { at, clock } = setUp();
      clock.now();
      at.wallMs += HOUR;
      assert.equal(clock.now(), at.wallMs);
    });

    it('back or ahead, steady time goes on, in whole milliseconds', () => {
      const { at, clock, pass } = setUp();
      const startMs = clock.steady();
      pass(10_000.7);
      at.wallMs += HOUR;
      assert.equal(clock.steady() - startMs, 10_000);
      at.wallMs -= 2 * HOUR;
      assert.equal(clock.steady() - startMs, 10_000);
    });
  });

  for (const [what, delayMs, dueMs] of [
    ['a short delay', 100, 100],
    ['a fraction, rounded up', 1.2, 2],
    ['the longest delay of one timer', LONGEST, LONGEST],
    ['a delay longer than one timer', LONGEST + 10, LONGEST + 10],
    ['a delay of three timers', 2 * LONGEST + 10, 2 * LONGEST + 10],
  ] as const)
    it(`fires once after ${what}`, () => {
      let calls = 0;
      new SystemClock().startTimer(delayMs, () => void calls++);
      for (let left = dueMs - 1; left > 0; left -= LONGEST) mock.timers.tick(Math.min(left, LONGEST));
      assert.equal(calls, 0);
      mock.timers.tick(1);
      assert.equal(calls, 1);
      mock.timers.tick(LONGEST);
      assert.equal(calls, 1);
    });

  for (const delayMs of [0, -5])
    it(`fires for the delay ${delayMs} after startTimer returned`, () => {
      let calls = 0;
      new SystemClock().startTimer(delayMs, () => void calls++);
      assert.equal(calls, 0);
      mock.timers.tick(1);
      assert.equal(calls, 1);
    });

  it('never fires after being disposed, also between the parts of a long wait', () => {
    let calls = 0;
    const timer = new SystemClock().startTimer(LONGEST + 10, () => void calls++);
    mock.timers.tick(LONGEST);
    timer[Symbol.dispose]();
    mock.timers.tick(LONGEST);
    assert.equal(calls, 0);
  });

  it('never fires for an infinite delay', () => {
    let calls = 0;
    const timer = new SystemClock().startTimer(Number.POSITIVE_INFINITY, () => void calls++);
    for (let i = 0; i < 3; i++) mock.timers.tick(LONGEST);
    assert.equal(calls, 0);
    timer[Symbol.dispose]();
  });

  it('refuses a delay that is no number', () => {
    assert.throws(() => new SystemClock().startTimer(Number.NaN, () => {}), /needs a delay/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { keepSystemdTold, readSystemd } from './systemd.ts';

describe('readSystemd', () => {
  const rows: readonly (readonly [string, Record<string, string>, unknown])[] = [
    ['nothing without a socket', { WATCHDOG_USEC: '30000000' }, undefined],
    ['only the start where nobody watches', { NOTIFY_SOCKET: '/s' }, { socket: '/s' }],
    [
      'half the time it has',
      { NOTIFY_SOCKET: '/s', WATCHDOG_USEC: '30000000' },
      { socket: '/s', watchdogMs: 15_000 },
    ],
    [
      'a watchdog that is ours',
      { NOTIFY_SOCKET: '/s', WATCHDOG_USEC: '4000000', WATCHDOG_PID: '7' },
      { socket: '/s', watchdogMs: 2_000 },
    ],
    [
      'no watchdog of another process',
      { NOTIFY_SOCKET: '/s', WATCHDOG_USEC: '1', WATCHDOG_PID: '8' },
      { socket: '/s' },
    ],
  ];
  for (const [what, environment, expected] of rows)
    it(`reads ${what}`, () => assert.deepEqual(readSystemd(environment, 7), expected));

  for (const [timeout, owner] of [
    ['x', ''],
    ['0', ''],
    ['-5', ''],
    ['1000000', ''],
    ['2000000', 'me'],
  ] as const)
    it(`refuses WATCHDOG_USEC=${timeout} WATCHDOG_PID=${owner}`, () => {
      const environment = { NOTIFY_SOCKET: '/s', WATCHDOG_USEC: timeout, WATCHDOG_PID: owner };
      assert.throws(() => readSystemd(environment, 7), /^AgentError: configure watchdog: /);
    });
});

describe('keepSystemdTold', () => {
  function setUp(watchdogMs?: number) {
    const clock = new FakeClock();
    const logger = new RecordingLogger();
    const told: string[] = [];
    const state = { problem: undefined as string | undefined, failures: 0 };
    const stop = new AbortController();
    const done = keepSystemdTold(
      {
        systemd: { socket: '/s', ...(watchdogMs === undefined ? {} : { watchdogMs }) },
        checks: [{ name: 'syncloop', check: () => state.problem }],
        clock,
        logger,
        notify: async (message) => {
          if (state.failures-- > 0) throw new Error('no');
          told.push(message);
        },
      },
      stop.signal,
    );
    return { clock, logger, told, state, stop, done };
  }

  it('tells the start once, where nobody watches', async () => {
    const { told, done, clock } = setUp();
    await done;
    assert.deepEqual(told, ['READY=1']);
    assert.equal(clock.pendingTimers, 0);
  });

  it('tells that the kubelet lives as long as its checks say so', async () => {
    const { told, done, clock, state, stop, logger } = setUp(10_000);
    await clock.advance(0);
    assert.deepEqual(told, ['READY=1', 'WATCHDOG=1']);
    state.problem = 'stuck';
    await clock.advance(10_000);
    assert.deepEqual(told, ['READY=1', 'WATCHDOG=1']);
    assert.match(JSON.stringify(logger.lines), /checker syncloop failed: stuck/);
    state.problem = undefined;
    await clock.advance(10_000);
    assert.equal(told.length, 3);
    stop.abort();
    await done;
    assert.equal(clock.pendingTimers, 0);
  });

  it('tries twice and then says that it could not', async () => {
    const { told, done, clock, state, stop, logger } = setUp(10_000);
    await clock.advance(0);
    state.failures = 1;
    await clock.advance(10_000);
    await clock.advance(1_000);
    assert.equal(told.length, 3);
    state.failures = 2;
    await clock.advance(10_000);
    await clock.advance(1_000);
    assert.equal(told.length, 3);
    assert.match(JSON.stringify(logger.lines), /cannot tell systemd/);
    stop.abort();
    await done;
  });
});

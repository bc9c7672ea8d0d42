import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { readSystemd, runSystemdNotifications } from './systemd.ts';

describe('readSystemd', () => {
  const rows: readonly (readonly [string, Record<string, string>, unknown])[] = [
    ['nothing without a socket', { WATCHDOG_USEC: '30000000' }, undefined],
    ['only the start without a watchdog', { NOTIFY_SOCKET: '/s' }, { socket: '/s' }],
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

describe('runSystemdNotifications', () => {
  function setUp(watchdogMs?: number) {
    const clock = new FakeClock();
    const logger = new RecordingLogger();
    const sent: string[] = [];
    const state = { problem: undefined as string | undefined, failures: 0 };
    const stop = new AbortController();
    const done = runSystemdNotifications(
      {
        systemd: { socket: '/s', ...(watchdogMs === undefined ? {} : { watchdogMs }) },
        checks: [{ name: 'syncloop', check: () => state.problem }],
        clock,
        logger,
        notify: async (message) => {
          if (state.failures-- > 0) throw new Error('no');
          sent.push(message);
        },
      },
      stop.signal,
    );
    return { clock, logger, sent, state, stop, done };
  }

  it('sends the start once, without a watchdog', async () => {
    const { sent, done, clock } = setUp();
    await done;
    assert.deepEqual(sent, ['READY=1']);
    assert.equal(clock.pendingTimers, 0);
  });

  it('pings the watchdog as long as the checks pass', async () => {
    const { sent, done, clock, state, stop, logger } = setUp(10_000);
    await clock.advance(0);
    assert.deepEqual(sent, ['READY=1', 'WATCHDOG=1']);
    state.problem = 'stuck';
    await clock.advance(10_000);
    assert.deepEqual(sent, ['READY=1', 'WATCHDOG=1']);
    assert.match(JSON.stringify(logger.lines), /checker syncloop failed: stuck/);
    state.problem = undefined;
    await clock.advance(10_000);
    assert.equal(sent.length, 3);
    stop.abort();
    await done;
    assert.equal(clock.pendingTimers, 0);
  });

  it('tries twice and then logs an error', async () => {
    const { sent, done, clock, state, stop, logger } = setUp(10_000);
    await clock.advance(0);
    state.failures = 1;
    await clock.advance(10_000);
    await clock.advance(1_000);
    assert.equal(sent.length, 3);
    state.failures = 2;
    await clock.advance(10_000);
    await clock.advance(1_000);
    assert.equal(sent.length, 3);
    assert.match(JSON.stringify(logger.lines), /cannot notify systemd/);
    stop.abort();
    await done;
  });
});

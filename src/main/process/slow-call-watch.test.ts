import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import type { InFlightCall } from '../../adapters/cri/call-tracker.ts';
import { SlowCallWatch } from './slow-call-watch.ts';

function setUp() {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const watch = new SlowCallWatch(clock, logger);
  const call = (operation = 'run_podsandbox', detail = 'default/web'): InFlightCall => ({
    operation,
    detail,
    startedAtMs: clock.steady(),
  });
  return { clock, logger, watch, call };
}

describe('SlowCallWatch', () => {
  it('a call that answers in time leaves no word and no timer', async () => {
    const { clock, logger, watch, call } = setUp();
    const quick = call();
    watch.started(quick);
    await clock.advance(9_999);
    watch.ended(quick, 9_999);
    await clock.advance(60_000);
    assert.deepEqual(logger.lines, []);
    assert.equal(watch.describe(), undefined);
    assert.equal(clock.pendingTimers, 0);
  });

  it('has one timer for all calls under way', () => {
    const { clock, watch, call } = setUp();
    for (let n = 0; n < 20; n++) watch.started(call());
    assert.equal(clock.pendingTimers, 1);
  });

  it('names a call that hangs, in the log once and as long as it hangs', async () => {
    const { clock, logger, watch, call } = setUp();
    const slow = call();
    const other = call('image_status', 'app:1');
    watch.started(slow);
    watch.started(other);
    await clock.advance(25_000);
    assert.equal(
      watch.describe(),
      'runtime call run_podsandbox for default/web has not answered for 25s; runtime call image_status for app:1 has not answered for 25s',
    );
    assert.deepEqual(logger.messages('warning'), ['runtime call hangs', 'runtime call hangs']);
    watch.ended(other, 25_000.4, new Error('too late'));
    assert.match(watch.describe() ?? '', /^runtime call run_podsandbox[^;]*$/);
    watch.ended(slow, 25_000);
    assert.equal(watch.describe(), undefined);
    assert.deepEqual(
      logger.lines.filter(({ severity }) => severity === 'info').map(({ fields }) => fields),
      [
        { call: 'image_status', pod: 'app:1', durationMs: 25_000, err: 'too late' },
        { call: 'run_podsandbox', pod: 'default/web', durationMs: 25_000 },
      ],
    );
    assert.equal(clock.pendingTimers, 0);
  });

  for (const operation of [
    'pull_image',
    'stop_container',
    'exec_sync',
    'get_container_events',
    'checkpoint_container',
  ]) {
    it(`${operation} may take its time`, async () => {
      const { clock, logger, watch, call } = setUp();
      const long = call(operation);
      watch.started(long);
      await clock.advance(600_000);
      assert.equal(watch.describe(), undefined);
      watch.ended(long, 600_000);
      assert.deepEqual(logger.lines, []);
      assert.equal(clock.pendingTimers, 0);
    });
  }
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeRuntime } from '../../../test/fakes/fake-runtime.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { Emitter } from '../../base/async/emitter.ts';
import type { RuntimeReader } from '../../ports/runtime/container-runtime.ts';
import { RuntimeMonitor } from './runtime-monitor.ts';

function setUp() {
  const clock = new FakeClock();
  const runtime = new FakeRuntime(clock);
  const logger = new RecordingLogger();
  const losses = new Emitter();
  const monitor = new RuntimeMonitor({ reader: runtime, losses, clock, logger });
  const stop = new AbortController();
  const news = { count: 0 };
  const subscription = monitor.subscribe(() => news.count++);
  const states = (): unknown[] => logger.lines.map(({ fields }) => fields['state']);
  return { clock, runtime, losses, monitor, stop, news, subscription, states };
}

describe('RuntimeMonitor', () => {
  it('calls nothing ready before the first answer', () => {
    const { monitor } = setUp();
    assert.equal(monitor.runtimeProblem, 'container runtime status check may not have completed yet');
    assert.equal(monitor.status, undefined);
  });

  it('asks every ten seconds until stop, and reports changes only', async () => {
    const { clock, runtime, monitor, stop, news, states } = setUp();
    const running = monitor.run(stop.signal);
    await clock.advance(41_000);
    const asked = runtime.log.filter(({ op, phase }) => op === 'status' && phase === 'begin').length;
    assert.equal(asked, 5);
    assert.deepEqual([monitor.runtimeProblem, monitor.networkProblem], [undefined, undefined]);
    assert.deepEqual(states(), ['container runtime is ready']);
    assert.equal(news.count, 1);
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  });

  it('asks every five seconds while there is no network', async () => {
    const { clock, runtime, monitor, stop } = setUp();
    runtime.networkReady = false;
    const running = monitor.run(stop.signal);
    await clock.advance(21_000);
    const asked = runtime.log.filter(({ op, phase }) => op === 'status' && phase === 'begin').length;
    assert.equal(asked, 5);
    stop.abort();
    await running;
  });

  it('reports why pods have no network, and when they have one again', async () => {
    const { clock, runtime, monitor, stop, subscription, news } = setUp();
    runtime.networkReady = false;
    await clock.finish(monitor.check(stop.signal));
    assert.match(
      monitor.networkProblem ?? '',
      /^container runtime network not ready: NetworkReady=false reason:.* message:/,
    );
    assert.equal(monitor.runtimeProblem, undefined);
    runtime.networkReady = true;
    await clock.finish(monitor.check(stop.signal));
    assert.equal(monitor.networkProblem, undefined);
    assert.equal(news.count, 2);
    subscription[Symbol.dispose]();
    runtime.networkReady = false;
    await clock.finish(monitor.check(stop.signal));
    assert.equal(news.count, 2);
  });

  it('a runtime that does not answer counts as down after thirty seconds, not before', async () => {
    const { clock, runtime, monitor, stop, states } = setUp();
    await clock.finish(monitor.check(stop.signal));
    runtime.faults.down = true;
    await clock.finish(monitor.check(stop.signal));
    await clock.advance(29_000);
    assert.equal(monitor.runtimeProblem, undefined);
    await clock.advance(2_000);
    assert.equal(monitor.runtimeProblem, 'container runtime is down');
    assert.match(String(states().at(-1)), /^container runtime is away: it does not answer: ./);
    runtime.faults.down = false;
    await clock.finish(monitor.check(stop.signal));
    assert.equal(monitor.runtimeProblem, undefined);
  });

  it('a runtime that has answered well is not down because the clock was set ahead', async () => {
    const { clock, runtime, monitor, stop } = setUp();
    await clock.finish(monitor.check(stop.signal));
    await clock.advance(3_600_000);
    assert.equal(monitor.runtimeProblem, undefined);
    runtime.faults.down = true;
    await clock.finish(monitor.check(stop.signal));
    assert.equal(monitor.runtimeProblem, 'container runtime is down');
  });

  it('a runtime that answers that it is not ready is down after thirty seconds too', async () => {
    const clock = new FakeClock();
    const condition = (type: string, status: boolean) => ({ type, status, reason: 'Why', message: 'text' });
    let ready = true;
    const reader = {
      status: async () => ({
        conditions: [condition('RuntimeReady', ready), condition('NetworkReady', true)],
      }),
    } as unknown as RuntimeReader;
    const monitor = new RuntimeMonitor({
      reader,
      losses: new Emitter(),
      clock,
      logger: new RecordingLogger(),
    });
    const { signal } = new AbortController();
    await monitor.check(signal);
    ready = false;
    await monitor.check(signal);
    assert.equal(
      monitor.runtimeProblem,
      'container runtime not ready: RuntimeReady=false reason:Why message:text',
    );
    await clock.advance(31_000);
    await monitor.check(signal);
    assert.equal(monitor.runtimeProblem, 'container runtime is down');
  });

  it('a runtime that says nothing of itself is not ready', async () => {
    const reader = { status: async () => ({ conditions: [] }) } as unknown as RuntimeReader;
    const clock = new FakeClock();
    const monitor = new RuntimeMonitor({
      reader,
      losses: new Emitter(),
      clock,
      logger: new RecordingLogger(),
    });
    await monitor.check(new AbortController().signal);
    assert.equal(monitor.runtimeProblem, 'container runtime not ready: <nil>');
    assert.equal(monitor.networkProblem, 'container runtime network not ready: <nil>');
  });

  it('a lost connection is looked into at once: the runtime is away long before it counts as down', async () => {
    const { clock, runtime, losses, monitor, stop, news } = setUp();
    const running = monitor.run(stop.signal);
    await clock.advance(1_000);
    assert.equal(monitor.absence, undefined);
    runtime.faults.down = true;
    const lostAtMs = clock.now();
    losses.emit();
    await clock.advance(100);
    const { sinceMs = 0, why = '' } = monitor.absence ?? {};
    assert.ok(sinceMs >= lostAtMs && sinceMs <= clock.now());
    assert.match(why, /^it does not answer: ./);
    assert.equal(monitor.runtimeProblem, undefined, 'the node stays ready for thirty seconds');
    assert.equal(news.count, 2);
    runtime.faults.down = false;
    await clock.advance(1_500);
    assert.equal(monitor.absence, undefined, 'asked every second until it is back');
    stop.abort();
    await running;
    assert.deepEqual([clock.pendingTimers, losses.size], [0, 0]);
  });

  it('a runtime that keeps its connection but hangs is away after three seconds', async () => {
    const { clock, runtime, monitor, stop } = setUp();
    await clock.finish(monitor.check(stop.signal));
    runtime.faults.add({ op: 'status', hang: true });
    const checked = monitor.check(stop.signal);
    const askedAtMs = clock.now();
    await clock.advance(2_900);
    assert.equal(monitor.absence, undefined);
    await clock.advance(200);
    assert.deepEqual(monitor.absence, { sinceMs: askedAtMs, why: 'it has not answered for 3s' });
    stop.abort();
    await clock.finish(checked);
    assert.equal(clock.pendingTimers, 0);
  });

  it('being stopped is no news', async () => {
    const { clock, runtime, monitor, stop, states } = setUp();
    runtime.faults.add({ op: 'status', hang: true });
    const checked = monitor.check(stop.signal);
    await clock.settle();
    stop.abort();
    await clock.finish(checked);
    assert.deepEqual(states(), []);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { DeliverPods } from '../../ports/pod-source.ts';
import { ApiSourceWithFallback } from './api-source-with-fallback.ts';

const podOf = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { containers: [] },
});

function setUp(remembered: readonly Pod[] | undefined) {
  const clock = new FakeClock();
  const stop = new AbortController();
  let speak: DeliverPods = () => assert.fail('the source does not run');
  const saved: (readonly Pod[])[] = [];
  let flushes = 0;
  const source = new ApiSourceWithFallback({
    source: {
      name: 'api',
      run: (signal, deliver) => {
        speak = deliver;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    },
    memory: {
      pods: remembered,
      rememberPods: (pods) => void saved.push(pods),
      flush: async () => void flushes++,
    },
    clock,
    logger: new RecordingLogger(),
  });
  const delivered: string[] = [];
  const running = source.run(stop.signal, (pods, complete = true) => {
    delivered.push(`${pods.map(({ metadata }) => metadata.name).join(' ')} ${complete}`);
  });
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    assert.deepEqual([clock.pendingTimers, flushes], [0, 1]);
  };
  return { clock, source, delivered, saved, end, say: (...pods: Pod[]) => speak(pods) };
}

describe('ApiSourceWithFallback', () => {
  it('waits for the API server, and then passes on its deliveries only', async () => {
    const { clock, source, delivered, saved, end, say } = setUp([podOf('old')]);
    await clock.advance(4_999);
    assert.deepEqual(delivered, []);
    say(podOf('new'));
    await clock.advance(60_000);
    assert.deepEqual(delivered, ['new true']);
    assert.equal(saved.length, 1);
    assert.equal(source.isOffline, false);
    await end();
  });

  it('brings back the old pods after a while, without claiming that they are all', async () => {
    const { clock, source, delivered, saved, end, say } = setUp([podOf('old')]);
    await clock.advance(5_000);
    assert.deepEqual(delivered, ['old false']);
    assert.equal(source.isOffline, true);
    assert.deepEqual(saved, [], 'pods from the checkpoint are not written back as delivered');
    say();
    assert.deepEqual(delivered, ['old false', ' true']);
    assert.equal(source.isOffline, false);
    await end();
  });

  it('delivers nothing where nothing is remembered', async () => {
    const { clock, source, delivered, end } = setUp(undefined);
    await clock.advance(60_000);
    assert.deepEqual([delivered, source.isOffline], [[], false]);
    await end();
  });
});

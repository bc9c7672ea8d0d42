import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { AgentError } from '../../base/errors.ts';
import { MemoryLimitWake } from './memory-limit-wake.ts';

function setUp(failure?: Error) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const woken: string[] = [];
  let met: (() => void) | undefined;
  const limit = {
    watch: (onMet: () => void): Disposable => {
      if (failure !== undefined) throw failure;
      met = onMet;
      return {
        [Symbol.dispose]: () => {
          met = undefined;
        },
      };
    },
  };
  const part = new MemoryLimitWake({
    kit: { clock, logger },
    limit,
    evictor: { wake: (reason) => void woken.push(reason) },
  });
  return { clock, logger, woken, part, meet: () => met?.(), isWatched: () => met !== undefined };
}

describe('MemoryLimitWake', () => {
  it('wakes the evictor at once, and at most every 10 s', async () => {
    const t = setUp();
    const stop = new AbortController();
    const running = t.part.run(stop.signal);
    for (let times = 0; times < 5; times++) t.meet();
    assert.deepEqual(t.woken, ['memory limit of pods']);
    await t.clock.advance(9_999);
    t.meet();
    await t.clock.advance(1);
    t.meet();
    assert.equal(t.woken.length, 2);
    stop.abort();
    await running;
    assert.equal(t.isWatched(), false);
  });

  it('warns where the kernel does not report it, and ends', async () => {
    const t = setUp(new AgentError('not-found', 'cannot watch "/x": no such file or directory'));
    await t.part.run(new AbortController().signal);
    assert.deepEqual(
      t.logger.lines.map(({ message }) => message),
      ['the kernel does not report the memory limit of pods'],
    );
  });
});

import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { hasCode } from '../../../base/errors.ts';
import { Kmsg, toMessageText } from './kmsg.ts';

describe('toMessageText', () => {
  it('is what follows the header, without fields', () => {
    const record = '6,24608,5548982481,-;veth0: entered; promiscuous mode\n SUBSYSTEM=net\n DEVICE=n3\n';
    assert.equal(toMessageText(record), 'veth0: entered; promiscuous mode');
  });
});

describe('Kmsg', () => {
  it('rejects when there is no such log', async () => {
    const { signal } = new AbortController();
    const ignore = (): void => {};
    await assert.rejects(
      new Kmsg(new FakeClock(), '/nonexistent/kmsg').follow(ignore, ignore, signal),
      (error) => hasCode(error, 'not-found'),
    );
  });

  it('reads what the kernel has and then waits', { skip: !isReadable('/dev/kmsg') }, async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const texts: string[] = [];
    const ended = new Kmsg(clock).follow(
      (text) => void texts.push(text),
      () => {},
      stop.signal,
    );
    for (let turn = 0; turn < 1_000 && clock.nextTimerAtMs !== clock.now() + 10_000; turn++)
      await clock.advanceToNextTimer();
    assert.equal(clock.nextTimerAtMs, clock.now() + 10_000);
    assert.ok(texts.length > 0);
    stop.abort();
    await ended;
    assert.equal(clock.pendingTimers, 0);
  });
});

function isReadable(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'));
    return true;
  } catch {
    return false;
  }
}

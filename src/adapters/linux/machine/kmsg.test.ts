import assert from 'node:assert/strict';
import { appendFileSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
      new Kmsg(new FakeClock(), { log: '/nonexistent/kmsg', counters: '/proc/vmstat' }).followKills(
        ignore,
        ignore,
        signal,
      ),
      (error) => hasCode(error, 'not-found'),
    );
  });

  it('reads what the kernel has and then waits', { skip: !isReadable('/dev/kmsg') }, async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const texts: string[] = [];
    const ended = new Kmsg(clock).followKills(
      (text) => void texts.push(text),
      () => {},
      stop.signal,
    );
    for (let turn = 0; turn < 1_000 && clock.nextTimerAtMs !== clock.now() + 20_000; turn++)
      await clock.advanceToNextTimer();
    assert.equal(clock.nextTimerAtMs, clock.now() + 20_000);
    assert.ok(texts.length > 0);
    stop.abort();
    await ended;
    assert.equal(clock.pendingTimers, 0);
  });

  it('reads again, twice, when the kernel has counted another kill', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kmsg-'));
    const places = { log: join(directory, 'log'), counters: join(directory, 'counters') };
    const count = (kills: number): void =>
      writeFileSync(places.counters, `pgfault 1\noom_kill ${kills}\nx 2\n`);
    const write = (text: string): void => appendFileSync(places.log, `6,1,1,-;${text}`);
    const clock = new FakeClock();
    const stop = new AbortController();
    const texts: string[] = [];
    count(0);
    write('at start');
    const ended = new Kmsg(clock, places).followKills(
      (text) => void texts.push(text),
      () => {},
      stop.signal,
    );
    await clock.settle();
    assert.deepEqual(texts, ['at start']);
    await clock.advance(20_000);
    write('other');
    await clock.advance(120_000);
    assert.deepEqual(texts, ['at start'], 'nothing was killed');
    count(1);
    await clock.advance(20_000);
    assert.deepEqual(texts, ['at start', 'other']);
    write('killed');
    await clock.advance(20_000);
    assert.deepEqual(texts, ['at start', 'other', 'killed'], 'the log may be behind the count');
    write('later');
    await clock.advance(120_000);
    assert.equal(texts.length, 3);
    stop.abort();
    await ended;
    assert.equal(clock.pendingTimers, 0);
    rmSync(directory, { recursive: true });
  });

  it('reads each time where the kernel does not count', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kmsg-'));
    const places = { log: join(directory, 'log'), counters: join(directory, 'none') };
    writeFileSync(places.log, '');
    const clock = new FakeClock();
    const stop = new AbortController();
    const texts: string[] = [];
    const ended = new Kmsg(clock, places).followKills(
      (text) => void texts.push(text),
      () => {},
      stop.signal,
    );
    await clock.advance(60_000);
    appendFileSync(places.log, '6,1,1,-;news');
    await clock.advance(20_000);
    assert.deepEqual(texts, ['news']);
    stop.abort();
    await ended;
    rmSync(directory, { recursive: true });
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

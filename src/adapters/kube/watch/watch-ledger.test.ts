import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListWatchHealth } from '../../../ports/cluster/list-watch.ts';
import { WatchLedger } from './watch-ledger.ts';

function watch(relists: number, reconnects: number, lastEventAgeMs = 0): ListWatchHealth {
  return { relists, reconnects, lastEventAgeMs, failures: 0, synced: true };
}

describe('WatchLedger', () => {
  it('adds up the watches of one kind and shows the quietest', () => {
    const ledger = new WatchLedger();
    ledger.enter('secrets', () => watch(1, 2, 500));
    ledger.enter('secrets', () => watch(0, 1, 9_000));
    ledger.enter('pods', () => watch(3, 0, 10));
    assert.deepEqual(ledger.totals(), [
      { kind: 'secrets', running: 2, lastEventAgeMs: 9_000, relists: 0, reconnects: 0 },
      { kind: 'pods', running: 1, lastEventAgeMs: 10, relists: 0, reconnects: 0 },
    ]);
  });

  it('counts from where a watch began, and keeps the counts of one that ended', () => {
    const ledger = new WatchLedger();
    let health = watch(0, 0);
    const entry = ledger.enter('pods', () => health);
    health = watch(2, 5, 700);
    assert.deepEqual(ledger.totals(), [
      { kind: 'pods', running: 1, lastEventAgeMs: 700, relists: 2, reconnects: 5 },
    ]);
    entry[Symbol.dispose]();
    entry[Symbol.dispose]();
    assert.deepEqual(ledger.totals(), [
      { kind: 'pods', running: 0, lastEventAgeMs: 0, relists: 2, reconnects: 5 },
    ]);
    ledger.enter('pods', () => health);
    health = watch(3, 5);
    assert.deepEqual(ledger.totals(), [
      { kind: 'pods', running: 1, lastEventAgeMs: 0, relists: 3, reconnects: 5 },
    ]);
  });

  it('counts two watches that answer with the same function twice', () => {
    const ledger = new WatchLedger();
    const health = (): ListWatchHealth => watch(0, 0, 5);
    const first = ledger.enter('pods', health);
    ledger.enter('pods', health);
    assert.equal(ledger.totals()[0]?.running, 2);
    first[Symbol.dispose]();
    assert.equal(ledger.totals()[0]?.running, 1);
  });
});

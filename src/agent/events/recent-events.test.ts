import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { RecordedEvent } from '../../ports/event-recorder.ts';
import { RecentEvents } from './recent-events.ts';

const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { containers: [{ name: 'main' }] },
});
const event = (name: string, message: string): RecordedEvent => ({
  about: { pod: pod(name), container: 'main' },
  type: 'Normal',
  reason: 'Started',
  message,
});

describe('RecentEvents', () => {
  let clock: FakeClock;
  let passedOn: RecordedEvent[];
  let events: RecentEvents;
  beforeEach(() => {
    clock = new FakeClock();
    passedOn = [];
    const next = { record: (one: RecordedEvent) => void passedOn.push(one) };
    events = new RecentEvents({ nodeName: 'n1', clock, next });
  });

  it('hands every event on and keeps it, with what it is about', () => {
    events.record(event('a', 'one'));
    events.record({ about: 'node', type: 'Warning', reason: 'Rebooted', message: 'again' });
    assert.equal(passedOn.length, 2);
    const [first, second] = events.list();
    assert.deepEqual(first?.object, {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'default',
      name: 'a',
      uid: 'uid-a',
      fieldPath: 'spec.containers{main}',
    });
    assert.deepEqual([second?.object.kind, second?.object.name, second?.reason], ['Node', 'n1', 'Rebooted']);
  });

  it('counts one that comes again and puts it last', async () => {
    const startMs = clock.now();
    events.record(event('a', 'one'));
    events.record(event('a', 'two'));
    await clock.advance(5_000);
    events.record(event('a', 'one'));
    const seen = events
      .list()
      .map(({ message, count, firstAtMs, lastAtMs }) => [
        message,
        count,
        firstAtMs - startMs,
        lastAtMs - startMs,
      ]);
    assert.deepEqual(seen, [
      ['two', 1, 0, 0],
      ['one', 2, 0, 5_000],
    ]);
  });

  it('lists those of one pod', () => {
    events.record(event('a', 'one'));
    events.record(event('b', 'one'));
    assert.deepEqual(
      events.list('uid-b').map(({ object }) => object.name),
      ['b'],
    );
  });

  it('keeps a thousand, the newest', () => {
    for (let i = 0; i < 1_005; i++) events.record(event('a', String(i)));
    const kept = events.list();
    assert.equal(kept.length, 1_000);
    assert.equal(kept[0]?.message, '5');
  });

  it('notifies listeners until they are disposed', () => {
    let calls = 0;
    const subscription = events.subscribe(() => calls++);
    events.record(event('a', 'one'));
    subscription[Symbol.dispose]();
    events.record(event('a', 'two'));
    assert.equal(calls, 1);
  });
});

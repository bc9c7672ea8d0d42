import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FollowedList } from './followed-list.ts';
import type { ListWatchHandlers } from './list-watch.ts';

interface Thing {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly size: number;
}

const thing = (name: string, size: number): Thing => ({ metadata: { name }, size });

function setUp(replaces?: (next: number, current: number) => boolean) {
  const started = Promise.withResolvers<ListWatchHandlers<Thing>>();
  const watch = {
    run: async (_stop: AbortSignal, handlers: ListWatchHandlers<Thing>): Promise<void> =>
      started.resolve(handlers),
  };
  const list = new FollowedList<Thing, number>({
    watch,
    toKept: ({ size }) => (size < 0 ? undefined : size),
    ...(replaces === undefined ? {} : { replaces }),
  });
  let changes = 0;
  const subscription = list.subscribe(() => changes++);
  void list.run(new AbortController().signal);
  return { list, handlers: started.promise, changes: () => changes, subscription };
}

describe('FollowedList', () => {
  it('knows nothing before the first list, then what the watch says', async () => {
    const { list, handlers, changes, subscription } = setUp();
    const { onReplace, onEvent } = await handlers;
    assert.deepEqual([list.isSynced, list.values()], [false, []]);
    onReplace([thing('a', 1), thing('b', -1)]);
    assert.deepEqual([list.isSynced, list.get('a'), list.get('b')], [true, 1, undefined]);
    onEvent('ADDED', { metadata: { namespace: 'ns', name: 'c' }, size: 3 });
    assert.deepEqual(list.values(), [1, 3]);
    assert.equal(list.values(), list.values());
    onEvent('MODIFIED', thing('a', -1));
    onEvent('DELETED', { metadata: { namespace: 'ns', name: 'c' }, size: 3 });
    assert.deepEqual([...list.entries()], []);
    assert.equal(changes(), 4);
    subscription[Symbol.dispose]();
    onReplace([thing('d', 4)]);
    assert.deepEqual([list.values(), changes()], [[4], 4]);
  });

  it('keeps what is newer, of the watch and of what came sooner', async () => {
    const { list, handlers, changes } = setUp((next, current) => next >= current);
    const { onReplace } = await handlers;
    list.take(thing('a', 5));
    onReplace([thing('a', 4), thing('b', 1)]);
    assert.deepEqual(list.values(), [5, 1]);
    const before = changes();
    list.take(thing('a', 3));
    assert.deepEqual([list.get('a'), changes()], [5, before]);
    list.drop('a');
    assert.deepEqual(list.values(), [1]);
  });

  it('waits for the first list until it is there, the time is over or the signal aborts', async () => {
    const clock = new FakeClock();
    const { list, handlers } = setUp();
    const { onReplace } = await handlers;
    const late = list.isSyncedWithin(clock, 1_000);
    await clock.advance(1_000);
    assert.equal(await late, false);
    const stop = new AbortController();
    const stopped = list.isSyncedWithin(clock, 1_000, stop.signal);
    stop.abort();
    assert.equal(await stopped, false);
    const waiting = list.isSyncedWithin(clock, 1_000);
    onReplace([]);
    assert.equal(await waiting, true);
    await list.whenSynced();
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Store } from './store.ts';

describe('Store', () => {
  it('notifies listeners of every change and nothing else', () => {
    const store = new Store<string, object | undefined>();
    const heard: unknown[] = [];
    const subscription = store.view.subscribe((key, value) => heard.push([key, value]));
    const one = {};
    store.set('a', one);
    store.set('a', one);
    store.set('b', undefined);
    store.set('b', undefined);
    store.delete('a');
    store.delete('a');
    subscription[Symbol.dispose]();
    store.set('c', one);
    assert.deepEqual(heard, [
      ['a', one],
      ['b', undefined],
      ['a', undefined],
    ]);
  });

  it('has the new value when the listener runs', () => {
    const store = new Store<string, number>();
    store.subscribe((key, value) => assert.equal(store.view.get(key), value));
    store.set('a', 1);
    store.delete('a');
    assert.equal(store.size, 0);
  });

  it('a listener registered twice is called twice and each registration ends alone', () => {
    const store = new Store<string, number>();
    let calls = 0;
    const listener = (): void => void calls++;
    const first = store.subscribe(listener);
    store.subscribe(listener);
    store.set('a', 1);
    assert.equal(calls, 2);
    first[Symbol.dispose]();
    store.set('a', 2);
    assert.equal(calls, 3);
  });

  it('does not call a listener that was disposed by an earlier one', () => {
    const store = new Store<string, number>();
    store.subscribe(() => second[Symbol.dispose]());
    const second = store.subscribe(() => assert.fail('called after dispose'));
    store.set('a', 1);
  });

  it('delivers changes in the order they were made although a listener writes', () => {
    const store = new Store<string, number>();
    const heard: (number | undefined)[] = [];
    store.subscribe((key, value) => {
      if (value === 1) store.set(key, 2);
    });
    store.subscribe((_key, value) => heard.push(value));
    store.set('a', 1);
    assert.deepEqual(heard, [1, 2]);
  });

  it('keeps delivering after a listener threw', () => {
    const store = new Store<string, number>();
    let heard = 0;
    store.subscribe(() => {
      if (heard++ === 0) throw new Error('broken listener');
    });
    assert.throws(() => store.set('a', 1), /broken listener/);
    store.set('a', 2);
    assert.equal(heard, 2);
  });

  it('holds what a map would hold, and a listener can rebuild it', () => {
    const operation = fc.tuple(fc.constantFrom('set', 'delete'), fc.nat(4), fc.nat(3));
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        const store = new Store<number, number>();
        const model = new Map<number, number>();
        const mirror = new Map<number, number>();
        store.subscribe((key, value) =>
          value === undefined ? mirror.delete(key) : void mirror.set(key, value),
        );
        for (const [kind, key, value] of operations) {
          if (kind === 'set') {
            store.set(key, value);
            model.set(key, value);
          } else {
            store.delete(key);
            model.delete(key);
          }
          assert.equal(store.has(key), model.has(key));
        }
        assert.deepEqual([...store.entries()], [...model]);
        assert.deepEqual(mirror, model);
        assert.deepEqual([...store.keys()], [...model.keys()]);
        assert.deepEqual([...store.values()], [...model.values()]);
      }),
    );
  });
});

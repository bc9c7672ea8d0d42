import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { andThen, firstLater, type Later } from './later.ts';

describe('andThen', () => {
  it('goes on at once with a value that is there', () => {
    assert.equal(
      andThen(1, (value) => value + 1),
      2,
    );
  });

  it('waits for a value that comes later', async () => {
    const result = andThen(Promise.resolve(1), (value) => value + 1);
    assert.ok(result instanceof Promise);
    assert.equal(await result, 2);
  });
});

describe('firstLater', () => {
  const run = (answers: Readonly<Record<string, Later<string | undefined>>>) => {
    const asked: string[] = [];
    const result = firstLater(Object.keys(answers), (name) => {
      asked.push(name);
      return answers[name];
    });
    return { asked, result };
  };

  it('answers at once when no step waits, and asks none after the first result', () => {
    const { asked, result } = run({ a: undefined, b: 'found', c: 'other' });
    assert.equal(result, 'found');
    assert.deepEqual(asked, ['a', 'b']);
  });

  it('begins no step before the one before it has ended', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const { asked, result } = run({ a: undefined, b: promise, c: undefined });
    assert.deepEqual(asked, ['a', 'b']);
    resolve(undefined);
    assert.equal(await result, undefined);
    assert.deepEqual(asked, ['a', 'b', 'c']);
  });

  it('stops at a result that came later', async () => {
    const { asked, result } = run({ a: Promise.resolve('found'), b: undefined });
    assert.equal(await result, 'found');
    assert.deepEqual(asked, ['a']);
  });
});

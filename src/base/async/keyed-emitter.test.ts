import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KeyedEmitter } from './keyed-emitter.ts';

describe('KeyedEmitter', () => {
  it('calls the listeners of a key and no others', () => {
    const emitter = new KeyedEmitter<[number]>();
    const heard: string[] = [];
    emitter.subscribe('a', (value) => heard.push(`a${value}`));
    emitter.subscribe('b', (value) => heard.push(`b${value}`));
    emitter.emit('a', 1);
    emitter.emit('c', 2);
    assert.deepEqual(heard, ['a1']);
  });

  it('forgets a key with its last listener', () => {
    const emitter = new KeyedEmitter();
    const one = emitter.subscribe('a', () => {});
    const other = emitter.subscribe('a', () => {});
    one[Symbol.dispose]();
    assert.equal(emitter.size, 1);
    other[Symbol.dispose]();
    assert.equal(emitter.size, 0);
    // A subscription that is over leaves a later one of its key alone.
    let calls = 0;
    emitter.subscribe('a', () => calls++);
    one[Symbol.dispose]();
    emitter.emit('a');
    assert.equal(calls, 1);
  });
});

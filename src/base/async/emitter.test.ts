import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Emitter } from './emitter.ts';

describe('Emitter', () => {
  it('calls each listener in order, also one that subscribed twice', () => {
    const emitter = new Emitter<[string]>();
    const heard: string[] = [];
    const first = (text: string): void => void heard.push(`first ${text}`);
    emitter.subscribe(first);
    emitter.subscribe((text) => void heard.push(`second ${text}`));
    emitter.subscribe(first);
    emitter.emit('a');
    assert.deepEqual(heard, ['first a', 'second a', 'first a']);
  });

  it('does not call a disposed listener, not even during an emit', () => {
    const emitter = new Emitter<[]>();
    const heard: string[] = [];
    emitter.subscribe(() => {
      heard.push('first');
      second[Symbol.dispose]();
    });
    const second = emitter.subscribe(() => void heard.push('second'));
    emitter.emit();
    assert.deepEqual(heard, ['first']);
  });

  it('calls a listener that subscribes during an emit from the next one on', () => {
    const emitter = new Emitter<[number]>();
    const heard: number[] = [];
    const first = emitter.subscribe(() => {
      first[Symbol.dispose]();
      emitter.subscribe((value) => void heard.push(value));
    });
    emitter.emit(1);
    assert.deepEqual(heard, []);
    emitter.emit(2);
    assert.deepEqual(heard, [2]);
  });

  it('keeps the other subscription of a function when one is disposed, also twice', () => {
    const emitter = new Emitter();
    let calls = 0;
    const listener = (): void => void calls++;
    const first = emitter.subscribe(listener);
    emitter.subscribe(listener);
    assert.equal(emitter.size, 2);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    assert.equal(emitter.size, 1);
    emitter.emit();
    assert.equal(calls, 1);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toPodUid } from '../../core/model/ids.ts';
import { UntouchedPods } from './untouched-pods.ts';

const [A, B] = [toPodUid('a'), toPodUid('b')];

describe('UntouchedPods', () => {
  it('knows of none before a list that began with the events open', () => {
    const untouched = new UntouchedPods();
    assert.equal(untouched.has(A), false);
    untouched.listBegins(false)([]);
    assert.equal(untouched.has(A), false);
    untouched.listBegins(true)([]);
    assert.equal(untouched.has(A), true);
  });

  it('leaves out what was listed, and what an event named since', () => {
    const untouched = new UntouchedPods();
    untouched.listBegins(true)([A]);
    assert.deepEqual([untouched.has(A), untouched.has(B)], [false, true]);
    untouched.hear(B);
    assert.equal(untouched.has(B), false);
    untouched.listBegins(true)([]);
    assert.deepEqual([untouched.has(A), untouched.has(B)], [true, true]);
  });

  it('counts events of the time of a list, also before it, until a list has ended', () => {
    const untouched = new UntouchedPods();
    untouched.listBegins(true)([]);
    untouched.hear(A);
    const end = untouched.listBegins(true);
    untouched.hear(B);
    assert.deepEqual([untouched.has(A), untouched.has(B)], [false, false]);
    end([]);
    assert.deepEqual([untouched.has(A), untouched.has(B)], [true, false]);
    // One that fails shows nothing.
    untouched.listBegins(true);
    assert.equal(untouched.has(B), false);
    untouched.listBegins(true)([]);
    assert.equal(untouched.has(B), true);
  });

  it('knows of none once the events broke or one named no pod, until the next list', () => {
    const untouched = new UntouchedPods();
    for (const shake of [() => untouched.doubt(), () => untouched.hear(undefined)]) {
      untouched.listBegins(true)([]);
      shake();
      assert.equal(untouched.has(A), false);
      const end = untouched.listBegins(true);
      shake();
      end([]);
      assert.equal(untouched.has(A), false);
    }
  });
});

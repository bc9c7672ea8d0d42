import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import { UntouchedPods } from './untouched-pods.ts';

const uids = (...names: readonly string[]): PodUid[] => names.map((name) => toPodUid(name));

describe('UntouchedPods', () => {
  it('knows of none before a list that began with the events open', () => {
    const untouched = new UntouchedPods();
    const [a = toPodUid('a'), b = a, c = a] = uids('a', 'b', 'c');
    assert.equal(untouched.take(a), false);
    untouched.listBegins(false)([]);
    assert.equal(untouched.take(b), false);
    untouched.listBegins(true)([]);
    assert.equal(untouched.take(c), true);
  });

  it('leaves out what was listed, and what an event named since', () => {
    const untouched = new UntouchedPods();
    const [a = toPodUid('a'), b = a, c = a] = uids('a', 'b', 'c');
    untouched.listBegins(true)([a]);
    untouched.hear(b);
    assert.deepEqual(
      [a, b, c].map((uid) => untouched.take(uid)),
      [false, false, true],
    );
  });

  it('counts events of the time of a list, also before it, until a list has ended', () => {
    const untouched = new UntouchedPods();
    const [a = toPodUid('a'), b = a, c = a, d = a] = uids('a', 'b', 'c', 'd');
    untouched.listBegins(true)([]);
    untouched.hear(a);
    untouched.hear(b);
    const end = untouched.listBegins(true);
    untouched.hear(c);
    untouched.hear(d);
    assert.equal(untouched.take(a), false);
    end([]);
    assert.deepEqual(
      [b, c].map((uid) => untouched.take(uid)),
      [true, false],
    );
    // One that fails shows nothing.
    untouched.listBegins(true);
    assert.equal(untouched.take(d), false);
  });

  it('is asked once for a pod, until a list after its end: what the agent does there may not be reported', () => {
    const untouched = new UntouchedPods();
    const [a = toPodUid('a'), b = a] = uids('a', 'b');
    untouched.listBegins(true)([]);
    assert.deepEqual([untouched.take(a), untouched.take(b)], [true, true]);
    untouched.listBegins(true)([]);
    assert.equal(untouched.take(a), false);
    untouched.podGone(a);
    untouched.podGone(b);
    assert.equal(untouched.take(a), false);
    untouched.listBegins(true)([]);
    assert.equal(untouched.take(b), true);
  });

  it('knows of none once the events broke or one named no pod, until the next list', () => {
    for (const shake of [(at: UntouchedPods) => at.doubt(), (at: UntouchedPods) => at.hear(undefined)]) {
      const untouched = new UntouchedPods();
      const [a = toPodUid('a'), b = a, c = a] = uids('a', 'b', 'c');
      untouched.listBegins(true)([]);
      shake(untouched);
      assert.equal(untouched.take(a), false);
      const end = untouched.listBegins(true);
      shake(untouched);
      end([]);
      assert.equal(untouched.take(b), false);
      untouched.listBegins(true)([]);
      assert.equal(untouched.take(c), true);
    }
  });
});

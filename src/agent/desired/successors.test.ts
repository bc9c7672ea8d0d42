import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import type { Pod } from '../../core/api/pod.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../../core/api/pod-identity.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import { DesiredPods } from './desired-pods.ts';

function staticPod(uid: string, name = 'web'): Pod {
  const annotations = { [CONFIG_SOURCE_ANNOTATION]: 'file' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid, annotations },
    spec: { containers: [{ name: 'main', image: 'i' }] },
  };
}

/** One device, for one pod at a time; pods named `plain` do not ask for it. */
function setUp() {
  let owner: PodUid | undefined;
  const events = new RecordingEvents();
  const release = (uid: PodUid): void => {
    if (owner === uid) owner = undefined;
  };
  const assigner = {
    concerns: ({ metadata }: Pod) => metadata.name !== 'plain',
    whenReady: () => undefined,
    assign: ({ metadata }: Pod) => {
      const uid = toPodUid(metadata.uid);
      if (metadata.name === 'plain' || owner === undefined || owner === uid) {
        if (metadata.name !== 'plain') owner = uid;
        return undefined;
      }
      return { reason: 'UnexpectedAdmissionError', message: 'none left' };
    },
    settle: () => undefined,
    undo: release,
  };
  const desired = new DesiredPods({ clock: new FakeClock(), events, sources: ['file'], assigner });
  desired.predecessorsKnown();
  const record = (uid: string) => desired.records.get(toPodUid(uid));
  const forget = (uid: string): void => {
    release(toPodUid(uid));
    desired.forget(toPodUid(uid));
  };
  return { desired, events, record, forget, owner: () => owner };
}

describe('An edited static pod with something of its own', () => {
  it('is not judged before its predecessor is forgotten, and then inherits', () => {
    const { desired, events, record, forget, owner } = setUp();
    desired.deliver('file', [staticPod('a')]);
    desired.deliver('file', [staticPod('b')]);
    assert.deepEqual([record('b')?.undecided, record('b')?.termination, owner()], [true, undefined, 'a']);
    forget('a');
    assert.deepEqual(
      [record('b')?.undecided, record('b')?.termination, owner()],
      [undefined, undefined, 'b'],
    );
    assert.deepEqual(events.events, []);
  });

  it('waits for a pod of its name that only the runtime has', () => {
    const { desired, record, forget, owner } = setUp();
    desired.deliver('file', []);
    desired.adoptOrphan(staticPod('a'), 1);
    desired.deliver('file', [staticPod('b')]);
    assert.equal(record('b')?.undecided, true);
    forget('a');
    assert.deepEqual([record('b')?.undecided, owner()], [undefined, 'b']);
  });

  it('that is edited again while it waits makes way for the next', () => {
    const { desired, record, forget, owner } = setUp();
    desired.deliver('file', [staticPod('a')]);
    desired.deliver('file', [staticPod('b')]);
    desired.deliver('file', [staticPod('c')]);
    forget('a');
    // The second has only to end now, and the third waits for that.
    assert.deepEqual([record('b')?.undecided, record('b')?.termination?.cause], [undefined, 'removed']);
    assert.deepEqual([record('c')?.undecided, owner()], [true, undefined]);
    forget('b');
    assert.deepEqual([record('c')?.undecided, owner()], [undefined, 'c']);
  });

  it('of another name, or that asks for nothing of its own, is judged at once', () => {
    const { desired, record } = setUp();
    desired.deliver('file', [staticPod('a'), staticPod('p', 'plain')]);
    desired.deliver('file', [staticPod('x', 'other'), staticPod('q', 'plain')]);
    assert.equal(record('x')?.termination?.cause, 'rejected');
    assert.deepEqual([record('q')?.undecided, record('q')?.termination], [undefined, undefined]);
  });
});

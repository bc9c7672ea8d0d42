import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { Pod } from '../../core/api/pod.ts';
import { CONFIG_SEEN_ANNOTATION, CONFIG_SOURCE_ANNOTATION } from '../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type { PodSourceName } from '../../core/model/pod-source-name.ts';
import { DesiredPods } from './desired-pods.ts';

function pod(uid: string, metadata: Partial<Pod['metadata']> = {}, more: Partial<Pod> = {}): Pod {
  return { ...samplePod({}, { metadata: { name: uid, uid, ...metadata } }), ...more };
}

function setUp(sources: PodSourceName[] = ['file', 'api']) {
  const clock = new FakeClock();
  const events = new RecordingEvents();
  const desired = new DesiredPods({ clock, events, sources });
  const changes: string[] = [];
  desired.records.subscribe((uid, record) =>
    changes.push(
      record === undefined ? `${uid} forgotten` : `${uid} ${record.termination?.cause ?? 'wanted'}`,
    ),
  );
  const record = (uid: string): DesiredPod | undefined => desired.records.get(toPodUid(uid));
  const cause = (uid: string): string | undefined => record(uid)?.termination?.cause;
  const forget = (uid: string): void => desired.forget(toPodUid(uid));
  return { clock, events, desired, changes, record, cause, forget };
}

const DELETED = { deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 7 };
const FAILED = { status: { phase: 'Failed' } } as const;

describe('DesiredPods merge', () => {
  it('takes changes of a source as it takes the whole set', () => {
    const { desired, cause } = setUp();
    desired.deliver('file', [pod('static')]);
    desired.deliver('api', [pod('a'), pod('b')]);
    const news = desired.deliver('api', {
      changed: [pod('c'), pod('a', { labels: { new: 'yes' } })],
      gone: [pod('b'), pod('static'), pod('never-seen')],
    });
    assert.deepEqual([...news].sort(), ['a', 'c']);
    assert.deepEqual(['static', 'a', 'b', 'c', 'never-seen'].map(cause), [
      undefined,
      undefined,
      'removed',
      undefined,
      undefined,
    ]);
    assert.deepEqual(desired.delivered(toPodUid('a'))?.metadata.labels, { new: 'yes' });
    desired.deliver('api', [pod('a', { labels: { new: 'yes' } })]);
    assert.equal(cause('c'), 'removed');
  });

  it('marks a new pod with its source and when it was first seen, and keeps that', async () => {
    const { clock, desired, record } = setUp();
    desired.deliver('api', [pod('a')]);
    const seen = record('a')?.pod.metadata.annotations;
    assert.equal(seen?.[CONFIG_SOURCE_ANNOTATION], 'api');
    assert.equal(seen?.[CONFIG_SEEN_ANNOTATION], '2026-01-02T03:04:05.000000000Z');
    await clock.advance(5_000);
    desired.deliver('api', [pod('a', { labels: { new: 'yes' } })]);
    assert.deepEqual(record('a')?.pod.metadata.annotations, seen);
    assert.deepEqual(record('a')?.pod.metadata.labels, { new: 'yes' });
  });

  it('the same again, another status of ours and another version are no change', () => {
    const { desired, changes } = setUp();
    desired.deliver('api', [pod('a')]);
    desired.deliver('api', [pod('a')]);
    desired.deliver('api', [pod('a', { resourceVersion: '9' }, { status: { phase: 'Running' } })]);
    assert.deepEqual(changes, ['a wanted']);
    assert.equal(desired.delivered(toPodUid('a'))?.metadata.resourceVersion, '9');
  });

  it('a condition of others is a change; so is a terminal phase from any writer', () => {
    const { desired, record, changes } = setUp();
    desired.deliver('api', [pod('a')]);
    const conditions = [{ type: 'gate.example.org/open', status: 'True' }] as const;
    desired.deliver('api', [pod('a', {}, { status: { conditions } })]);
    assert.deepEqual(record('a')?.pod.status?.conditions, conditions);
    desired.deliver('api', [pod('a', {}, { status: { conditions, phase: 'Failed' } })]);
    assert.equal(record('a')?.pod.status?.phase, 'Failed');
    assert.equal(changes.at(-1), 'a completed');
  });

  it('older arrivals have smaller numbers, also across sources', () => {
    const { desired, record } = setUp();
    desired.deliver('api', [pod('a'), pod('b')]);
    desired.deliver('file', [pod('c')]);
    const order = ['a', 'b', 'c'].map((uid) => record(uid)?.order ?? -1);
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(order).size, 3);
  });

  it('refuses a pod with an invalid UID and records an event', () => {
    const { desired, events } = setUp();
    desired.deliver('file', [
      pod('..', { name: 'one' }),
      pod('../../etc', { name: 'two' }),
      pod('', { name: 'x' }),
    ]);
    assert.equal(desired.records.size, 0);
    assert.deepEqual(
      events.events.map(({ reason }) => reason),
      ['FailedValidation', 'FailedValidation', 'FailedValidation'],
    );
  });

  it('of two pods of one name in a delivery the first counts, and the other gets an event', () => {
    const { desired, events, record } = setUp();
    desired.deliver('file', [pod('a', { name: 'same' }), pod('b', { name: 'same' })]);
    assert.notEqual(record('a'), undefined);
    assert.equal(record('b'), undefined);
    assert.deepEqual(
      events.events.map(({ type, reason, message }) => [type, reason, message]),
      [
        [
          'Warning',
          'FailedValidation',
          'Error validating pod same_default(b) from file due to duplicate pod name "same_default", ignoring',
        ],
      ],
    );
  });

  it('a pod that its source no longer has is removed; those of other sources stay', () => {
    const { desired, cause } = setUp();
    desired.deliver('api', [pod('a')]);
    desired.deliver('file', [pod('b')]);
    desired.deliver('api', []);
    assert.deepEqual([cause('a'), cause('b')], ['removed', undefined]);
  });

  it('a UID that two sources name belongs to the first: the other neither changes nor ends it', () => {
    const { desired, record, cause } = setUp();
    desired.deliver('file', [pod('a')]);
    desired.deliver('api', [pod('a', { ...DELETED, labels: { other: 'yes' } })]);
    desired.deliver('api', []);
    assert.equal(cause('a'), undefined);
    assert.equal(record('a')?.source, 'file');
    assert.equal(record('a')?.pod.metadata.labels, undefined);
  });

  it('says when all sources were seen, and again when an incomplete one is complete', () => {
    const { desired } = setUp();
    let times = 0;
    desired.onAllSourcesSeen(() => times++);
    desired.deliver('file', [pod('a')], false);
    desired.deliver('api', []);
    assert.deepEqual([desired.allSourcesSeen, desired.mayHide('file'), times], [true, true, 1]);
    desired.deliver('file', [pod('a')]);
    desired.deliver('file', []);
    assert.deepEqual([desired.allSourcesSeen, desired.mayHide('file'), times], [true, false, 2]);
  });
});

describe('DesiredPods ends', () => {
  it('a pod that is deleted or ended at first sight is never seen without its end', () => {
    const { desired, changes, record } = setUp();
    desired.deliver('api', [pod('a', DELETED), pod('b', {}, FAILED)]);
    assert.deepEqual(changes, ['a deleted', 'b completed']);
    assert.equal(record('a')?.termination?.graceSeconds, 7);
    assert.equal(record('b')?.termination?.graceSeconds, undefined);
  });

  it('a deletion hardens the cause and shrinks the grace, and notifies once for each', () => {
    const { desired, changes, record } = setUp();
    desired.deliver('api', [pod('a', {}, FAILED)]);
    desired.deliver('api', [pod('a', DELETED, FAILED)]);
    desired.deliver('api', [pod('a', { ...DELETED, deletionGracePeriodSeconds: 2 }, FAILED)]);
    assert.equal(record('a')?.termination?.graceSeconds, 2);
    const before = changes.length;
    desired.deliver('api', [pod('a', { ...DELETED, deletionGracePeriodSeconds: 2 }, FAILED)]);
    desired.requestTermination(toPodUid('a'), { cause: 'evicted', graceSeconds: 5 });
    assert.equal(changes.length, before);
  });

  it('knows no pod, ends none', () => {
    const { desired } = setUp();
    assert.equal(desired.requestTermination(toPodUid('x'), { cause: 'evicted' }), false);
  });

  for (const end of ['deleted', 'evicted', 'rejected'] as const) {
    it(`a pod that ended as ${end} never runs again while its source names it, and may after`, () => {
      const { desired, record, forget } = setUp();
      const same = end === 'deleted' ? pod('a', DELETED) : pod('a');
      desired.deliver('api', [same]);
      desired.requestTermination(toPodUid('a'), { cause: end });
      forget('a');
      desired.deliver('api', [same]);
      desired.deliver('api', [{ ...same, metadata: { ...same.metadata, labels: { more: 'yes' } } }]);
      assert.equal(record('a'), undefined);
      desired.deliver('api', []);
      desired.deliver('api', [pod('a')]);
      assert.equal(record('a')?.termination, undefined);
      assert.notEqual(record('a'), undefined);
    });
  }

  it('a pod that ended as evicted and is deleted later has a record once more, to confirm that, and only once', () => {
    const { desired, changes, record, forget } = setUp();
    desired.deliver('api', [pod('a')]);
    desired.requestTermination(toPodUid('a'), { cause: 'evicted' });
    forget('a');
    changes.length = 0;
    desired.deliver('api', [pod('a', DELETED, FAILED)]);
    assert.deepEqual(changes, ['a deleted']);
    forget('a');
    desired.deliver('api', [pod('a', DELETED, FAILED)]);
    assert.equal(record('a'), undefined);
  });

  it('a pod that was removed and brought back starts again when nothing of it is left', () => {
    const { desired, record, cause, forget } = setUp();
    desired.deliver('file', [pod('a')]);
    desired.deliver('file', []);
    desired.deliver('file', [pod('a', { labels: { version: '2' } })]);
    assert.equal(cause('a'), 'removed');
    forget('a');
    assert.deepEqual([record('a') !== undefined, cause('a')], [true, undefined]);
    assert.deepEqual(record('a')?.pod.metadata.labels, { version: '2' });
  });

  it('a pod that was removed and brought back keeps what ended, unless it is removed again or never restarts', () => {
    const { desired, record } = setUp();
    const always = pod('a');
    const never = { ...pod('b'), spec: { ...pod('b').spec, restartPolicy: 'Never' as const } };
    const returns = (uid: string) => record(uid)?.termination?.returns;
    desired.deliver('file', [always, never]);
    desired.deliver('file', []);
    assert.deepEqual([returns('a'), returns('b')], [undefined, undefined]);
    desired.deliver('file', [always, never]);
    assert.deepEqual([returns('a'), returns('b')], [true, undefined]);
    desired.deliver('file', []);
    assert.equal(returns('a'), undefined);
  });

  it('an orphan is terminated; if a source delivers it after all, it then runs again', () => {
    const { desired, record, cause, forget } = setUp();
    desired.adoptOrphan(pod('a'), 1);
    desired.deliver('api', [pod('a', { labels: { new: 'yes' } })]);
    assert.deepEqual([record('a')?.source, cause('a')], ['runtime', 'orphaned']);
    assert.equal(desired.delivered(toPodUid('a')), undefined);
    desired.adoptOrphan(pod('a'), 9);
    assert.equal(record('a')?.termination?.graceSeconds, 1);
    forget('a');
    assert.deepEqual([record('a')?.source, cause('a')], ['api', undefined]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { AgentError } from '../../base/errors.ts';
import type { Pod, PodSpec } from '../../core/api/pod.ts';
import type { PodStatus } from '../../core/api/pod-status.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type { Admission } from '../../core/node/admit-pod.ts';
import { DesiredPods, type DesiredPodsParts } from './desired-pods.ts';

function pod(
  name: string,
  more: { spec?: Partial<PodSpec>; status?: PodStatus; born?: string; deleted?: boolean } = {},
): Pod {
  const { spec, status, born, deleted } = more;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      ...(born === undefined ? {} : { creationTimestamp: born }),
      ...(deleted === true ? { deletionTimestamp: '2026-01-02T03:04:05Z' } : {}),
    },
    spec: { containers: [{ name: 'main', image: 'i' }], ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

/** Pods named in `refused` are not taken; what was asked is kept. */
function desiredPods(more: Partial<DesiredPodsParts> = {}) {
  const asked: string[] = [];
  const events = new RecordingEvents();
  const answers = new Map<string, Admission>();
  const desired = new DesiredPods({
    clock: new FakeClock(),
    events,
    sources: ['file', 'api'],
    admit: ({ metadata }, others) => {
      asked.push([metadata.name, ...others.map((other) => other.metadata.name)].join(' '));
      return answers.get(metadata.name) ?? { ok: true, victims: [] };
    },
    ...more,
  });
  const termination = (name: string) => desired.records.get(toPodUid(name))?.termination;
  return { desired, asked, events, answers, termination };
}

const STALE: Admission = { ok: false, reason: 'NodeAffinity', message: 'not here', mayBeStale: true };

describe('DesiredPods with labels that may have changed', () => {
  function setUp() {
    const read = Promise.withResolvers<void>();
    const world = desiredPods({ refreshNode: () => read.promise });
    world.answers.set('p', STALE);
    world.desired.deliver('api', [pod('p')]);
    const record = () => world.desired.records.get(toPodUid('p'));
    assert.equal(record()?.undecided, true);
    assert.deepEqual([record()?.termination, world.events.events], [undefined, []]);
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    return { ...world, read, record, settle };
  }

  it('takes the pod if they are right once they were read again', async () => {
    const { answers, read, record, asked, settle } = setUp();
    answers.delete('p');
    read.resolve();
    await settle();
    assert.deepEqual([record()?.undecided, record()?.termination, asked], [undefined, undefined, ['p', 'p']]);
  });

  it('refuses the pod if they are still wrong, or cannot be read', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      const { events, read, record, settle } = setUp();
      read[end](new AgentError('unavailable', 'away') as never);
      await settle();
      assert.equal(record()?.undecided, undefined);
      assert.equal(record()?.termination?.cause, 'rejected');
      assert.deepEqual(
        events.events.map(({ reason, message }) => [reason, message]),
        [['NodeAffinity', 'not here']],
      );
    }
  });

  it('takes the earlier one of two that wait, where there is room for one', async () => {
    const gate = Promise.withResolvers<void>();
    const { desired, termination } = desiredPods({
      admit: (_pod, others) =>
        others.length === 0 ? { ok: true, victims: [] } : { ok: false, reason: 'OutOfcpu', message: 'full' },
      assigner: {
        concerns: () => true,
        whenReady: () => gate.promise,
        assign: () => undefined,
        settle: () => undefined,
        undo: () => {},
      },
    });
    desired.deliver('api', [pod('new', { born: '2026-01-02' }), pod('old', { born: '2026-01-01' })]);
    gate.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([termination('old'), termination('new')?.cause], [undefined, 'rejected']);
  });

  it('takes back what a pod was assigned that is forgotten before it started', () => {
    const undone: string[] = [];
    const { desired } = desiredPods({
      assigner: {
        concerns: () => true,
        whenReady: () => undefined,
        assign: () => undefined,
        settle: () => undefined,
        undo: (uid) => void undone.push(uid),
      },
    });
    desired.predecessorsKnown();
    desired.deliver('file', [pod('p')]);
    desired.deliver('file', []);
    desired.forget(toPodUid('p'));
    assert.deepEqual(undone, ['p']);
  });

  it('refuses only the pod that could not be judged', async () => {
    const broken = Promise.reject(new Error('a bug'));
    const { desired, termination } = desiredPods({ refreshNode: () => broken, admit: () => STALE });
    desired.deliver('api', [pod('p')]);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(termination('p')?.verdict?.reason, 'UnexpectedAdmissionError');
  });

  it('asks no more of a pod that is deleted or gone meanwhile', async () => {
    const deleted = setUp();
    deleted.desired.deliver('api', [pod('p', { deleted: true })]);
    deleted.read.resolve();
    await deleted.settle();
    assert.equal(deleted.record()?.undecided, undefined);
    assert.equal(deleted.record()?.termination?.cause, 'deleted');
    assert.deepEqual(deleted.events.events, []);
    const gone = setUp();
    gone.desired.deliver('api', []);
    gone.desired.forget(toPodUid('p'));
    gone.read.resolve();
    await gone.settle();
    assert.deepEqual([gone.record(), gone.events.events], [undefined, []]);
  });

  it('refuses at once where nothing can be read again', () => {
    const { desired, answers, termination } = desiredPods();
    answers.set('p', STALE);
    desired.deliver('api', [pod('p')]);
    assert.equal(termination('p')?.cause, 'rejected');
  });
});

describe('DesiredPods', () => {
  it('looks at what has changed only: of a hundred pods a change of one costs one', () => {
    const { desired } = desiredPods();
    let looks = 0;
    const watched = (name: string): Pod => {
      const { spec, ...rest } = pod(name);
      return {
        ...rest,
        get spec() {
          looks++;
          return spec;
        },
      };
    };
    const pods = Array.from({ length: 100 }, (_, n) => watched(`p${n}`));
    desired.deliver('api', pods);
    looks = 0;
    assert.deepEqual(desired.deliver('api', pods.with(7, watched('p7'))), ['p7']);
    assert.ok(looks > 0 && looks <= 4, `${looks} looks at specs`);
    const record = desired.records.get(toPodUid('p8'));
    desired.deliver('api', pods.with(7, pod('p7')).with(8, pod('p8', { spec: { restartPolicy: 'Never' } })));
    assert.notEqual(desired.records.get(toPodUid('p8')), record, 'another object is compared');
  });

  it('asks once for each new pod, oldest first, beside the pods that are there', () => {
    const { desired, asked } = desiredPods();
    desired.deliver('file', [pod('static')]);
    desired.deliver('api', [
      pod('b', { born: '2026-01-02T00:00:00Z' }),
      pod('a', { born: '2026-01-01T00:00:00Z' }),
    ]);
    desired.deliver('api', [pod('b'), pod('a')]);
    assert.deepEqual(asked, ['static', 'a static', 'b static a']);
  });

  it('a refused pod is to end as rejected, with its reason in an event and a verdict', () => {
    const { desired, events, answers, termination } = desiredPods();
    answers.set('a', { ok: false, reason: 'OutOfcpu', message: 'no room' });
    desired.deliver('api', [pod('a'), pod('b')]);
    assert.equal(termination('a')?.cause, 'rejected');
    assert.deepEqual(termination('a')?.verdict, { reason: 'OutOfcpu', message: 'Pod was rejected: no room' });
    assert.deepEqual(
      events.events.map(({ type, reason, message }) => [type, reason, message]),
      [['Warning', 'OutOfcpu', 'no room']],
    );
    assert.equal(termination('b'), undefined);
  });

  it('a pod may be rejected after it was admitted; rejecting an unknown pod does nothing', () => {
    const { desired, events, termination } = desiredPods();
    desired.deliver('api', [pod('a')]);
    desired.reject(toPodUid('a'), { reason: 'VolumeAttachmentLimitExceeded', message: 'full' });
    desired.reject(toPodUid('b'), { reason: 'VolumeAttachmentLimitExceeded', message: 'full' });
    assert.equal(termination('a')?.cause, 'rejected');
    assert.equal(termination('a')?.verdict?.message, 'Pod was rejected: full');
    assert.deepEqual(events.reasons(), ['VolumeAttachmentLimitExceeded']);
  });

  it('a rejected pod keeps its verdict when it is deleted', () => {
    const { desired, answers, termination } = desiredPods();
    answers.set('a', { ok: false, reason: 'OutOfcpu', message: 'no room' });
    desired.deliver('api', [pod('a')]);
    desired.deliver('api', [pod('a', { deleted: true })]);
    assert.equal(termination('a')?.cause, 'deleted');
    assert.equal(termination('a')?.verdict?.reason, 'OutOfcpu');
  });

  it('does not ask for pods that are ending or have ended', () => {
    const { desired, asked } = desiredPods();
    desired.deliver('api', [pod('a', { deleted: true }), pod('b', { status: { phase: 'Failed' } })]);
    assert.deepEqual(asked, []);
  });

  it('others are those that hold something: deleted ones until they have ended, not rejected, ended or removed ones', () => {
    const over = new Set<string>();
    const { desired, asked, answers } = desiredPods({ hasEnded: (uid) => over.has(uid) });
    answers.set('rejected', { ok: false, reason: 'r', message: 'm' });
    desired.deliver('file', [pod('removed')]);
    desired.deliver('file', []);
    const first = [
      pod('rejected'),
      pod('failed', { status: { phase: 'Failed' } }),
      pod('deleted', { deleted: true }),
      pod('runs'),
    ];
    desired.deliver('api', first);
    asked.length = 0;
    desired.deliver('api', [...first, pod('new')]);
    over.add('deleted');
    desired.deliver('api', [...first, pod('new'), pod('newer')]);
    assert.deepEqual(asked, ['new deleted runs', 'newer runs new']);
  });

  it('victims end as preempted and hold nothing any more', () => {
    const { desired, asked, events, answers, termination } = desiredPods();
    const victim = pod('victim');
    answers.set('critical', { ok: true, victims: [victim] });
    desired.deliver('api', [victim]);
    desired.deliver('file', [pod('critical'), pod('next')]);
    assert.equal(termination('victim')?.cause, 'preempted');
    const { reason, message, conditions } = termination('victim')?.verdict ?? {};
    assert.deepEqual([reason, message], ['Preempting', 'Preempted in order to admit critical pod']);
    assert.deepEqual(conditions, [
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'TerminationByKubelet',
        message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
      },
    ]);
    assert.deepEqual(
      events.events.map((event) => [event.pod.metadata.name, event.type, event.reason]),
      [['victim', 'Warning', 'Preempting']],
    );
    assert.equal(asked.at(-1), 'next critical');
    assert.equal(termination('critical'), undefined);
  });
});

describe('DesiredPods after a restart', () => {
  /** One place; a pod that is new waits for something. */
  function setUp(granted: readonly string[]) {
    const ready = Promise.withResolvers<void>();
    const isNew = ({ metadata }: Pod): boolean => metadata.name.startsWith('new');
    return desiredPods({
      allocations: {
        apply: (one) => one,
        has: (uid) => granted.includes(uid),
        grant: () => {},
        actuated: () => undefined,
      },
      assigner: {
        concerns: () => true,
        whenReady: (one) => (isNew(one) ? ready.promise : undefined),
        assign: () => undefined,
        settle: () => undefined,
        undo: () => {},
      },
      admit: (_pod, others) =>
        others.length === 0 ? { ok: true, victims: [] } : { ok: false, reason: 'OutOfdev', message: 'full' },
    });
  }

  it('does not refuse what ran before for a pod that only waits, in whatever order they come', () => {
    const { desired, termination } = setUp(['ran']);
    desired.predecessorsKnown();
    desired.deliver('file', [pod('new-1'), pod('new-2'), pod('ran')]);
    assert.equal(termination('ran'), undefined);
    assert.equal(desired.records.get(toPodUid('new-1'))?.undecided, true);
  });

  it('judges those that ran before by age, and then the others', () => {
    const { desired, asked } = desiredPods({
      allocations: {
        apply: (one) => one,
        has: (uid) => uid.startsWith('ran'),
        grant: () => {},
        actuated: () => undefined,
      },
    });
    const pods = [
      pod('new-2', { born: '2026-01-02T00:00:00Z' }),
      pod('ran-2', { born: '2026-01-04T00:00:00Z' }),
      pod('new-1', { born: '2026-01-01T00:00:00Z' }),
      pod('ran-1', { born: '2026-01-03T00:00:00Z' }),
    ];
    desired.deliver('api', pods);
    assert.deepEqual(
      asked.map((one) => one.split(' ')[0]),
      ['ran-1', 'ran-2', 'new-1', 'new-2'],
    );
  });
});

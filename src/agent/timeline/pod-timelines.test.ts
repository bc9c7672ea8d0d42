import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { Store } from '../../base/store.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import type { ImageRequest } from '../image/image-puller.ts';
import type { ActionContext } from '../pod/perform-action.ts';
import type { PublishedStatus } from '../pod/status-board.ts';
import { PodTimelines } from './pod-timelines.ts';

const uid = toPodUid('uid-1');
const pod = samplePod();
const record: DesiredPod = { uid, pod, source: 'file', order: 1 };

function setUp() {
  const clock = new FakeClock();
  const records = new Store<PodUid, DesiredPod>();
  const published = new Store<PodUid, PublishedStatus>();
  const timelines = new PodTimelines({ clock, desired: { records }, board: { published } });
  const stop = new AbortController();
  const running = timelines.run(stop.signal);
  const ready = (isReady: boolean): PublishedStatus => ({
    pod,
    mayRun: true,
    status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  });
  const startMs = clock.now();
  const show = () =>
    timelines
      .read(uid)
      ?.steps.map(({ what, about = '', startMs: from, endMs, problem = '' }) =>
        [what, about, from - startMs, endMs === undefined ? '…' : endMs - startMs, problem].join(' ').trim(),
      );
  const end = async () => {
    stop.abort();
    await running;
  };
  return { clock, records, published, timelines, ready, show, end };
}

describe('PodTimelines', () => {
  it('records a life from first sight to the end', async () => {
    const { clock, records, published, timelines, ready, show, end } = setUp();
    records.set(uid, { ...record, undecided: true });
    await clock.advance(5);
    records.set(uid, record);
    published.set(uid, ready(false));
    const context = { record } as ActionContext;
    const pull = timelines.watchPulls({
      ensure: async () => {
        await clock.advance(100);
        return { ok: true, imageId: 'i', info: undefined };
      },
    });
    const perform = timelines.watchActions(async (action) => {
      if (action.kind === 'start-container')
        await pull.ensure({ uid, image: 'app:1', container: 'main' } as ImageRequest);
      await clock.advance(10);
      return action.kind === 'create-sandbox'
        ? { kind: 'failed', reason: 'no network', message: '', retryAtMs: 0, endsPass: true }
        : { kind: 'done' };
    });
    await perform({ kind: 'create-sandbox', attempt: 0 }, context);
    await perform({ kind: 'start-container', container: { name: 'main' } } as never, context);
    published.set(uid, ready(true));
    records.set(uid, { ...record, termination: { cause: 'removed', requestedAtMs: 0 } });
    records.set(uid, { ...record, termination: { cause: 'removed', requestedAtMs: 0, graceSeconds: 1 } });
    assert.deepEqual(show(), [
      'admission  0 5',
      'sandbox  5 15 no network',
      'image app:1 15 115',
      'start main 115 125',
      'ready  125 125',
      'ending removed 125 125',
    ]);
    timelines.podGone({ uid });
    assert.equal(timelines.read(uid), undefined);
    await end();
  });

  it('records what throws as cut short, and nothing of pods it does not know', async () => {
    const { records, timelines, show, end } = setUp();
    records.set(uid, record);
    const perform = timelines.watchActions(() => Promise.reject(new Error('stop')));
    await assert.rejects(perform({ kind: 'mount-volumes' }, { record } as ActionContext), /stop/);
    assert.deepEqual(show(), ['admission  0 0', 'volumes  0 0 cut short']);
    timelines.podGone({ uid });
    await assert.rejects(perform({ kind: 'mount-volumes' }, { record } as ActionContext), /stop/);
    assert.equal(timelines.read(uid), undefined);
    await end();
  });

  it('keeps nothing of a pod that went before it had a worker', async () => {
    const { records, show, timelines, end } = setUp();
    records.set(uid, record);
    assert.deepEqual(show(), ['admission  0 0']);
    records.delete(uid);
    assert.equal(timelines.read(uid), undefined);
    await end();
  });
});

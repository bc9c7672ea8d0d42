/**
 * To take what has changed from the API server has to come to the same as to
 * take all of its pods, whatever happens between two deliveries.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ApiPodSource } from '../../src/adapters/kube/watch/api-pod-source.ts';
import { DesiredPods } from '../../src/agent/desired/desired-pods.ts';
import { PodIntake } from '../../src/agent/desired/pod-intake.ts';
import { onAbort } from '../../src/base/async/on-abort.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import { CONFIG_MIRROR_ANNOTATION } from '../../src/core/api/pod-identity.ts';
import type { ListWatchHandlers } from '../../src/ports/cluster/list-watch.ts';
import type { DeliverPods } from '../../src/ports/pod-source.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { RecordingEvents } from '../fakes/recording-events.ts';
import { samplePod } from '../samples/sample-pods.ts';

/** `miss`: the watch brings nothing until the next list. */
const KINDS = [
  'create',
  'change',
  'delete',
  'end',
  'fail',
  'spoil',
  'deliver',
  'miss',
  'relist',
  'forget',
] as const;
type Kind = (typeof KINDS)[number];

/** Of them the first are mirrors. */
const NAMES = 5;
const MIRRORS = 2;

/** The pods of an API server, one for each name, and one watch. */
class Server {
  readonly #pods = new Map<number, Pod>();
  #version = 0;
  #isMissing = false;
  handlers: ListWatchHandlers<Pod> | undefined;

  relist(): void {
    this.#isMissing = false;
    this.handlers?.onReplace([...this.#pods.values()].map((pod) => ({ ...pod })));
  }

  miss(): void {
    this.#isMissing = true;
  }

  do(kind: Kind, name: number): void {
    const before = this.#pods.get(name);
    const after = this.#toNext(kind, name, before);
    if (after === undefined) this.#pods.delete(name);
    else this.#pods.set(name, after);
    if (this.#isMissing) return;
    const isSame = before?.metadata.uid === after?.metadata.uid;
    if (before !== undefined && !isSame) this.handlers?.onEvent('DELETED', before);
    if (after !== undefined) this.handlers?.onEvent(isSame ? 'MODIFIED' : 'ADDED', after);
  }

  #toNext(kind: Kind, name: number, before: Pod | undefined): Pod | undefined {
    const version = { resourceVersion: String(++this.#version) };
    const change = (metadata: Partial<Pod['metadata']>, more: Partial<Pod> = {}): Pod | undefined =>
      before && { ...before, ...more, metadata: { ...before.metadata, ...metadata, ...version } };
    if (kind === 'delete') return undefined;
    if (kind === 'end') return change({ deletionTimestamp: '2026-01-02T03:04:05Z' });
    if (kind === 'fail') return change({}, { status: { phase: 'Failed' } });
    if (kind === 'spoil' && name >= MIRRORS) return change({ uid: '' });
    if (kind !== 'create') return change({});
    const annotations = name < MIRRORS ? { [CONFIG_MIRROR_ANNOTATION]: 'hash' } : {};
    const metadata = { name: `pod-${name}`, uid: `uid-${name}-${this.#version}`, annotations };
    return samplePod({}, { metadata: { ...metadata, ...version } });
  }
}

/** One that a source delivers to. */
class Receiver {
  readonly #desired: DesiredPods;
  deliver: DeliverPods = () => {};
  #heard: unknown;

  constructor(clock: FakeClock) {
    this.#desired = new DesiredPods({ clock, events: new RecordingEvents(), sources: ['api'] });
    const run = async (_stop: AbortSignal, deliver: DeliverPods): Promise<void> => {
      this.deliver = deliver;
    };
    const intake = new PodIntake([{ name: 'api', run }], this.#desired);
    intake.onApiDelivery((mirrors, news) => {
      this.#heard = { mirrors: mirrors.map(toText).sort(), news: [...news].sort() };
    });
    void intake.run(new AbortController().signal);
  }

  /** Nothing is left of one of those that end. */
  forget(index: number): void {
    const ending = [...this.#desired.records.values()].filter(({ termination }) => termination !== undefined);
    const uid = ending.map((record) => record.uid).sort()[index % Math.max(1, ending.length)];
    if (uid !== undefined) this.#desired.forget(uid);
  }

  get state(): unknown {
    const records = [...this.#desired.records.values()].map(({ uid, pod, termination }) =>
      [uid, toText(pod), toText(this.#desired.delivered(uid)), termination?.cause].join(),
    );
    return { records: records.sort(), heard: this.#heard };
  }
}

function toText(pod: Pod | undefined): string {
  const { name, uid, resourceVersion } = pod?.metadata ?? {};
  return `${name} ${uid} ${resourceVersion}`;
}

async function play(steps: readonly (readonly [Kind, name: number])[]): Promise<void> {
  const clock = new FakeClock();
  const server = new Server();
  const stop = new AbortController();
  const [byChanges, bySets] = [new Receiver(clock), new Receiver(clock)];
  const run = (stopped: AbortSignal, handlers: ListWatchHandlers<Pod>): Promise<void> => {
    server.handlers = handlers;
    return new Promise((resolve) => onAbort(stopped, resolve));
  };
  const api = { follow: () => ({ run }) } as never;
  const running = new ApiPodSource({ api, nodeName: 'one', clock }).run(
    stop.signal,
    (pods, complete, changes) => {
      byChanges.deliver(pods, complete, changes);
      bySets.deliver(pods, complete);
    },
  );
  await clock.settle();
  server.relist();
  for (const [kind, name] of steps) {
    if (kind === 'deliver') await clock.advance(1);
    else if (kind === 'relist') server.relist();
    else if (kind === 'miss') server.miss();
    else if (kind === 'forget') for (const receiver of [byChanges, bySets]) receiver.forget(name);
    else server.do(kind, name);
    assert.deepEqual(byChanges.state, bySets.state);
  }
  stop.abort();
  await running;
}

describe('changes of the API server', () => {
  it('come to the same as all of its pods', () => {
    const step = fc.tuple(fc.constantFrom(...KINDS), fc.nat({ max: NAMES - 1 }));
    const steps = fc.array(step, { minLength: 10, maxLength: 60, size: 'max' });
    return fc.assert(fc.asyncProperty(steps, play), { numRuns: 300 });
  });
});

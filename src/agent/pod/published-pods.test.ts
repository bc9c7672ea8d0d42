import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Store } from '../../base/store.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { PodStatus } from '../../core/api/pod-status.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import { PublishedPods } from './published-pods.ts';
import type { PublishedStatus } from './status-board.ts';

const pod = (uid: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `name-${uid}`, namespace: 'default', uid, labels: { a: 'b' } },
  spec: { containers: [] },
});

function setUp() {
  const records = new Store<PodUid, DesiredPod>();
  const published = new Store<PodUid, PublishedStatus>();
  const catalog = new PublishedPods({ records, published });
  const want = (uid: string, source: DesiredPod['source'] = 'api'): void =>
    records.set(toPodUid(uid), { uid: toPodUid(uid), pod: pod(uid), source, order: 0 });
  const publish = (uid: string, phase: PodStatus['phase']): void =>
    published.set(toPodUid(uid), { pod: pod(uid), status: { phase } as PodStatus, mayRun: true });
  return { records, published, catalog, want, publish };
}

describe('PublishedPods', () => {
  it('lists pods by UID with their last status, and not those that only the runtime has', () => {
    const { catalog, want, publish } = setUp();
    want('b');
    want('a');
    want('c', 'runtime');
    publish('b', 'Running');
    publish('c', 'Running');
    assert.deepEqual(
      catalog.list().map(({ metadata, status }) => [metadata.uid, status?.phase]),
      [
        ['a', undefined],
        ['b', 'Running'],
      ],
    );
    assert.equal(catalog.find('b')?.status?.phase, 'Running');
    assert.deepEqual(
      [catalog.find('c'), catalog.find('z'), catalog.find('')],
      [undefined, undefined, undefined],
    );
  });

  it('names every change once, and of what is gone the name alone', () => {
    const { catalog, want, publish, published } = setUp();
    for (const uid of ['a', 'b']) want(uid);
    want('c', 'runtime');
    publish('a', 'Pending');
    const changes: string[] = [];
    using _listening = catalog.onChange(({ kind, pod: { metadata } }) => {
      changes.push(`${kind} ${metadata.name}${metadata.labels === undefined ? '' : ' whole'}`);
    });
    publish('a', 'Running');
    publish('b', 'Pending');
    publish('c', 'Running');
    for (const uid of ['a', 'c']) published.delete(toPodUid(uid));
    assert.deepEqual(changes, ['modified name-a whole', 'added name-b whole', 'deleted name-a']);
  });
});

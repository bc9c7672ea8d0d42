import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LocalObject } from '../../../core/manifest/local-object.ts';
import { LocalObjects } from './local-objects.ts';

const metadata = { name: 'app', namespace: 'default' };
const config = (value: string): LocalObject => ({ kind: 'ConfigMap', metadata, data: { key: value } });
const secret: LocalObject = { kind: 'Secret', metadata, data: { key: 'aHVudGVy' } };
const disk: LocalObject = {
  kind: 'PersistentVolume',
  metadata: { name: 'disk' },
  spec: { accessModes: ['ReadWriteOnce'], local: { path: '/x' }, claimRef: { name: 'app' } },
};
const claim: LocalObject = {
  kind: 'PersistentVolumeClaim',
  metadata,
  spec: { accessModes: ['ReadWriteOnce'] },
};

describe('LocalObjects', () => {
  it('answers like an API server', async () => {
    const objects = new LocalObjects();
    assert.deepEqual(await objects.configMap('default', 'app'), { kind: 'missing' });
    objects.replace([config('a'), secret]);
    assert.deepEqual(await objects.configMap('default', 'app'), { kind: 'found', data: { key: 'a' } });
    assert.deepEqual(await objects.secret('default', 'app'), {
      kind: 'found',
      data: { key: 'hunter' },
      secret: { uid: '', type: '' },
    });
    assert.deepEqual(await objects.secret('other', 'app'), { kind: 'missing' });
  });

  it('notifies listeners of their object only, and of changes only', () => {
    const objects = new LocalObjects();
    const heard: string[] = [];
    using _one = objects.subscribe({ kind: 'configmap', ...metadata }, () => void heard.push('config'));
    const two = objects.subscribe({ kind: 'secret', ...metadata }, () => void heard.push('secret'));
    objects.replace([config('a'), secret]);
    objects.replace([config('a'), secret]);
    objects.replace([config('b'), secret]);
    two[Symbol.dispose]();
    objects.replace([config('b')]);
    objects.replace([]);
    assert.deepEqual(heard, ['config', 'secret', 'config', 'config']);
  });

  it('binds claims, and notifies when that may have changed', async () => {
    const objects = new LocalObjects();
    let changes = 0;
    using _listening = objects.onClaimsChanged(() => void changes++);
    objects.replace([claim, config('a')]);
    const pending = await objects.claim('default', 'app');
    assert.equal(pending.kind === 'found' && pending.object.status?.phase, 'Pending');
    objects.replace([claim, disk, config('b')]);
    const found = await objects.claim('default', 'app');
    assert.equal(found.kind === 'found' && found.object.spec.volumeName, 'disk');
    assert.deepEqual(await objects.persistentVolume('none'), {
      kind: 'failed',
      message: 'persistentvolumes "none" not found',
    });
    objects.replace([claim, disk, config('c')]);
    assert.equal(changes, 2);
  });
});

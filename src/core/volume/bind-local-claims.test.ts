import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PersistentVolume, PersistentVolumeClaim } from '../api/persistent-volume.ts';
import { bindLocalClaims } from './bind-local-claims.ts';

const claim = (name: string, spec: PersistentVolumeClaim['spec'] = {}): PersistentVolumeClaim => ({
  metadata: { name, namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], ...spec },
});
const volume = (name: string, spec: PersistentVolume['spec'] = {}): PersistentVolume => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem', ...spec },
});

/** `claim=volume` for each bound claim. */
function bound(claims: PersistentVolumeClaim[], volumes: PersistentVolume[]): string[] {
  const result = bindLocalClaims(claims, volumes);
  return [...result.claims.values()].flatMap(({ metadata, spec, status }) => {
    if (status?.phase !== 'Bound') return [];
    const back = result.volumes.get(spec.volumeName ?? '')?.spec.claimRef;
    assert.equal(back?.uid, metadata.uid, 'the volume points back to its claim');
    return [`${metadata.name}=${spec.volumeName}`];
  });
}

describe('bindLocalClaims', () => {
  it('binds a claim to the volume it names, or that names it', () => {
    const byVolume = { claimRef: { name: 'b' } };
    assert.deepEqual(
      bound([claim('a', { volumeName: 'one' }), claim('b')], [volume('one'), volume('two', byVolume)]),
      ['a=one', 'b=two'],
    );
  });

  it('never chooses a volume for a claim', () => {
    assert.deepEqual(bound([claim('a')], [volume('one')]), []);
    const two = [claim('a', { volumeName: 'one' }), claim('b', { volumeName: 'one' })];
    assert.deepEqual(bound(two, [volume('one')]), []);
    assert.deepEqual(bound(two, [volume('one', { claimRef: { name: 'b', namespace: 'default' } })]), [
      'b=one',
    ]);
    assert.deepEqual(bound(two, [volume('one', { claimRef: { name: 'b', namespace: 'other' } })]), []);
  });

  it('wants access and mode to fit', () => {
    const wanted = [claim('a', { volumeName: 'one' })];
    assert.deepEqual(bound(wanted, [volume('one', { accessModes: ['ReadOnlyMany'] })]), []);
    assert.deepEqual(bound(wanted, [volume('one', { volumeMode: 'Block' })]), []);
    const device = [claim('a', { volumeName: 'one', volumeMode: 'Block' })];
    assert.deepEqual(bound(device, [volume('one', { volumeMode: 'Block' })]), ['a=one']);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../core/api/persistent-volume.ts';
import type { Volume } from '../../core/api/volume.ts';
import type { ClaimReader } from '../../ports/cluster/claim-reader.ts';
import { resolveVolumes } from './resolve-volumes.ts';

const { signal } = new AbortController();
const volume: PersistentVolume = {
  metadata: { name: 'pv-1' },
  spec: {
    awsElasticBlockStore: { volumeID: 'vol-1' },
    claimRef: { uid: 'claim-uid' },
    volumeMode: 'Filesystem',
    accessModes: ['ReadWriteOnce'],
  },
};
const claim: PersistentVolumeClaim = {
  metadata: { name: 'disk', namespace: 'market', uid: 'claim-uid' },
  spec: { volumeName: 'pv-1' },
  status: { phase: 'Bound' },
};
const claims: ClaimReader = {
  claim: async () => ({ kind: 'found', object: claim }),
  persistentVolume: async () => ({ kind: 'found', object: volume }),
};

async function resolve(one: Volume) {
  const { found, problems } = await resolveVolumes(claims, samplePod({ volumes: [one] }), [one], signal);
  return { resolved: found[0]?.[0], problems };
}

describe('resolveVolumes of disks of clouds', () => {
  it('gives one behind a claim to the storage driver, under the name of the volume', async () => {
    const { resolved } = await resolve({ name: 'data', persistentVolumeClaim: { claimName: 'disk' } });
    assert.deepEqual([resolved?.source, resolved?.innerName], ['csi', 'pv-1']);
    assert.equal(resolved?.persistent?.volume.spec.csi?.driver, 'ebs.csi.aws.com');
  });

  it('gives one of the pod itself to it as well, under the name of the disk', async () => {
    const { resolved } = await resolve({
      name: 'data',
      awsElasticBlockStore: { volumeID: 'vol-2', readOnly: true },
    });
    assert.deepEqual([resolved?.source, resolved?.innerName], ['csi', 'ebs.csi.aws.com-vol-2']);
    assert.equal(resolved?.persistent?.readOnly, true);
    assert.equal(resolved?.volume.name, 'data');
  });

  it('says why one cannot be given to it', async () => {
    const { problems } = await resolve({ name: 'data', azureDisk: { kind: 'Shared' } });
    assert.deepEqual(
      problems.map(({ message }) => message),
      ['kind(Shared) is not supported in csi migration'],
    );
  });
});

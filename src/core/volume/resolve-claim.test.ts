import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, samplePod } from '../../../test/samples/sample-pod.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../api/persistent-volume.ts';
import type { Container } from '../api/pod.ts';
import { toBoundVolumeName, toClaimName, toPersistentVolume } from './resolve-claim.ts';
import { isForOnePod, toMountOptions, toVolumeGroup } from './resolved-volume.ts';

const volume = { name: 'data', persistentVolumeClaim: { claimName: 'disk', readOnly: true } };
const ephemeral = { name: 'data', ephemeral: { volumeClaimTemplate: {} } };
const pod = samplePod({ volumes: [volume] });
const { namespace, name: podName, uid } = pod.metadata;

function claim(
  meta: Partial<PersistentVolumeClaim['metadata']> = {},
  rest: Partial<PersistentVolumeClaim> = {},
): PersistentVolumeClaim {
  return {
    metadata: { name: 'disk', namespace, uid: 'claim-1', ...meta },
    spec: { volumeName: 'pv-1' },
    status: { phase: 'Bound' },
    ...rest,
  };
}

function persistent(
  spec: Partial<PersistentVolume['spec']> = {},
  annotations: Record<string, string> = {},
): PersistentVolume {
  return {
    metadata: { name: 'pv-1', annotations },
    spec: { volumeMode: 'Filesystem', claimRef: { uid: 'claim-1' }, hostPath: { path: '/x' }, ...spec },
  };
}

describe('toClaimName', () => {
  it('is what the pod names, or the name made for an ephemeral volume', () => {
    assert.deepEqual(toClaimName(pod, volume), {
      namespace,
      name: 'disk',
      readOnly: true,
      isEphemeral: false,
    });
    assert.deepEqual(toClaimName(pod, ephemeral), {
      namespace,
      name: `${podName}-data`,
      readOnly: false,
      isEphemeral: true,
    });
    assert.equal(toClaimName(pod, { name: 'x', emptyDir: {} }), undefined);
  });
});

describe('toBoundVolumeName', () => {
  const wanted = toClaimName(pod, volume)!;
  const made = toClaimName(pod, ephemeral)!;
  const refused = (object: PersistentVolumeClaim, name = wanted): string => {
    const result = toBoundVolumeName(pod, name, object);
    return result.ok ? 'accepted' : result.message;
  };
  const wrapped = (why: string): string => `error processing PVC ${namespace}/disk: ${why}`;
  const deletionTimestamp = '2026-01-01T00:00:00Z';

  it('is the name in a bound claim', () => {
    assert.deepEqual(toBoundVolumeName(pod, wanted, claim()), { ok: true, value: 'pv-1' });
    const protectedClaim = claim({ deletionTimestamp, finalizers: ['kubernetes.io/pvc-protection'] });
    assert.equal(refused(protectedClaim), 'accepted');
  });

  it('reports what is wrong with an unbound claim', () => {
    assert.equal(refused(claim({ deletionTimestamp })), wrapped('PVC is being deleted'));
    assert.equal(refused(claim({}, { status: { phase: 'Pending' } })), wrapped('PVC is not bound'));
    assert.equal(refused(claim({}, { spec: {} })), wrapped('PVC has empty pvc.Spec.VolumeName'));
  });

  it('requires the claim of an ephemeral volume to be owned by the pod', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: podName, uid, controller: true };
    assert.equal(refused(claim({ ownerReferences: [owner] }), made), 'accepted');
    const sentence = `PVC ${namespace}/${podName}-data was not created for pod ${namespace}/${podName} (pod is not owner)`;
    for (const wrong of [
      { ...owner, uid: 'other' },
      { ...owner, controller: false },
    ])
      assert.equal(refused(claim({ ownerReferences: [wrong] }), made), sentence);
  });
});

describe('toPersistentVolume', () => {
  const wanted = toClaimName(pod, volume)!;
  const resolve = (found: PersistentVolume, container: Partial<Container> = {}) =>
    toPersistentVolume(
      samplePod({ volumes: [volume], containers: [sampleContainer(container)] }),
      volume,
      wanted,
      claim(),
      found,
    );
  const refused = (found: PersistentVolume, container: Partial<Container> = {}): string => {
    const result = resolve(found, container);
    return result.ok ? 'accepted' : result.message;
  };

  it('has the name, the kind and the access of the volume behind the claim', () => {
    const result = resolve(persistent());
    assert.ok(result.ok);
    const { innerName, source, persistent: behind } = result.value;
    assert.deepEqual([innerName, source], ['pv-1', 'hostPath']);
    assert.deepEqual([behind?.readOnly, behind?.mode], [true, 'Filesystem']);
  });

  it('refuses a volume of another claim', () => {
    assert.equal(
      refused({ ...persistent(), spec: { volumeMode: 'Filesystem' } }),
      `error processing PVC ${namespace}/disk: found PV object pv-1 but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`,
    );
    assert.equal(
      refused(persistent({ claimRef: { uid: 'claim-2' } })),
      `error processing PVC ${namespace}/disk: found PV object pv-1 but its pv.Spec.ClaimRef.UID claim-2 does not point to claim.UID claim-1`,
    );
  });

  it('refuses a volume that is used in another way than it is made', () => {
    const mounts = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    const devices = { volumeDevices: [{ name: 'data', devicePath: '/dev/x' }] };
    assert.equal(
      refused(persistent({ volumeMode: 'Block' }), mounts),
      'volume data has volumeMode Block, but is specified in volumeMounts',
    );
    assert.equal(
      refused(persistent(), devices),
      'volume data has volumeMode Filesystem, but is specified in volumeDevices',
    );
    const { volumeMode: _mode, ...spec } = persistent().spec;
    assert.equal(refused({ ...persistent(), spec }), 'cannot get volumeMode for volume: pv-1');
  });
});

describe('persistent volumes', () => {
  it('have mount options by annotation before those by field', () => {
    assert.deepEqual(toMountOptions(persistent({ mountOptions: ['soft'] })), ['soft']);
    const annotations = { 'volume.beta.kubernetes.io/mount-options': 'hard,nolock' };
    assert.deepEqual(toMountOptions(persistent({ mountOptions: ['soft'] }, annotations)), ['hard', 'nolock']);
  });

  it('have a group where the annotation is a number', () => {
    assert.equal(toVolumeGroup(persistent({}, { 'pv.beta.kubernetes.io/gid': '1234' })), 1234);
    assert.equal(toVolumeGroup(persistent({}, { 'pv.beta.kubernetes.io/gid': 'staff' })), undefined);
    assert.equal(toVolumeGroup(persistent()), undefined);
  });

  it('are for one pod only when that is all they allow', () => {
    assert.equal(isForOnePod(persistent({ accessModes: ['ReadWriteOncePod'] })), true);
    assert.equal(isForOnePod(persistent({ accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] })), false);
  });
});

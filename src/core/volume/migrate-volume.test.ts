import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PersistentVolume, PersistentVolumeSpec } from '../api/persistent-volume.ts';
import type { Volume } from '../api/volume.ts';
import { toMigratedInline, toMigratedVolume } from './migrate-volume.ts';

function migrate(
  spec: PersistentVolumeSpec,
  metadata: Partial<PersistentVolume['metadata']> = {},
): PersistentVolume {
  const claimRef = { namespace: 'shop' };
  const result = toMigratedVolume({ metadata: { name: 'pv-1', ...metadata }, spec: { claimRef, ...spec } });
  assert.ok(result?.ok, result?.ok === false ? result.message : 'it is none');
  return result.value;
}

describe('toMigratedVolume', () => {
  const cases: [name: string, spec: PersistentVolumeSpec, csi: object, metadata?: object][] = [
    [
      'a bare EBS volume',
      { awsElasticBlockStore: { volumeID: 'vol-1', fsType: 'xfs', partition: 2, readOnly: true } },
      {
        driver: 'ebs.csi.aws.com',
        volumeHandle: 'vol-1',
        readOnly: true,
        fsType: 'xfs',
        volumeAttributes: { partition: '2' },
      },
    ],
    [
      'an EBS volume with its zone',
      { awsElasticBlockStore: { volumeID: 'aws://us-east-1a/vol-1' } },
      {
        driver: 'ebs.csi.aws.com',
        volumeHandle: 'vol-1',
        readOnly: false,
        volumeAttributes: { partition: '0' },
      },
    ],
    [
      'an Azure disk',
      {
        azureDisk: {
          diskName: 'd',
          diskURI: '/subs/d',
          kind: 'Managed',
          cachingMode: 'None',
          fsType: 'ext4',
          readOnly: false,
        },
      },
      {
        driver: 'disk.csi.azure.com',
        volumeHandle: '/subs/d',
        readOnly: false,
        fsType: 'ext4',
        volumeAttributes: { kind: 'Managed', cachingmode: 'None', fstype: 'ext4' },
      },
    ],
    [
      'an Azure share',
      { azureFile: { secretName: 'azure-storage-account-acme-secret', shareName: 's' } },
      {
        driver: 'file.csi.azure.com',
        volumeHandle: '#acme#s#pv-1#shop',
        readOnly: false,
        volumeAttributes: { sharename: 's' },
        nodeStageSecretRef: { name: 'azure-storage-account-acme-secret', namespace: 'shop' },
      },
    ],
    [
      'a GCE disk of one zone',
      { gcePersistentDisk: { pdName: 'd', partition: 1 } },
      {
        driver: 'pd.csi.storage.gke.io',
        volumeHandle: 'projects/UNSPECIFIED/zones/us-a1-b/disks/d',
        readOnly: false,
        volumeAttributes: { partition: '1' },
      },
      { labels: { 'topology.kubernetes.io/zone': 'us-a1-b' } },
    ],
    [
      'a GCE disk of a region',
      { gcePersistentDisk: { pdName: 'd' } },
      {
        driver: 'pd.csi.storage.gke.io',
        volumeHandle: 'projects/UNSPECIFIED/regions/us-a1/disks/d',
        readOnly: false,
        volumeAttributes: { partition: '' },
      },
      { labels: { 'failure-domain.beta.kubernetes.io/zone': 'us-a1-b__us-a1-c' } },
    ],
    [
      'a Cinder volume',
      { cinder: { volumeID: 'c' } as Volume['cinder'] & object },
      { driver: 'cinder.csi.openstack.org', volumeHandle: 'c', readOnly: false },
    ],
    [
      'a Portworx volume with its secret',
      { portworxVolume: { volumeID: 'p' } },
      {
        driver: 'pxd.portworx.com',
        volumeHandle: 'p',
        readOnly: false,
        nodeStageSecretRef: { name: 's', namespace: 'n' },
        nodePublishSecretRef: { name: 's', namespace: 'n' },
        nodeExpandSecretRef: { name: 's', namespace: 'n' },
      },
      {
        annotations: { 'openstorage.io/auth-secret-name': 's', 'openstorage.io/auth-secret-namespace': 'n' },
      },
    ],
    [
      'a vSphere disk',
      { vsphereVolume: { volumePath: '[ds] a.vmdk', storagePolicyName: 'gold' } },
      {
        driver: 'csi.vsphere.vmware.com',
        volumeHandle: '[ds] a.vmdk',
        readOnly: false,
        volumeAttributes: { storagepolicyname: 'gold' },
      },
    ],
  ];
  for (const [name, spec, csi, metadata] of cases)
    it(`gives ${name} to its driver`, () => {
      const migrated = migrate(spec, metadata);
      assert.deepEqual(migrated.spec.csi, csi);
      const [old = ''] = Object.keys(spec);
      assert.ok(!(old in migrated.spec), 'the old source is gone');
      assert.equal(migrated.metadata.name, 'pv-1');
    });

  it('leaves volumes of other kinds alone, and refuses what no driver serves', () => {
    assert.equal(
      toMigratedVolume({ metadata: { name: 'x' }, spec: { hostPath: { path: '/x' } } }),
      undefined,
    );
    const odd: PersistentVolumeSpec[] = [
      { awsElasticBlockStore: { volumeID: 'aws://us/disk' } },
      { azureDisk: { diskURI: 'd', kind: 'Shared' } },
      { azureFile: { secretName: 's', shareName: 't' } },
    ];
    for (const spec of odd) assert.equal(toMigratedVolume({ metadata: { name: 'x' }, spec })?.ok, false);
  });

  it('names zones and access as the driver does', () => {
    const expression = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a'] };
    const { spec } = migrate({
      gcePersistentDisk: { pdName: 'd' },
      accessModes: ['ReadWriteMany', 'ReadOnlyMany'],
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
    });
    assert.deepEqual(spec.accessModes, ['ReadWriteOnce']);
    assert.deepEqual(spec.nodeAffinity?.required?.nodeSelectorTerms?.[0]?.matchExpressions, [
      { ...expression, key: 'topology.gke.io/zone' },
    ]);
  });
});

describe('toMigratedInline', () => {
  it('makes a volume named after the disk, which may be a directory’s name', () => {
    const inline = (source: Omit<Volume, 'name'>) => {
      const made = toMigratedInline({ name: 'data', ...source }, 'shop');
      assert.ok(made?.ok);
      return [made.value.metadata.name, made.value.spec.accessModes?.[0], made.value.spec.csi?.volumeHandle];
    };
    assert.deepEqual(inline({ gcePersistentDisk: { pdName: 'd', readOnly: true } }), [
      'pd.csi.storage.gke.io-d',
      'ReadOnlyMany',
      'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d',
    ]);
    assert.deepEqual(inline({ azureDisk: { diskURI: '/subs/d' } }), ['~subs~d', 'ReadWriteOnce', '/subs/d']);
    assert.deepEqual(inline({ azureFile: { secretName: 's', shareName: 't' } }), [
      '#s#t#data#shop',
      'ReadWriteMany',
      '#s#t#data#shop',
    ]);
    assert.equal(toMigratedInline({ name: 'data', emptyDir: {} }, 'shop'), undefined);
  });
});

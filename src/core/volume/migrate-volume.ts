/**
 * Disks of clouds that volumes name by the cloud's own words, as volumes of
 * the storage drivers that serve them now. Pure; what comes out is set up like
 * any volume of a storage driver.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type {
  CsiPersistentVolumeSource,
  NodeSelector,
  PersistentVolume,
  PersistentVolumeSpec,
} from '../api/persistent-volume.ts';
import type { Volume } from '../api/volume.ts';
import type { VolumeSource } from './volume-source.ts';

/** A source as the API has it, read field by field: its type is not needed elsewhere. */
type OldSource = Readonly<Record<string, unknown>>;

interface Origin {
  /** The persistent volume; for one of the pod itself only its name in the pod. */
  readonly name: string;
  /** Where its secrets are. */
  readonly namespace: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

interface Migration {
  readonly driver: string;
  /** What the driver calls the zone of a node. */
  readonly zoneKey?: string;
  /** Without the driver's name; refused where the driver cannot serve it. */
  readonly toCsi: (source: OldSource, origin: Origin) => Outcome<Omit<CsiPersistentVolumeSource, 'driver'>>;
}

const ZONE_LABELS = ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'];
const ANY = 'UNSPECIFIED';
/** Between several zones of one disk. */
const ZONES = '__';

const MIGRATIONS: Readonly<Partial<Record<VolumeSource, Migration>>> = {
  awsElasticBlockStore: {
    driver: 'ebs.csi.aws.com',
    zoneKey: 'topology.ebs.csi.aws.com/zone',
    toCsi: (source) => {
      const id = text(source, 'volumeID');
      const [, handle = id.startsWith('aws://') ? '' : id] = /^aws:\/\/[^/]*\/(vol-[^/]*)\/?$/.exec(id) ?? [];
      if (handle === '')
        return refuse(
          `failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${id})`,
        );
      return accept({
        ...plain(source, handle),
        volumeAttributes: { partition: String(number(source, 'partition')) },
      });
    },
  },
  azureDisk: {
    driver: 'disk.csi.azure.com',
    toCsi: (source) => {
      const kind = text(source, 'kind');
      if (kind !== '' && kind.toLowerCase() !== 'managed')
        return refuse(`kind(${kind}) is not supported in csi migration`);
      const [cachingmode, fstype] = [text(source, 'cachingMode'), text(source, 'fsType')];
      return accept({
        ...plain(source, text(source, 'diskURI')),
        volumeAttributes: { kind: 'Managed', ...(cachingmode && { cachingmode }), ...(fstype && { fstype }) },
      });
    },
  },
  azureFile: {
    driver: 'file.csi.azure.com',
    toCsi: (source, { name, namespace, annotations }) => {
      const [secret, share] = [text(source, 'secretName'), text(source, 'shareName')];
      const [, account = secret] = /^azure-storage-account-(.+)-secret$/.exec(secret) ?? [];
      const group = annotations['kubernetes.io/azure-file-resource-group'] ?? '';
      const own = text(source, 'secretNamespace') || namespace;
      if (own === '')
        return refuse('could not find a secret namespace in PersistentVolumeSource or ClaimRef');
      return accept({
        ...plain(source, [group, account, share, name, own].join('#')),
        volumeAttributes: { sharename: share },
        nodeStageSecretRef: { name: secret, namespace: own },
      });
    },
  },
  gcePersistentDisk: {
    driver: 'pd.csi.storage.gke.io',
    zoneKey: 'topology.gke.io/zone',
    toCsi: (source, { labels }) => {
      const zones = ZONE_LABELS.map((label) => labels[label] ?? '')
        .find(Boolean)
        ?.split(ZONES) ?? [ANY];
      const regions = new Set(zones.map((zone) => zone.split('-').slice(0, 2).join('-')));
      if (zones.length > 1 && regions.size > 1)
        return refuse(`failed to get region from zones: ${zones.join(', ')}`);
      const place = zones.length > 1 ? `regions/${[...regions][0]}` : `zones/${zones[0]}`;
      const partition = number(source, 'partition');
      return accept({
        ...plain(source, `projects/${ANY}/${place}/disks/${text(source, 'pdName')}`),
        volumeAttributes: { partition: partition === 0 ? '' : String(partition) },
      });
    },
  },
  cinder: {
    driver: 'cinder.csi.openstack.org',
    zoneKey: 'topology.cinder.csi.openstack.org/zone',
    toCsi: (source) => accept(plain(source, text(source, 'volumeID'))),
  },
  portworxVolume: {
    driver: 'pxd.portworx.com',
    toCsi: (source, { annotations }) => {
      const name = annotations['openstorage.io/auth-secret-name'];
      const namespace = annotations['openstorage.io/auth-secret-namespace'];
      const secret = name === undefined || namespace === undefined ? undefined : { name, namespace };
      return accept({
        ...plain(source, text(source, 'volumeID')),
        ...(secret && {
          nodeStageSecretRef: secret,
          nodePublishSecretRef: secret,
          nodeExpandSecretRef: secret,
        }),
      });
    },
  },
  vsphereVolume: {
    driver: 'csi.vsphere.vmware.com',
    zoneKey: 'topology.csi.vmware.com/zone',
    toCsi: (source) => {
      const storagepolicyname = text(source, 'storagePolicyName');
      return accept({
        ...plain(source, text(source, 'volumePath')),
        volumeAttributes: { ...(storagepolicyname && { storagepolicyname }) },
      });
    },
  },
};

/** The volume as its storage driver has it; undefined when it is none of a cloud. */
export function toMigratedVolume(volume: PersistentVolume): Outcome<PersistentVolume> | undefined {
  const found = find(volume.spec);
  if (found === undefined) return undefined;
  const { key, source, migration } = found;
  const { metadata, spec } = volume;
  const { annotations = {}, labels = {}, name } = metadata;
  const csi = migration.toCsi(source, {
    name,
    namespace: spec.claimRef?.namespace ?? '',
    annotations,
    labels,
  });
  if (!csi.ok) return csi;
  const { [key]: _old, nodeAffinity, ...rest } = spec as PersistentVolumeSpec & Record<string, unknown>;
  const required = toDriverZones(nodeAffinity?.required, migration.zoneKey);
  return accept({
    ...volume,
    spec: {
      ...rest,
      ...(key === 'gcePersistentDisk' ? { accessModes: toGceModes(spec.accessModes ?? []) } : {}),
      ...(required === undefined ? {} : { nodeAffinity: { required } }),
      csi: { driver: migration.driver, ...csi.value },
    },
  });
}

/** The same for a volume of a pod, which then has a persistent one of its own making; undefined when it is none of a cloud. */
export function toMigratedInline(
  volume: Volume,
  podNamespace: string,
): Outcome<PersistentVolume> | undefined {
  const found = find(volume);
  if (found === undefined) return undefined;
  const { key, source, migration } = found;
  const origin = { name: volume.name, namespace: podNamespace || 'default', annotations: {}, labels: {} };
  const csi = migration.toCsi(source, origin);
  if (!csi.ok) return csi;
  const { volumeHandle, readOnly = false } = csi.value;
  const isShared = readOnly && (key === 'gcePersistentDisk' || key === 'portworxVolume');
  const mode = key === 'azureFile' ? 'ReadWriteMany' : isShared ? 'ReadOnlyMany' : 'ReadWriteOnce';
  const id = key === 'gcePersistentDisk' ? text(source, 'pdName') : volumeHandle;
  const name = key === 'azureDisk' || key === 'azureFile' ? id : `${migration.driver}-${id}`;
  return accept({
    // It names directories.
    metadata: { name: name.replaceAll('/', '~') },
    spec: { accessModes: [mode], volumeMode: 'Filesystem', csi: { driver: migration.driver, ...csi.value } },
  });
}

function find(
  sources: Volume | PersistentVolumeSpec,
): { readonly key: VolumeSource; readonly source: OldSource; readonly migration: Migration } | undefined {
  for (const [key, migration] of Object.entries(MIGRATIONS)) {
    const source: unknown = (sources as OldSource)[key];
    if (typeof source === 'object' && source !== null)
      return { key: key as VolumeSource, source: source as OldSource, migration };
  }
  return undefined;
}

function plain(source: OldSource, volumeHandle: string): Omit<CsiPersistentVolumeSource, 'driver'> {
  const fsType = text(source, 'fsType');
  return { volumeHandle, readOnly: source['readOnly'] === true, ...(fsType && { fsType }) };
}

/** The cloud assumed a single writer regardless of the access modes. */
function toGceModes(modes: readonly string[]): readonly string[] {
  return modes.length > 0 && modes.every((mode) => mode === 'ReadOnlyMany')
    ? ['ReadOnlyMany']
    : ['ReadWriteOnce'];
}

function toDriverZones(
  required: NodeSelector | undefined,
  zoneKey: string | undefined,
): NodeSelector | undefined {
  if (required === undefined || zoneKey === undefined) return required;
  return {
    nodeSelectorTerms: (required.nodeSelectorTerms ?? []).map((term) => ({
      ...term,
      ...(term.matchExpressions && {
        matchExpressions: term.matchExpressions.map((one) =>
          ZONE_LABELS.includes(one.key) ? { ...one, key: zoneKey } : one,
        ),
      }),
    })),
  };
}

function text(source: OldSource, key: string): string {
  return typeof source[key] === 'string' ? source[key] : '';
}

function number(source: OldSource, key: string): number {
  return typeof source[key] === 'number' ? source[key] : 0;
}

/**
 * API defaults of one volume: an empty directory when no source is given, file modes, host path type. Old
 * in-tree sources have theirs too: nothing mounts them any more, but the UID of a static pod counts them.
 */
import type { ProjectedSource, Volume } from '../api/volume.ts';
import { decidePullPolicy, defaultFieldRefs, type QuantityStyle } from './default-container.ts';

/** 0644. */
const DEFAULT_FILE_MODE = 420;
const DEFAULT_TOKEN_SECONDS = 3600;

export function defaultVolume(volume: Volume, quantities: QuantityStyle = 'canonical'): Volume {
  const hasSource = Object.keys(volume).some((key) => key !== 'name');
  if (!hasSource) return { ...volume, emptyDir: {} };
  const { hostPath, configMap, secret, downwardAPI, projected, image, iscsi } = volume;
  return {
    ...volume,
    ...(hostPath === undefined ? {} : { hostPath: { ...hostPath, type: hostPath.type ?? '' } }),
    ...(configMap === undefined ? {} : { configMap: withMode(configMap) }),
    ...(secret === undefined ? {} : { secret: withMode(secret) }),
    ...(downwardAPI === undefined ? {} : { downwardAPI: withMode(withFieldRefs(downwardAPI, quantities)) }),
    ...(projected === undefined ? {} : { projected: defaultProjected(projected, quantities) }),
    ...(image === undefined
      ? {}
      : { image: { ...image, pullPolicy: image.pullPolicy || decidePullPolicy(image.reference ?? '') } }),
    ...(iscsi === undefined
      ? {}
      : { iscsi: { ...iscsi, iscsiInterface: iscsi.iscsiInterface || 'default' } }),
    ...defaultOldSources(volume),
  };
}

/** Of each source the fields that an absent or, where `''` is no value, an empty one gets. */
const OLD_SOURCE_DEFAULTS = {
  rbd: { empty: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }, absent: {} },
  scaleIO: { empty: { storageMode: 'ThinProvisioned', fsType: 'xfs' }, absent: {} },
  azureDisk: {
    empty: {},
    absent: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  },
} as const;

function defaultOldSources(volume: Volume): Partial<Volume> {
  const filled: Record<string, unknown> = {};
  for (const [name, { empty, absent }] of Object.entries(OLD_SOURCE_DEFAULTS)) {
    const source = volume[name as keyof typeof OLD_SOURCE_DEFAULTS];
    if (source === undefined) continue;
    const given = Object.entries(source as object).filter(([key, value]) => !(key in empty && value === ''));
    filled[name] = { ...empty, ...absent, ...Object.fromEntries(given) };
  }
  const template = volume.ephemeral?.volumeClaimTemplate;
  if (template !== undefined)
    filled['ephemeral'] = { volumeClaimTemplate: defaultClaim(template as ClaimTemplate) };
  return filled;
}

interface ClaimTemplate {
  readonly spec?: { readonly volumeMode?: string };
}

function defaultClaim(template: ClaimTemplate): ClaimTemplate {
  return { ...template, spec: { ...template.spec, volumeMode: template.spec?.volumeMode ?? 'Filesystem' } };
}

function withMode<T extends { readonly defaultMode?: number }>(source: T): T {
  return { ...source, defaultMode: source.defaultMode ?? DEFAULT_FILE_MODE };
}

function withFieldRefs<T extends NonNullable<ProjectedSource['downwardAPI']>>(
  source: T,
  quantities: QuantityStyle,
): T {
  const items = source.items?.map((one) => defaultFieldRefs(one, quantities));
  return items === undefined ? source : { ...source, items };
}

type Projected = NonNullable<Volume['projected']>;

function defaultProjected(projected: Projected, quantities: QuantityStyle): Projected {
  const sources = projected.sources?.map((one) => defaultSource(one, quantities));
  return withMode(sources === undefined ? projected : { ...projected, sources });
}

function defaultSource(source: ProjectedSource, quantities: QuantityStyle): ProjectedSource {
  const { downwardAPI, serviceAccountToken: token } = source;
  return {
    ...source,
    ...(downwardAPI === undefined ? {} : { downwardAPI: withFieldRefs(downwardAPI, quantities) }),
    ...(token === undefined
      ? {}
      : {
          serviceAccountToken: {
            ...token,
            expirationSeconds: token.expirationSeconds ?? DEFAULT_TOKEN_SECONDS,
          },
        }),
  };
}

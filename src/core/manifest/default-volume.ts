/**
 * API defaults of one volume: an empty directory when no source is given, file modes, host path type. The
 * defaults of old in-tree sources that nothing mounts any more are left out.
 */
import type { ProjectedSource, Volume } from '../api/volume.ts';
import { decidePullPolicy, defaultFieldRefs } from './default-container.ts';

/** 0644. */
const DEFAULT_FILE_MODE = 420;
const DEFAULT_TOKEN_SECONDS = 3600;

export function defaultVolume(volume: Volume): Volume {
  const hasSource = Object.keys(volume).some((key) => key !== 'name');
  if (!hasSource) return { ...volume, emptyDir: {} };
  const { hostPath, configMap, secret, downwardAPI, projected, image, iscsi } = volume;
  return {
    ...volume,
    ...(hostPath === undefined ? {} : { hostPath: { ...hostPath, type: hostPath.type ?? '' } }),
    ...(configMap === undefined ? {} : { configMap: withMode(configMap) }),
    ...(secret === undefined ? {} : { secret: withMode(secret) }),
    ...(downwardAPI === undefined ? {} : { downwardAPI: withMode(withFieldRefs(downwardAPI)) }),
    ...(projected === undefined ? {} : { projected: defaultProjected(projected) }),
    ...(image === undefined
      ? {}
      : { image: { ...image, pullPolicy: image.pullPolicy || decidePullPolicy(image.reference ?? '') } }),
    ...(iscsi === undefined
      ? {}
      : { iscsi: { ...iscsi, iscsiInterface: iscsi.iscsiInterface || 'default' } }),
  };
}

function withMode<T extends { readonly defaultMode?: number }>(source: T): T {
  return { ...source, defaultMode: source.defaultMode ?? DEFAULT_FILE_MODE };
}

function withFieldRefs<T extends NonNullable<ProjectedSource['downwardAPI']>>(source: T): T {
  return source.items === undefined ? source : { ...source, items: source.items.map(defaultFieldRefs) };
}

type Projected = NonNullable<Volume['projected']>;

function defaultProjected(projected: Projected): Projected {
  const { sources } = projected;
  return withMode(sources === undefined ? projected : { ...projected, sources: sources.map(defaultSource) });
}

function defaultSource(source: ProjectedSource): ProjectedSource {
  const { downwardAPI, serviceAccountToken: token } = source;
  return {
    ...source,
    ...(downwardAPI === undefined ? {} : { downwardAPI: withFieldRefs(downwardAPI) }),
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

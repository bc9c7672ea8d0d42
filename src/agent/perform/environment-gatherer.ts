/**
 * Reads what a container's variables refer to, before its configuration is
 * built: ConfigMaps, Secrets, and files inside the pod's volumes.
 */
import type { Container, Pod } from '../../core/api/pod.ts';
import type { EnvironmentObjects, FileLookup, ObjectLookup } from '../../core/model/environment-objects.ts';
import { toEnvironmentReferences } from '../../core/spec/environment-references.ts';
import type { PreparedVolume } from '../../core/spec/mounts.ts';
import type { ObjectReader } from '../../ports/cluster/object-reader.ts';
import type { SubPathBinder } from '../../ports/storage/volume-driver.ts';

const MAX_ENV_FILE_BYTES = 1024 * 1024;

export interface EnvironmentGathererParts {
  readonly objects: ObjectReader;
  readonly subPaths: Pick<SubPathBinder, 'readFile'>;
  /** The services of the cluster, undefined until they are known; empty standalone. */
  readonly services: EnvironmentObjects['services'];
}

/** Everything the container refers to; what is missing is an answer as well. */
export async function gatherEnvironmentObjects(
  { objects, subPaths, services }: EnvironmentGathererParts,
  pod: Pod,
  container: Container,
  volumes: ReadonlyMap<string, PreparedVolume>,
  signal: AbortSignal,
): Promise<EnvironmentObjects> {
  const { namespace } = pod.metadata;
  const references = toEnvironmentReferences(container);
  const [configMaps, secrets, texts] = await Promise.all([
    readAll(references.configMaps, (name) => objects.configMap(namespace, name, signal)),
    readAll(references.secrets, (name) => objects.secret(namespace, name, signal)),
    readAll(
      references.files.map(({ volumeName, path }) => toKey(volumeName, path)),
      (key) => readEnvFile(subPaths, volumes, key),
    ),
  ]);
  const missing: ObjectLookup = { kind: 'missing' };
  return {
    configMap: (_namespace, name) => configMaps.get(name) ?? missing,
    secret: (_namespace, name) => secrets.get(name) ?? missing,
    file: (volumeName, path) => texts.get(toKey(volumeName, path)) ?? { kind: 'no-volume' },
    services,
  };
}

async function readAll<T>(
  names: readonly string[],
  read: (name: string) => Promise<T>,
): Promise<ReadonlyMap<string, T>> {
  return new Map(await Promise.all(names.map(async (name) => [name, await read(name)] as const)));
}

async function readEnvFile(
  subPaths: EnvironmentGathererParts['subPaths'],
  volumes: ReadonlyMap<string, PreparedVolume>,
  key: string,
): Promise<FileLookup> {
  const [volumeName = '', path = ''] = key.split('\n');
  const volume = volumes.get(volumeName);
  if (volume === undefined) return { kind: 'no-volume' };
  if (path.split('/').includes('..')) return { kind: 'unreadable' };
  const text = await subPaths.readFile(volume.hostPath, path, MAX_ENV_FILE_BYTES);
  return text === undefined ? { kind: 'unreadable' } : { kind: 'found', text };
}

function toKey(volumeName: string, path: string): string {
  return `${volumeName}\n${path}`;
}

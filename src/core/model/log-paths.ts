/**
 * Where logs of pods and containers are on the node. Other programs read
 * these paths, so they are exactly upstream's.
 */
import type { Pod } from '../api/pod.ts';
import { isObjectName } from '../api/validate-name.ts';
import { type PodUid, parsePodUid } from './ids.ts';
import { toPathComponent } from './path-component.ts';

export const LEGACY_LOG_DIRECTORY = '/var/log/containers';

/** Leaves room for the suffix within the 255 bytes a file name may have. */
const LEGACY_NAME_MAX_LENGTH = 251;

/** The directory of all logs of a pod. */
export function podLogDirectory(
  podLogsDir: string,
  { metadata }: { readonly metadata: Pick<Pod['metadata'], 'namespace' | 'name' | 'uid'> },
): string {
  const { namespace, name, uid } = metadata;
  return `${podLogsDir}/${toPathComponent(`${namespace}_${name}_${uid}`)}`;
}

export interface PodLogOwner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: PodUid;
}

/** Whose logs are in a directory of that name; undefined when it is no pod's. The reverse of {@link podLogDirectory}. */
export function parsePodLogDirectory(directory: string): PodLogOwner | undefined {
  const [namespace = '', name = '', text = '', ...rest] = directory.split('_');
  const uid = parsePodUid(text);
  if (uid === undefined || rest.length > 0 || !isObjectName(namespace) || !isObjectName(name))
    return undefined;
  return { namespace, name, uid };
}

/** Relative to the pod's log directory. */
export function containerLogDirectory(containerName: string): string {
  return toPathComponent(containerName);
}

/** Relative to the pod's log directory. */
export function containerLogPath(containerName: string, restartCount: number): string {
  return `${containerLogDirectory(containerName)}/${restartCount}.log`;
}

/** The link log collectors look for; all parts are DNS names, so characters are bytes. */
export function legacyLogLink(pod: Pod, containerName: string, containerId: string): string {
  const { namespace, name } = pod.metadata;
  const base = `${name}_${namespace}_${containerName}-${containerId}`.slice(0, LEGACY_NAME_MAX_LENGTH);
  return `${LEGACY_LOG_DIRECTORY}/${toPathComponent(`${base}.log`)}`;
}

/**
 * The SELinux label that a whole volume is mounted with, instead of giving it
 * to every file: for persistent volumes of one pod, where the driver can and
 * the pod does not ask otherwise.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Pod, SeLinuxOptions } from '../api/pod.ts';
import type { Volume } from '../api/volume.ts';
import { allContainersOf } from '../model/pod-containers.ts';
import { isForOnePod, type PersistentSource } from './resolved-volume.ts';

export interface MountContextInput {
  readonly pod: Pod;
  readonly volume: Volume;
  readonly persistent: PersistentSource | undefined;
  /** What files of containers are labelled with on this node; undefined without SELinux. */
  readonly fileContext: string | undefined;
}

/** Undefined when the volume is mounted as it is; refused when containers of the pod want different labels. */
export function toMountContext(input: MountContextInput): Outcome<string | undefined> {
  const { pod, volume, persistent, fileContext } = input;
  if (fileContext === undefined || persistent === undefined || !isForOnePod(persistent.volume))
    return accept(undefined);
  const own = pod.spec.securityContext;
  if (own?.seLinuxChangePolicy === 'Recursive') return accept(undefined);
  const claim = volume.persistentVolumeClaim?.claimName;
  const names = new Set(
    (pod.spec.volumes ?? [])
      .filter(({ name, persistentVolumeClaim }) =>
        claim === undefined ? name === volume.name : persistentVolumeClaim?.claimName === claim,
      )
      .map(({ name }) => name),
  );
  const labels = new Set<string>();
  for (const { volumeMounts = [], securityContext } of allContainersOf(pod)) {
    const options = securityContext?.seLinuxOptions ?? own?.seLinuxOptions;
    if (options !== undefined && volumeMounts.some(({ name }) => names.has(name)))
      labels.add(toFileLabel(options, fileContext));
  }
  if (labels.size > 1) return refuse(`multiple SELinux labels found: ${[...labels].sort().join(',')}`);
  return accept([...labels][0] || undefined);
}

/** In quotes: a label may hold commas. */
export function renderContextOption(label: string): string {
  return `context="${label}"`;
}

/** The node's label for files with the user and level of the container; its type is the process's. Empty without options. */
function toFileLabel({ user, role, type, level }: SeLinuxOptions, fileContext: string): string {
  if (![user, role, type, level].some(Boolean)) return '';
  const [fileUser = '', fileRole = '', fileType = '', ...fileLevel] = fileContext.split(':');
  return [user || fileUser, fileRole, fileType, level || fileLevel.join(':')].filter(Boolean).join(':');
}

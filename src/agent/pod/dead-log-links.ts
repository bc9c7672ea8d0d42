/**
 * Links for log collectors whose log is gone: a pod was removed while no agent
 * ran, or a kill came between log and link. Looked for once per start.
 */
import type { PodUid } from '../../core/model/ids.ts';
import { LEGACY_LOG_DIRECTORY } from '../../core/model/log-paths.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';

/**
 * Removes links into `podLogsDir` that lead nowhere, but those of containers
 * that are known: the log of one that runs may be away for a moment while it
 * is rotated. Rejects when the host cannot be read.
 */
export async function removeDeadLogLinks(
  files: HostFiles,
  podLogsDir: string,
  isKnown: (containerId: string) => boolean,
): Promise<void> {
  for (const name of await files.listDirectory(LEGACY_LOG_DIRECTORY)) {
    const link = `${LEGACY_LOG_DIRECTORY}/${name}`;
    const target = await files.readLink(link);
    if (target === undefined || !target.startsWith(`${podLogsDir}/`)) continue;
    const id = name.slice(name.lastIndexOf('-') + 1).replace(/\.log$/, '');
    if (isKnown(id) || (await files.exists(target))) continue;
    await files.removeTree(link);
  }
}

/** Whether the runtime lists the container; the name of a link may be too long for the whole id. */
export function isListed(listed: ReadonlyMap<PodUid, ObservedPod>, containerId: string): boolean {
  return [...listed.values()].some(({ containers }) =>
    containers.some(({ id }) => id.startsWith(containerId)),
  );
}

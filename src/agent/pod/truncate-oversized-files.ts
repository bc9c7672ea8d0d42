/**
 * Keeps files that the agent gives to containers from filling the disk of the
 * node: the hosts file and termination logs are the container's to write, but
 * no volume of it. Now and then what has grown beyond all use is cut.
 *
 * Growth between two looks counts as the pod's storage like its logs.
 */
import { sleep } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { containersDirectory, hostsFilePath } from '../../core/model/pod-paths.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Kit } from '../../ports/kit.ts';

/** More than any use of these files needs; a termination message is 4 KiB at most. */
export const MAX_FILE_BYTES = 1024 * 1024;
const PERIOD_MS = 30_000;

export interface OversizedFilesParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly files: HostFiles;
  readonly node: Pick<NodeProfile, 'rootDir'>;
  readonly readPodUids: () => Iterable<PodUid>;
}

/** Runs until `stop` aborts. */
export async function truncateOversizedFiles(parts: OversizedFilesParts, stop: AbortSignal): Promise<void> {
  const { clock, logger, readPodUids } = parts;
  while (!stop.aborted) {
    await sleep(clock, PERIOD_MS, stop);
    for (const uid of stop.aborted ? [] : [...readPodUids()]) {
      try {
        await boundPod(parts, uid);
      } catch (error) {
        logger.warn('cannot read the files of a pod', { podUid: uid, why: errorText(error) });
      }
    }
  }
}

async function boundPod({ files, logger, node }: OversizedFilesParts, podUid: PodUid): Promise<void> {
  const paths = [hostsFilePath(node.rootDir, podUid)];
  const containers = containersDirectory(node.rootDir, podUid);
  for (const name of await files.listDirectory(containers))
    for (const log of await files.listDirectory(`${containers}/${name}`))
      paths.push(`${containers}/${name}/${log}`);
  for (const path of paths)
    if (await files.cutFile(path, MAX_FILE_BYTES))
      logger.warn('oversized file outside of volumes truncated', { podUid, path });
}

/**
 * Keeps files that the agent gives to containers from filling the disk of the
 * node: the hosts file and termination logs are the container's to write, but
 * no volume of it. Now and then what has grown beyond all use is cut.
 *
 *   not watched ──look──► watched ──anything changes──► not watched
 *
 * At rest nothing is read: pods in whose directories nothing happened since the
 * last look are left out of the next. The first change ends the watch, so a
 * container that writes without end wakes the agent once per look. Growth
 * between two looks counts as the pod's storage like its logs.
 */
import { sleep } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { containersDirectory, hostsFilePath, podDirectory } from '../../core/model/pod-paths.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Kit } from '../../ports/kit.ts';

/** More than any use of these files needs; a termination message is 4 KiB at most. */
export const MAX_FILE_BYTES = 1024 * 1024;
const PERIOD_MS = 30_000;

export interface OversizedFilesParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly files: Pick<HostFiles, 'listDirectory' | 'cutFile' | 'watchDirectory'>;
  readonly node: Pick<NodeProfile, 'rootDir'>;
  readonly readPodUids: () => Iterable<PodUid>;
}

export class OversizedFiles {
  readonly name = 'oversized files';
  readonly #parts: OversizedFilesParts;
  /** Of pods in whose directories nothing has happened since they were looked at. */
  readonly #watches = new Map<PodUid, readonly Disposable[]>();

  constructor(parts: OversizedFilesParts) {
    this.#parts = parts;
  }

  podGone({ uid }: { readonly uid: PodUid }): void {
    this.#unwatch(uid);
  }

  async run(stop: AbortSignal): Promise<void> {
    const { clock, logger, readPodUids } = this.#parts;
    while (!stop.aborted) {
      await sleep(clock, PERIOD_MS, stop);
      for (const uid of stop.aborted ? [] : [...readPodUids()]) {
        if (this.#watches.has(uid)) continue;
        try {
          await this.#look(uid);
        } catch (error) {
          logger.warn('cannot read the files of a pod', { podUid: uid, why: errorText(error) });
        }
      }
    }
    for (const uid of this.#watches.keys()) this.#unwatch(uid);
  }

  async #look(podUid: PodUid): Promise<void> {
    const { files } = this.#parts;
    const watches: Disposable[] = [];
    let isUnchanged = true;
    const watch = (directory: string): void => {
      const added = files.watchDirectory(directory, () => {
        isUnchanged = false;
        this.#unwatch(podUid);
      });
      // What is missing would appear in the directory above it; that of the pod has none that is watched.
      if (added === undefined || (added === 'missing' && watches.length === 0)) isUnchanged = false;
      else if (added !== 'missing') watches.push(added);
    };
    try {
      await this.#cutFiles(podUid, watch);
    } catch (error) {
      isUnchanged = false;
      throw error;
    } finally {
      if (isUnchanged) this.#watches.set(podUid, watches);
      else dispose(watches);
    }
  }

  /** Each directory is watched before it is read: a change in between is reported, not lost. */
  async #cutFiles(podUid: PodUid, watch: (directory: string) => void): Promise<void> {
    const { files, node } = this.#parts;
    watch(podDirectory(node.rootDir, podUid));
    await this.#cut(podUid, hostsFilePath(node.rootDir, podUid));
    const containers = containersDirectory(node.rootDir, podUid);
    watch(containers);
    for (const name of await files.listDirectory(containers)) {
      const directory = `${containers}/${name}`;
      watch(directory);
      for (const log of await files.listDirectory(directory)) await this.#cut(podUid, `${directory}/${log}`);
    }
  }

  async #cut(podUid: PodUid, path: string): Promise<void> {
    const { files, logger } = this.#parts;
    if (await files.cutFile(path, MAX_FILE_BYTES))
      logger.warn('oversized file outside of volumes truncated', { podUid, path });
  }

  #unwatch(uid: PodUid): void {
    dispose(this.#watches.get(uid) ?? []);
    this.#watches.delete(uid);
  }
}

function dispose(watches: readonly Disposable[]): void {
  for (const watch of watches) watch[Symbol.dispose]();
}

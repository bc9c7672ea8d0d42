/**
 * Which disk a pod's volume is, noted among the pod's files before the disk is
 * touched and removed when nothing of it is left for the pod. Together these
 * notes say which disks are in use, and by which pods.
 */

import { join } from 'node:path';
import type { PodUid } from '../../../core/model/ids.ts';
import { isPathComponent } from '../../../core/model/path-component.ts';
import { pluginsDirectory, volumeMarkerDirectory } from '../../../core/model/pod-paths.ts';
import { replaceFile } from '../../linux/files/atomic-file.ts';
import { listNames } from '../../linux/files/list-names.ts';
import { listPodUids } from '../../linux/files/list-pod-uids.ts';
import { makeDirectory } from '../../linux/files/make-directory.ts';
import { readBounded } from '../../linux/files/read-bounded.ts';
import { hasErrno, toHostError } from '../../linux/host-error.ts';
import { unlink } from '../../linux/storage/storage-fs.ts';

const FILE = 'disk.json';
const MAX_RECORD_BYTES = 1024 * 1024;

export interface DiskRecord {
  /** By which the cluster knows the disk, with the plugin. */
  readonly name: string;
  /** Its directory below the plugin's. */
  readonly place: string;
  readonly mode: 'Filesystem' | 'Block';
}

export interface DiskUse {
  readonly podUid: PodUid;
  readonly volume: string;
  readonly record: DiskRecord;
}

export class DiskRecords {
  readonly #rootDir: string;
  readonly #plugin: string;

  constructor(rootDir: string, plugin: string) {
    this.#rootDir = rootDir;
    this.#plugin = plugin;
  }

  /** Rejects with AgentError. */
  async write(podUid: PodUid, volume: string, record: DiskRecord): Promise<void> {
    const directory = this.#directory(podUid, volume);
    try {
      await makeDirectory(directory, 0o750);
      await replaceFile(join(directory, FILE), { content: `${JSON.stringify(record)}\n`, mode: 0o600 });
    } catch (error) {
      throw toHostError('write', join(directory, FILE), error);
    }
  }

  /** Undefined when there is none that can be read. */
  async read(podUid: PodUid, volume: string): Promise<DiskRecord | undefined> {
    const path = join(this.#directory(podUid, volume), FILE);
    try {
      const { name, place, mode } = JSON.parse(await readText(path)) as Partial<DiskRecord>;
      if (typeof name !== 'string' || !isPlace(place)) return undefined;
      return { name, place, mode: mode === 'Block' ? 'Block' : 'Filesystem' };
    } catch (error) {
      if (error instanceof SyntaxError || hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw toHostError('read', path, error);
    }
  }

  /** Nothing there is success; rejects with AgentError. */
  async remove(podUid: PodUid, volume: string): Promise<void> {
    const path = join(this.#directory(podUid, volume), FILE);
    try {
      await unlink(path);
    } catch (error) {
      if (!hasErrno(error, 'ENOENT', 'ENOTDIR')) throw toHostError('remove', path, error);
    }
  }

  /** Of all pods of the node. */
  async all(): Promise<DiskUse[]> {
    const uses: DiskUse[] = [];
    for (const podUid of await listPodUids(this.#rootDir))
      for (const volume of await listNames(this.#pluginDirectory(podUid))) {
        const record = await this.read(podUid, volume);
        if (record !== undefined) uses.push({ podUid, volume, record });
      }
    return uses;
  }

  #pluginDirectory(podUid: PodUid): string {
    return join(pluginsDirectory(this.#rootDir, podUid), this.#plugin.replaceAll('/', '~'));
  }

  #directory(podUid: PodUid, volume: string): string {
    return volumeMarkerDirectory(this.#rootDir, podUid, this.#plugin, volume);
  }
}

/** One or more names below the plugin's directory; none that leads out of it. */
function isPlace(place: unknown): place is string {
  return typeof place === 'string' && place.split('/').every(isPathComponent);
}

async function readText(path: string): Promise<string> {
  return (await readBounded(path, { maxBytes: MAX_RECORD_BYTES })).toString('utf8');
}

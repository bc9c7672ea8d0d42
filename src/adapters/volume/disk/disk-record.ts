/**
 * Which disk a pod's volume is, noted among the pod's files before the disk is
 * touched and removed when nothing of it is left for the pod. Together these
 * notes tell which disks are in use, and by whom.
 */
import { readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { podsDirectory, volumeMarkerDirectory } from '../../../core/model/pod-paths.ts';
import { replaceFile } from '../../linux/files/atomic-file.ts';
import { listNames } from '../../linux/files/list-names.ts';
import { makeDirectory } from '../../linux/files/make-directory.ts';
import { hasErrno, toHostError } from '../../linux/host-error.ts';

const FILE = 'disk.json';

export interface DiskRecord {
  /** By which the cluster knows the disk, with the plugin. */
  readonly name: string;
  /** Its directory below the plugin's. */
  readonly place: string;
  readonly mode: 'Filesystem' | 'Block';
}

export interface DiskUse {
  readonly podUid: string;
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
  async write(podUid: string, volume: string, record: DiskRecord): Promise<void> {
    const directory = this.#directory(podUid, volume);
    try {
      await makeDirectory(directory, 0o750);
      await replaceFile(join(directory, FILE), { content: `${JSON.stringify(record)}\n`, mode: 0o600 });
    } catch (error) {
      throw toHostError('write', join(directory, FILE), error);
    }
  }

  /** Undefined when there is none that can be read. */
  async read(podUid: string, volume: string): Promise<DiskRecord | undefined> {
    const path = join(this.#directory(podUid, volume), FILE);
    try {
      const { name, place, mode } = JSON.parse(await readFile(path, 'utf8')) as Partial<DiskRecord>;
      if (typeof name !== 'string' || typeof place !== 'string') return undefined;
      return { name, place, mode: mode === 'Block' ? 'Block' : 'Filesystem' };
    } catch (error) {
      if (error instanceof SyntaxError || hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw toHostError('read', path, error);
    }
  }

  /** Nothing there is success; rejects with AgentError. */
  async remove(podUid: string, volume: string): Promise<void> {
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
    for (const podUid of await listNames(podsDirectory(this.#rootDir)))
      for (const volume of await listNames(this.#directory(podUid, ''))) {
        const record = await this.read(podUid, volume);
        if (record !== undefined) uses.push({ podUid, volume, record });
      }
    return uses;
  }

  #directory(podUid: string, volume: string): string {
    return volumeMarkerDirectory(this.#rootDir, podUid, this.#plugin, volume);
  }
}

/**
 * The flexVolume drivers of the node: executables `<vendor>~<driver>/<driver>`
 * in one directory, which may come and go. The directory is read when a volume
 * asks for one; a driver introduces itself once, and again after a change.
 */

import { join } from 'node:path';
import { volumesDirectory } from '../../../core/model/pod-paths.ts';
import type { VolumeDriver, VolumeDriverFamily } from '../../../ports/storage/volume-driver.ts';
import { listNames } from '../../linux/files/list-names.ts';
import { listPodUids } from '../../linux/files/list-pod-uids.ts';
import { stat } from '../../linux/storage/storage-fs.ts';
import { FlexDriver, type FlexDriverParts } from './flex-driver.ts';
import { FlexExecutable } from './flex-executable.ts';

export interface FlexDriversParts extends Omit<FlexDriverParts, 'program'> {
  readonly directory: string;
}

export class FlexDrivers implements VolumeDriverFamily {
  readonly source = 'flexVolume';
  readonly #parts: FlexDriversParts;
  readonly #known = new Map<string, { readonly version: string; readonly driver: FlexDriver }>();

  constructor(parts: FlexDriversParts) {
    this.#parts = parts;
  }

  async find(name: string): Promise<VolumeDriver | undefined> {
    const { directory } = this.#parts;
    const folder = name.replaceAll('/', '~');
    // What is not in the listing is no driver, whatever its name leads to.
    if (folder.startsWith('.') || !(await listNames(directory)).includes(folder)) return undefined;
    const path = join(directory, folder, folder.split('~').at(-1) ?? '');
    const facts = await stat(path).catch(() => undefined);
    if (facts === undefined || !facts.isFile() || (facts.mode & 0o111) === 0) return undefined;
    const version = `${facts.ino} ${facts.mtimeMs}`;
    const known = this.#known.get(folder);
    if (known?.version === version) return known.driver;
    const driver = await this.#introduce(folder.replaceAll('~', '/'), path);
    if (driver !== undefined) this.#known.set(folder, { version, driver });
    return driver;
  }

  async #introduce(name: string, path: string): Promise<FlexDriver | undefined> {
    const executable = new FlexExecutable(path);
    const answer = await executable.call('init', []);
    if (answer.kind === 'done')
      return new FlexDriver({
        ...this.#parts,
        program: { driver: name, executable, capabilities: answer.capabilities },
      });
    const why = answer.kind === 'failed' ? answer.message : 'init is not supported';
    this.#parts.kit.logger.warn('flexVolume driver not usable', { driver: name, err: why });
    return undefined;
  }
}

/** Pairs of volume and pod that have a place on disk: what an earlier agent left. */
export async function findFlexUses(rootDir: string): Promise<(readonly [name: string, podUid: string])[]> {
  const uses: (readonly [string, string])[] = [];
  for (const podUid of await listPodUids(rootDir)) {
    const volumes = volumesDirectory(rootDir, podUid);
    for (const folder of await listNames(volumes)) {
      if (folder.startsWith('kubernetes.io~')) continue;
      for (const name of await listNames(join(volumes, folder)))
        uses.push([`${folder.replaceAll('~', '/')}/${name}`, podUid]);
    }
  }
  return uses;
}

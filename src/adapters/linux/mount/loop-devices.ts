/**
 * Loop devices that hold a block volume open while a pod has it, so that its
 * number is not given to another disk behind the pod's back.
 */
import { hasErrno, toHostError } from '../host-error.ts';
import { runProgram } from '../program/run-program.ts';
import { readdir, readFile } from '../storage/storage-fs.ts';

const BLOCK_DEVICES = '/sys/block';

export interface LoopDevices {
  /** The loop device that holds the file; undefined when none does. */
  find(file: string): Promise<string | undefined>;
  attach(file: string, signal?: AbortSignal): Promise<void>;
  detach(device: string): Promise<void>;
}

export class LinuxLoopDevices implements LoopDevices {
  async find(file: string): Promise<string | undefined> {
    try {
      for (const name of await readdir(BLOCK_DEVICES)) {
        if (!name.startsWith('loop')) continue;
        const backing = await readBacking(`${BLOCK_DEVICES}/${name}/loop/backing_file`);
        if (backing === file) return `/dev/${name}`;
      }
      return undefined;
    } catch (error) {
      throw toHostError('look for a loop device of', file, error);
    }
  }

  async attach(file: string, signal?: AbortSignal): Promise<void> {
    await runProgram('losetup', ['-f', file], 'hold open', file, { signal });
  }

  async detach(device: string): Promise<void> {
    await runProgram('losetup', ['-d', device], 'detach', device);
  }
}

/** A file that was removed in between is still reported. */
async function readBacking(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim().replace(/ \(deleted\)$/, '');
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENXIO')) return undefined;
    throw error;
  }
}

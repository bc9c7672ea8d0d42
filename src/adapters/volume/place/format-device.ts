/**
 * Puts a file system onto a blank disk. A disk that holds anything, be it only
 * a partition table, is never formatted; one with a file system is checked.
 */
import { AgentError, errorText } from '../../../base/errors.ts';
import { quote } from '../../../base/text/quote.ts';
import type { Mounter, MountRequest } from '../../../ports/host/mounter.ts';
import type { VolumeRequest } from '../../../ports/storage/volume-driver.ts';
import { ProgramExit, runProgram } from '../../linux/program/run-program.ts';

/** blkid found nothing. */
const BLANK = 2;
/** fsck found errors that it could not repair. */
const UNREPAIRED = 4;

export type RunProgram = typeof runProgram;

export interface DeviceFormat {
  readonly device: string;
  readonly fsType: string;
  readonly readOnly: boolean;
}

/** Formats or checks the device and mounts it. Rejects with AgentError; one with another file system is reported. */
export async function mountFormatted(
  { mounter, run }: { readonly mounter: Pick<Mounter, 'mount'>; readonly run?: RunProgram | undefined },
  { name, signal, warnVolume }: Pick<VolumeRequest, 'name' | 'signal' | 'warnVolume'>,
  format: DeviceFormat,
  mount: MountRequest,
): Promise<void> {
  const found = await prepareFileSystem(format, signal, run);
  try {
    await mounter.mount(mount, signal);
  } catch (error) {
    if (found !== format.fsType && !signal.aborted) {
      const message = `MountVolume failed for volume ${quote(name)} ${errorText(error)}`;
      warnVolume?.('FailedMountOnFilesystemMismatch', message);
    }
    throw error;
  }
}

/** Leaves a device that can be mounted, or rejects with AgentError. Resolves to the file system that it has. */
export async function prepareFileSystem(
  { device, fsType, readOnly }: DeviceFormat,
  signal: AbortSignal,
  run: RunProgram = runProgram,
): Promise<string> {
  const found = await readFormat(device, signal, run);
  if (found === '') {
    if (readOnly)
      throw new AgentError(
        'failed-precondition',
        `cannot mount unformatted disk ${device} as we are manipulating it in read-only mode`,
      );
    const args = fsType === 'xfs' ? ['-f'] : fsType === 'ext3' || fsType === 'ext4' ? ['-F', '-m0'] : [];
    await run(`mkfs.${fsType}`, [...args, device], 'format', device, { signal });
    return fsType;
  }
  if (!readOnly) await check(device, signal, run);
  return found;
}

export function toDeviceMount(
  { device, fsType, readOnly }: DeviceFormat,
  target: string,
  options: readonly string[],
): MountRequest {
  return { fsType, source: device, target, options: [...(readOnly ? ['ro'] : []), ...options, 'defaults'] };
}

/** Its file system; empty for a blank disk. */
export async function readFormat(device: string, signal: AbortSignal, run: RunProgram): Promise<string> {
  try {
    const args = ['-p', '-s', 'TYPE', '-s', 'PTTYPE', '-o', 'export', device];
    const text = await run('blkid', args, 'find the file system of', device, { signal });
    const value = (key: string): string | undefined =>
      text
        .split('\n')
        .find((line) => line.startsWith(`${key}=`))
        ?.slice(key.length + 1);
    if (value('PTTYPE') !== undefined) return 'unknown data, probably partitions';
    return value('TYPE') ?? '';
  } catch (error) {
    if (exitStatus(error) === BLANK) return '';
    throw error;
  }
}

async function check(device: string, signal: AbortSignal, run: RunProgram): Promise<void> {
  try {
    await run('fsck', ['-a', device], 'check', device, { signal });
  } catch (error) {
    if (exitStatus(error) === UNREPAIRED)
      throw new AgentError(
        'failed-precondition',
        `'fsck' found errors on device ${device} but could not correct them: ${error instanceof Error ? error.message : ''}`,
        { cause: error },
      );
    // Repaired; or anything else, a missing fsck included, which the mount will report.
    if (signal.aborted) throw error;
  }
}

function exitStatus(error: unknown): number | undefined {
  return error instanceof AgentError && error.cause instanceof ProgramExit ? error.cause.status : undefined;
}

/** Lets a mounted file system take all of its device, which has grown. */
import { AgentError } from '../../../base/errors.ts';
import { runProgram } from '../../linux/program/run-program.ts';
import { type RunProgram, readFormat } from './format-device.ts';

/** Rejects with AgentError. One that has all of its device already is left as it is. */
export async function growFileSystem(
  device: string,
  place: string,
  signal: AbortSignal,
  run: RunProgram = runProgram,
): Promise<void> {
  const format = await readFormat(device, signal, run);
  switch (format) {
    case '':
      return;
    case 'ext3':
    case 'ext4':
      await run('resize2fs', [device], 'resize', device, { signal });
      return;
    case 'xfs':
      await run('xfs_growfs', ['-d', place], 'resize', device, { signal });
      return;
    case 'btrfs':
      await run('btrfs', ['filesystem', 'resize', 'max', place], 'resize', device, { signal });
      return;
    default: {
      const what = `resize of format ${format} is not supported`;
      throw new AgentError(
        'failed-precondition',
        `ResizeFS.Resize - ${what} for device ${device} mounted at ${place}`,
      );
    }
  }
}

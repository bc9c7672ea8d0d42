import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgentError } from '../../../base/errors.ts';
import { ProgramExit } from '../../linux/program/run-program.ts';
import { growFileSystem } from './grow-file-system.ts';

/** What was run besides blkid, for what blkid finds. */
async function ran(blkid: string | number): Promise<string[]> {
  const calls: string[] = [];
  await growFileSystem('/dev/x', '/place', new AbortController().signal, async (program, args) => {
    if (program !== 'blkid') return String(calls.push([program, ...args].join(' ')));
    if (typeof blkid === 'string') return blkid;
    throw new AgentError('unknown', 'cannot blkid', { cause: new ProgramExit(blkid) });
  });
  return calls;
}

describe('growFileSystem', () => {
  it('asks the program of the file system that the device has', async () => {
    assert.deepEqual(await ran('TYPE=ext4\n'), ['resize2fs /dev/x']);
    assert.deepEqual(await ran('TYPE=ext3\n'), ['resize2fs /dev/x']);
    assert.deepEqual(await ran('TYPE=xfs\n'), ['xfs_growfs -d /place']);
    assert.deepEqual(await ran('TYPE=btrfs\n'), ['btrfs filesystem resize max /place']);
  });

  it('does nothing to a blank one, and refuses others', async () => {
    assert.deepEqual(await ran(2), []);
    await assert.rejects(ran('TYPE=vfat\n'), {
      message: 'ResizeFS.Resize - resize of format vfat is not supported for device /dev/x mounted at /place',
    });
  });
});

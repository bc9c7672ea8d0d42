import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgentError } from '../../../base/errors.ts';
import { ProgramExit } from '../../linux/program/run-program.ts';
import { prepareFileSystem, toDeviceMount } from './format-device.ts';

type Answer = string | number;

/** What was run, for the answers of blkid and fsck: a text, or an exit status. */
async function ran(answers: { blkid: Answer; fsck?: Answer }, fsType = 'ext4', readOnly = false) {
  const calls: string[] = [];
  const { signal } = new AbortController();
  await prepareFileSystem({ device: '/dev/x', fsType, readOnly }, signal, async (program, args) => {
    calls.push([program, ...args].join(' '));
    const answer = (answers as Record<string, Answer>)[program] ?? '';
    if (typeof answer === 'string') return answer;
    throw new AgentError('unknown', `cannot ${program}`, { cause: new ProgramExit(answer) });
  });
  return calls;
}

const BLKID = 'blkid -p -s TYPE -s PTTYPE -o export /dev/x';

describe('prepareFileSystem', () => {
  it('formats a blank disk only', async () => {
    assert.deepEqual(await ran({ blkid: 2 }), [BLKID, 'mkfs.ext4 -F -m0 /dev/x']);
    assert.deepEqual(await ran({ blkid: 2 }, 'xfs'), [BLKID, 'mkfs.xfs -f /dev/x']);
    assert.deepEqual(await ran({ blkid: 'TYPE=ext4\n' }), [BLKID, 'fsck -a /dev/x']);
    assert.deepEqual(await ran({ blkid: 'PTTYPE=gpt\n' }), [BLKID, 'fsck -a /dev/x']);
  });

  it('formats nothing when the content of the device is unknown', async () => {
    await assert.rejects(ran({ blkid: 4 }), /cannot blkid/);
  });

  it('does not touch a disk that is only to be read', async () => {
    assert.deepEqual(await ran({ blkid: 'TYPE=ext4\n' }, 'ext4', true), [BLKID]);
    await assert.rejects(ran({ blkid: 2 }, 'ext4', true), {
      message: 'cannot mount unformatted disk /dev/x as we are manipulating it in read-only mode',
    });
  });

  it('goes on after a repair, but not with errors that are left', async () => {
    assert.equal((await ran({ blkid: 'TYPE=ext4\n', fsck: 1 })).length, 2);
    assert.equal((await ran({ blkid: 'TYPE=ext4\n', fsck: 8 })).length, 2);
    await assert.rejects(
      ran({ blkid: 'TYPE=ext4\n', fsck: 4 }),
      /^AgentError: 'fsck' found errors on device \/dev\/x but could not correct them/,
    );
  });
});

describe('toDeviceMount', () => {
  it('appends the default options', () => {
    assert.deepEqual(toDeviceMount({ device: '/dev/x', fsType: 'xfs', readOnly: true }, '/at', ['noatime']), {
      fsType: 'xfs',
      source: '/dev/x',
      target: '/at',
      options: ['ro', 'noatime', 'defaults'],
    });
  });
});

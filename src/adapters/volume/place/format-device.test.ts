import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgentError } from '../../../base/errors.ts';
import { ProgramExit } from '../../linux/program/run-program.ts';
import { mountFormatted, prepareFileSystem, toDeviceMount } from './format-device.ts';

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

describe('mountFormatted', () => {
  /** The events of a mount that fails with a disk of that file system, which is to be ext4. */
  async function eventsOf(blkid: Answer, failure: Error | undefined, signal = new AbortController().signal) {
    const events: string[] = [];
    const format = { device: '/dev/x', fsType: 'ext4', readOnly: false };
    const mounting = mountFormatted(
      {
        mounter: {
          mount: async () => {
            if (failure !== undefined) throw failure;
          },
        },
        run: async (program) => {
          if (program !== 'blkid' || typeof blkid === 'string') return String(blkid);
          throw new AgentError('unknown', 'cannot blkid', { cause: new ProgramExit(blkid) });
        },
      },
      { name: 'pv-1', signal, warnVolume: (reason, message) => void events.push(`${reason}: ${message}`) },
      format,
      toDeviceMount(format, '/place', []),
    );
    if (failure === undefined) await mounting;
    else await assert.rejects(mounting, failure);
    return events;
  }
  const failure = new AgentError('unknown', 'cannot mount ext4 at "/place": wrong fs type');

  it('reports a disk with another file system that could not be mounted', async () => {
    assert.deepEqual(await eventsOf('TYPE=xfs\n', failure), [
      'FailedMountOnFilesystemMismatch: MountVolume failed for volume "pv-1" cannot mount ext4 at "/place": wrong fs type',
    ]);
  });

  it('reports nothing where the file system is the right one, or new, or could be mounted', async () => {
    assert.deepEqual(await eventsOf('TYPE=ext4\n', failure), []);
    assert.deepEqual(await eventsOf(2, failure), []);
    assert.deepEqual(await eventsOf('TYPE=xfs\n', undefined), []);
  });
});

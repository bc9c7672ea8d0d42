import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { AgentError } from '../../../base/errors.ts';
import { makeRootShared } from './shared-root.ts';

const PRIVATE = '1 0 8:1 / / rw - ext4 /dev/x rw';
let root: string;
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'shared-root-')));
});
after(() => rm(root, { recursive: true }));

async function share(...lines: string[]): Promise<{ said: string | undefined; calls: string[] }> {
  const calls: string[] = [];
  const said = await makeRootShared(root, {
    readMounts: async () => lines.join('\n'),
    run: async (program, args) => {
      calls.push([program, ...args].join(' '));
      return '';
    },
  });
  return { said, calls };
}

describe('makeRootShared', () => {
  it('binds the directory to itself and shares that', async () => {
    const calls = [`mount --bind -- ${root} ${root}`, `mount --make-rshared -- ${root}`];
    assert.deepEqual(await share(PRIVATE), { said: undefined, calls });
  });

  it('shares a mount that is there', async () => {
    const { calls } = await share(PRIVATE, `2 1 8:1 ${root} ${root} rw - ext4 /dev/x rw`);
    assert.deepEqual(calls, [`mount --make-rshared -- ${root}`]);
  });

  it('does nothing where mounts are shared already', async () => {
    assert.deepEqual((await share('1 0 8:1 / / rw shared:1 - ext4 /dev/x rw')).calls, []);
  });

  it('covers nothing that is mounted', async () => {
    const { said, calls } = await share(PRIVATE, `2 1 0:9 / ${root}/pods/a rw - tmpfs tmpfs rw`);
    assert.deepEqual(calls, []);
    assert.match(said ?? '', /works after a start without pods/);
  });

  it('reports why it cannot', async () => {
    const said = await makeRootShared(root, {
      readMounts: async () => PRIVATE,
      run: async () => {
        throw new AgentError('permission-denied', 'cannot bind: not permitted');
      },
    });
    assert.equal(said, 'cannot bind: not permitted');
  });
});

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { NEEDS_MOUNTS } from '../../../../test/fakes/mount-right.ts';
import { AgentError } from '../../../base/errors.ts';
import { LinuxMounter } from './mounter.ts';

let base: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'mounter-'));
  for (const name of ['a', 'b', 'c']) await mkdir(join(base, name));
  await writeFile(join(base, 'a', 'file'), '');
});
afterEach(() => rm(base, { recursive: true }));

describe('LinuxMounter', () => {
  it('finds mounts by a name that goes through a link, a parent before its child', async () => {
    await symlink(base, `${base}-link`);
    const line = (ids: string, path: string): string => `${ids} 0:21 / ${path} rw - tmpfs tmpfs rw`;
    const table = [
      line('4 3', `${base}/a/b`),
      line('3 1', `${base}/a`),
      line('2 1', `${base}a`),
      line('1 0', '/'),
    ].join('\n');
    const mounter = new LinuxMounter({ readMounts: async () => table });
    try {
      assert.deepEqual(await mounter.mountsBelow(`${base}-link/a`), [`${base}-link/a`, `${base}-link/a/b`]);
      assert.deepEqual(await mounter.mountsBelow(`${base}/nowhere`), []);
    } finally {
      await rm(`${base}-link`);
    }
  });

  it('reports the output of the program when a mount fails', async () => {
    const target = join(base, 'nowhere');
    const failed = new LinuxMounter().mount({ fsType: 'tmpfs', source: 'tmpfs', target, options: [] });
    await assert.rejects(failed, (error) => {
      assert.ok(error instanceof AgentError);
      assert.match(error.message, /^cannot mount tmpfs at ".*nowhere": mount: /);
      return true;
    });
  });

  it('file systems of the network go through the program of the configuration, others do not', async () => {
    const recorded = join(base, 'recorded');
    for (const name of ['mount', 'mounter'])
      await writeFile(join(base, name), `#!/bin/sh\necho ${name} "$@" >>${recorded}\n`, { mode: 0o755 });
    const path = process.env['PATH'] ?? '';
    process.env['PATH'] = `${base}:${path}`;
    try {
      const mounter = new LinuxMounter({ networkMounter: join(base, 'mounter') });
      const target = join(base, 'b');
      await mounter.mount({ fsType: 'nfs', source: 's:/', target, options: ['ro'] });
      await mounter.mount({ fsType: 'tmpfs', source: 'tmpfs', target, options: [] });
      await assert.rejects(mounter.mount({ fsType: 'nfs', source: '-a', target, options: [] }), {
        code: 'invalid-argument',
      });
      assert.deepEqual((await readFile(recorded, 'utf8')).split('\n'), [
        `mounter mount -t nfs -o ro -- s:/ ${target}`,
        `mount -t tmpfs -- tmpfs ${target}`,
        '',
      ]);
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('hostile source, type, option or target: never an option of mount(8)', async () => {
    const recorded = join(base, 'recorded');
    await writeFile(join(base, 'mount'), `#!/bin/sh\necho "$@" >>${recorded}\n`, { mode: 0o755 });
    const path = process.env['PATH'] ?? '';
    process.env['PATH'] = `${base}:${path}`;
    try {
      const mounter = new LinuxMounter();
      const good = { fsType: 'nfs', source: 's:/', target: join(base, 'b'), options: [] };
      for (const bad of [
        { source: `--fstab=${base}/a:/` },
        { source: '-a' },
        { fsType: '../x' },
        { fsType: 'fuse.sh' },
        { fsType: '--all' },
        { options: ['--all'] },
        { options: ['ro\nrw'] },
        { target: '-a' },
      ])
        await assert.rejects(mounter.mount({ ...good, ...bad }), { code: 'invalid-argument' });
      await assert.rejects(mounter.remount('--all', ['ro']), { code: 'invalid-argument' });
      await assert.rejects(readFile(recorded), { code: 'ENOENT' });
      await mounter.mount(good);
      assert.equal(await readFile(recorded, 'utf8'), `-t nfs -- s:/ ${join(base, 'b')}\n`);
    } finally {
      process.env['PATH'] = path;
    }
  });

  describe('mounts in memory that are asked for at the same time', () => {
    const toTmpfs = (target: string) => ({ fsType: 'tmpfs', source: 'tmpfs', target, options: ['size=64k'] });
    let listFile: string;
    let path: string;

    beforeEach(() => {
      listFile = join(base, 'list');
      path = process.env['PATH'] ?? '';
    });
    afterEach(() => {
      process.env['PATH'] = path;
    });

    /** Records what it is called with; `script` is what it does then. */
    async function replaceProgram(script: string): Promise<() => Promise<string[]>> {
      const recorded = join(base, 'recorded');
      const text = `#!/bin/sh\necho "$@" >>${recorded}\n${script}\n`;
      await writeFile(join(base, 'mount'), text, { mode: 0o755 });
      process.env['PATH'] = `${base}:${path}`;
      return async () => (await readFile(recorded, 'utf8')).trimEnd().split('\n');
    }

    it('share a program', async () => {
      const readCalls = await replaceProgram('');
      const mounter = new LinuxMounter({ listFile });
      await Promise.all(['a', 'b', 'c'].map((name) => mounter.mount(toTmpfs(join(base, name)))));
      await mounter.mount(toTmpfs(join(base, 'with space')));
      assert.deepEqual(await readCalls(), [
        `-a -T ${listFile}`,
        `-t tmpfs -o size=64k -- tmpfs ${join(base, 'with space')}`,
      ]);
      const line = (name: string): string => `tmpfs ${join(base, name)} tmpfs size=64k 0 0\n`;
      assert.equal(await readFile(listFile, 'utf8'), line('a') + line('b') + line('c'));
    });

    it('have a program each from now on where it takes no list', async () => {
      const readCalls = await replaceProgram('[ "$1" != -a ]');
      const mounter = new LinuxMounter({ listFile });
      for (let time = 0; time < 2; time++)
        await Promise.all(['a', 'b'].map((name) => mounter.mount(toTmpfs(join(base, name)))));
      assert.deepEqual(
        (await readCalls()).map((call) => call.split(' ')[0]),
        ['-a', '-t', '-t', '-t', '-t'],
      );
    });

    it('fail by themselves, each with its own error', NEEDS_MOUNTS, async () => {
      const mounter = new LinuxMounter({ listFile });
      const all = ['a', 'nowhere', 'b'].map((name) => mounter.mount(toTmpfs(join(base, name))));
      const results = await Promise.allSettled(all);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      await assert.rejects(
        all[1] ?? Promise.resolve(),
        /^AgentError: cannot mount tmpfs at ".*nowhere": mount: /,
      );
      assert.deepEqual(await mounter.mountsBelow(base), [join(base, 'a'), join(base, 'b')]);
      for (const name of ['a', 'b']) await mounter.unmount(join(base, name));
      assert.deepEqual(await mounter.mountsBelow(base), []);
    });
  });

  it('mounts, and unmounts what is there or not', NEEDS_MOUNTS, async () => {
    const mounter = new LinuxMounter();
    const target = join(base, 'b');
    await mounter.mount({ fsType: 'tmpfs', source: 'tmpfs', target, options: ['size=64k'] });
    assert.deepEqual(await mounter.mountsBelow(base), [target]);
    await mounter.unmount(target);
    await mounter.unmount(target);
    assert.deepEqual(await mounter.mountsBelow(base), []);
  });

  it('binds what a descriptor stands for, whatever its name leads to now', NEEDS_MOUNTS, async () => {
    const mounter = new LinuxMounter();
    const target = join(base, 'b');
    const handle = await open(join(base, 'a'));
    try {
      await rename(join(base, 'a'), join(base, 'moved'));
      await symlink(join(base, 'c'), join(base, 'a'));
      await mounter.bind(handle.fd, target);
      assert.deepEqual(await readdir(target), ['file']);
    } finally {
      await handle.close();
      await mounter.unmount(target);
    }
  });

  it('ends with its signal', async () => {
    await assert.rejects(new LinuxMounter().unmount(join(base, 'b'), AbortSignal.abort()), {
      code: 'cancelled',
    });
  });
});

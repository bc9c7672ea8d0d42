import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { link, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { NEEDS_MOUNTS } from '../../../../test/fakes/mount-right.ts';
import { type AgentError, hasCode } from '../../../base/errors.ts';
import { forgetUmask } from '../umask.ts';
import { LinuxHostFiles } from './host-files.ts';

const files = new LinuxHostFiles();
let base: string;
let umask: number;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'host files-'));
  umask = process.umask(0o077);
  forgetUmask();
});
afterEach(async () => {
  process.umask(umask);
  forgetUmask();
  await rm(base, { recursive: true });
});

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

describe('LinuxHostFiles.makeDirectory', () => {
  it('creates missing parents with the mode, whatever the umask, and keeps the mode of existing ones', async () => {
    mkdirSync(join(base, 'old'), { mode: 0o700 });
    await files.makeDirectory(join(base, 'old/new/leaf'), 0o755);
    assert.equal(modeOf(join(base, 'old')), 0o700);
    assert.equal(modeOf(join(base, 'old/new')), 0o755);
    assert.equal(modeOf(join(base, 'old/new/leaf')), 0o755);
    await files.makeDirectory(join(base, 'old/new'), 0o700);
    assert.equal(modeOf(join(base, 'old/new')), 0o755);
  });

  it('is safe to call for the same tree at once', async () => {
    const path = join(base, 'a/b/c/d');
    await Promise.all(Array.from({ length: 10 }, () => files.makeDirectory(path, 0o750)));
    assert.equal(modeOf(path), 0o750);
  });

  it('rejects when a file has that name', async () => {
    await writeFile(join(base, 'file'), '');
    await assert.rejects(files.makeDirectory('/proc/x/y', 0o755), (error) => hasCode(error, 'not-found'));
    await assert.rejects(files.makeDirectory(join(base, 'file'), 0o755), (error) => {
      assert.ok(hasCode(error, 'already-exists'));
      assert.equal(error.message, `cannot create directory "${join(base, 'file')}": file already exists`);
      return true;
    });
    await assert.rejects(files.makeDirectory(join(base, 'file/x'), 0o755), /not a directory/);
  });
});

describe('LinuxHostFiles.writeFile', () => {
  it('writes with exactly the mode and leaves nothing beside it', async () => {
    const path = join(base, 'etc-hosts');
    await files.writeFile(path, 'one', 0o666);
    assert.equal(modeOf(path), 0o666);
    await files.writeFile(path, 'zwölf', 0o644);
    assert.equal(readFileSync(path, 'utf8'), 'zwölf');
    assert.equal(modeOf(path), 0o644);
    assert.deepEqual(readdirSync(base), ['etc-hosts']);
  });

  it('replaces the file instead of changing it: another name of the old one keeps its content', async () => {
    await files.writeFile(join(base, 'a'), 'old', 0o644);
    await link(join(base, 'a'), join(base, 'b'));
    await files.writeFile(join(base, 'a'), 'new', 0o644);
    assert.equal(readFileSync(join(base, 'b'), 'utf8'), 'old');
  });

  it('replaces a link and leaves its target alone', async () => {
    await writeFile(join(base, 'target'), 'secret');
    await symlink(join(base, 'target'), join(base, 'a'));
    await files.writeFile(join(base, 'a'), 'new', 0o644);
    assert.equal(readFileSync(join(base, 'target'), 'utf8'), 'secret');
    assert.equal(lstatSync(join(base, 'a')).isFile(), true);
  });

  it('takes a name as long as names can be', async () => {
    const path = join(base, 'n'.repeat(255));
    await files.writeFile(path, 'x', 0o600);
    assert.equal(readFileSync(path, 'utf8'), 'x');
  });

  it('rejects, and leaves nothing, when the place is a directory or missing', async () => {
    mkdirSync(join(base, 'dir'));
    await assert.rejects(files.writeFile(join(base, 'dir'), 'x', 0o600), (error) =>
      hasCode(error, 'failed-precondition'),
    );
    assert.deepEqual(readdirSync(base), ['dir']);
    await assert.rejects(files.writeFile(join(base, 'no/x'), 'x', 0o600), (error) => {
      assert.ok(hasCode(error, 'not-found'));
      assert.equal(error.message, `cannot write "${join(base, 'no/x')}": no such file or directory`);
      return true;
    });
  });

  it('says so when the device is full', NEEDS_MOUNTS, async () => {
    using _mounted = mountTmpfs(join(base, 'full'), 'size=4096');
    await assert.rejects(files.writeFile(join(base, 'full/x'), 'y'.repeat(100_000), 0o600), (error) => {
      assert.ok(hasCode(error, 'resource-exhausted'));
      assert.equal(error.message, `cannot write "${join(base, 'full/x')}": no space left on device`);
      return true;
    });
    assert.deepEqual(readdirSync(join(base, 'full')), []);
  });
});

describe('LinuxHostFiles.readFile', () => {
  it('gives the text, or undefined when there is no file', async () => {
    await writeFile(join(base, 'a'), 'text');
    assert.equal(await files.readFile(join(base, 'a')), 'text');
    assert.equal(await files.readFile(join(base, 'b')), undefined);
    await assert.rejects(files.readFile(base), /cannot read ".*": not a regular file/);
  });
});

describe('LinuxHostFiles.readTail', () => {
  const tail = async (name: string, maxBytes: number): Promise<string | undefined> => {
    const bytes = await files.readTail(join(base, name), maxBytes);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString();
  };

  it('gives the last bytes of a longer file and the whole of a shorter one', async () => {
    await writeFile(join(base, 'log'), '0123456789');
    assert.equal(await tail('log', 4), '6789');
    assert.equal(await tail('log', 10), '0123456789');
    assert.equal(await tail('log', 1000), '0123456789');
    assert.equal(await tail('log', 0), '');
  });

  it('gives undefined for nothing, a directory, a link, a pipe and a socket', async () => {
    await writeFile(join(base, 'real'), 'secret');
    await symlink(join(base, 'real'), join(base, 'link'));
    mkdirSync(join(base, 'dir'));
    execFileSync('mkfifo', [join(base, 'pipe')]);
    const server = createServer().listen(join(base, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    for (const name of ['none', 'link', 'dir', 'pipe', 'socket'])
      assert.equal(await tail(name, 10), undefined);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('LinuxHostFiles.cutFile', () => {
  it('CVE-2020-8557: cuts a file that is too long, and only that', async () => {
    await writeFile(join(base, 'log'), '0123456789');
    assert.equal(await files.cutFile(join(base, 'log'), 10), false);
    assert.equal(await files.cutFile(join(base, 'log'), 4), true);
    assert.equal(readFileSync(join(base, 'log'), 'utf8'), '0123');
  });

  it('touches nothing through a link, and waits for no pipe', async () => {
    await writeFile(join(base, 'real'), 'precious');
    await symlink(join(base, 'real'), join(base, 'link'));
    mkdirSync(join(base, 'dir'));
    execFileSync('mkfifo', [join(base, 'pipe')]);
    for (const name of ['none', 'link', 'dir', 'pipe'])
      assert.equal(await files.cutFile(join(base, name), 0), false);
    assert.equal(readFileSync(join(base, 'real'), 'utf8'), 'precious');
  });
});

describe('LinuxHostFiles.listDirectory', () => {
  it('gives the names in order, and none when there is no directory', async () => {
    for (const name of ['b', 'a', '.c']) await writeFile(join(base, name), '');
    assert.deepEqual(await files.listDirectory(base), ['.c', 'a', 'b']);
    assert.deepEqual(await files.listDirectory(join(base, 'none')), []);
    await assert.rejects(files.listDirectory(join(base, 'a')), /cannot list ".*": not a directory/);
  });
});

describe('LinuxHostFiles.removeTree', () => {
  it('removes files, links and deep trees, with names that are not text', async () => {
    mkdirSync(join(base, 't', ...Array.from({ length: 60 }, () => 'deep')), { recursive: true });
    await writeFile(Buffer.concat([Buffer.from(`${base}/t/deep/`), Buffer.from([0xff, 0xfe])]), 'x');
    await writeFile(join(base, 't/plain'), 'x');
    await files.removeTree(join(base, 't'));
    await writeFile(join(base, 'file'), 'x');
    await files.removeTree(join(base, 'file'));
    assert.deepEqual(readdirSync(base), []);
  });

  it('never follows a link', async () => {
    mkdirSync(join(base, 'outside'));
    await writeFile(join(base, 'outside/keep'), 'x');
    mkdirSync(join(base, 't'));
    await symlink(join(base, 'outside'), join(base, 't/dir'));
    await symlink(join(base, 'outside/keep'), join(base, 't/file'));
    await files.removeTree(join(base, 't'));
    await symlink(join(base, 'outside'), join(base, 'top'));
    await files.removeTree(join(base, 'top'));
    assert.deepEqual(readdirSync(base), ['outside']);
    assert.deepEqual(readdirSync(join(base, 'outside')), ['keep']);
  });

  it('takes what is not there for removed', async () => {
    await files.removeTree(join(base, 'none'));
    await files.removeTree(join(base, 'none/deeper'));
    await writeFile(join(base, 'file'), 'x');
    await files.removeTree(join(base, 'file/deeper'));
    assert.deepEqual(readdirSync(base), ['file']);
  });

  it('two removals of one tree both succeed', async () => {
    for (let i = 0; i < 30; i++) mkdirSync(join(base, `t/${i % 5}/${i}`), { recursive: true });
    await Promise.all([1, 2, 3].map(() => files.removeTree(join(base, 't'))));
    assert.deepEqual(readdirSync(base), []);
  });

  for (const kind of ['another device', 'the same device', 'a file'] as const)
    it(
      `refuses, before removing anything, when ${kind} is mounted below, reached through a link or not`,
      NEEDS_MOUNTS,
      async () => {
        mkdirSync(join(base, 'source'));
        mkdirSync(join(base, 'pods/uid/volumes/v'), { recursive: true });
        await writeFile(join(base, 'source/keep'), 'x');
        await writeFile(join(base, 'pods/uid/file'), 'x');
        const at = join(base, kind === 'a file' ? 'pods/uid/file' : 'pods/uid/volumes/v');
        const source = join(base, kind === 'a file' ? 'source/keep' : 'source');
        using _mounted = kind === 'another device' ? mountTmpfs(at, 'size=4096') : mountBind(source, at);
        await symlink(join(base, 'pods'), join(base, 'alias'));
        for (const path of ['pods/uid', 'pods', 'alias/uid'])
          await assert.rejects(files.removeTree(join(base, path)), (error) => {
            assert.ok(hasCode(error, 'failed-precondition'));
            assert.equal(error.retryable, true);
            assert.equal(
              error.message,
              `cannot remove "${join(base, path)}": something is mounted at "${at}"`,
            );
            return true;
          });
        assert.equal(existsSync(join(base, 'pods/uid/file')), true);
        assert.equal(existsSync(join(base, 'source/keep')), true);
      },
    );
});

describe('LinuxHostFiles.linkTo', () => {
  it('makes a link and replaces it, and a file, leaving nothing beside', async () => {
    const path = join(base, 'current');
    await files.linkTo('first', path);
    await files.linkTo('second', path);
    assert.equal(readlinkSync(path), 'second');
    await writeFile(join(base, 'file'), 'x');
    await files.linkTo('third', join(base, 'file'));
    assert.equal(readlinkSync(join(base, 'file')), 'third');
    assert.deepEqual(readdirSync(base), ['current', 'file']);
  });

  it('rejects at a directory', async () => {
    mkdirSync(join(base, 'dir'));
    await assert.rejects(files.linkTo('x', join(base, 'dir')), (error: AgentError) =>
      error.message.startsWith(`cannot link "${join(base, 'dir')}": `),
    );
    assert.deepEqual(readdirSync(base), ['dir']);
  });
});

describe('LinuxHostFiles.exists', () => {
  it('is true for anything with that name, also for a link that leads nowhere', async () => {
    await symlink('nowhere', join(base, 'link'));
    assert.equal(await files.exists(join(base, 'link')), true);
    assert.equal(await files.exists(base), true);
    assert.equal(await files.exists(join(base, 'none')), false);
  });
});

/** Undefined where the user may not mount; the test then has nothing to look at. */
function mountTmpfs(at: string, options: string): Disposable {
  mkdirSync(at, { recursive: true });
  return mount(['-t', 'tmpfs', '-o', options, 'tmpfs', at], at);
}

function mountBind(source: string, at: string): Disposable {
  return mount(['--bind', source, at], at);
}

function mount(args: readonly string[], at: string): Disposable {
  execFileSync('mount', args, { stdio: 'ignore' });
  return { [Symbol.dispose]: () => execFileSync('umount', [at]) };
}

describe('LinuxHostFiles.watchDirectory', () => {
  const changes: readonly [what: string, change: (directory: string) => void][] = [
    ['a write to a file in it', (directory) => appendFileSync(join(directory, 'file'), 'x')],
    ['a new directory in it', (directory) => mkdirSync(join(directory, 'new'))],
    ['its own removal', (directory) => rmSync(directory, { recursive: true })],
  ];
  for (const [what, change] of changes)
    it(`reports ${what}`, async () => {
      const directory = join(base, 'watched');
      mkdirSync(directory);
      appendFileSync(join(directory, 'file'), 'x');
      const { promise, resolve } = Promise.withResolvers<void>();
      const watch = files.watchDirectory(directory, resolve);
      assert.ok(typeof watch === 'object');
      using _ = watch;
      change(directory);
      await promise;
    });

  it('reports a write through a bind mount of a file in it', NEEDS_MOUNTS, async () => {
    const [directory, mounted] = [join(base, 'watched'), join(base, 'mounted')];
    mkdirSync(directory);
    for (const path of [join(directory, 'file'), mounted]) appendFileSync(path, '');
    execFileSync('mount', ['--bind', join(directory, 'file'), mounted]);
    try {
      const { promise, resolve } = Promise.withResolvers<void>();
      const watch = files.watchDirectory(directory, resolve);
      assert.ok(typeof watch === 'object');
      using _ = watch;
      appendFileSync(mounted, 'x');
      await promise;
    } finally {
      execFileSync('umount', [mounted]);
    }
  });

  it('cannot watch what is not there or no directory', () => {
    assert.equal(files.watchDirectory(join(base, 'none'), assert.fail), 'missing');
    appendFileSync(join(base, 'file'), '');
    assert.equal(files.watchDirectory(join(base, 'file', 'below'), assert.fail), undefined);
  });
});

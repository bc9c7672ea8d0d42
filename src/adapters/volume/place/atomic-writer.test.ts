import assert from 'node:assert/strict';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Payload } from '../../../core/volume/payload.ts';
import { writeAtomically } from './atomic-writer.ts';

const NOW_MS = Date.UTC(2026, 0, 31, 12, 0, 0);
const encoder = new TextEncoder();
let base: string;
let directory: string;
/** Which of the two ways to make file calls; the result is the same. */
let isInMemory = false;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'atomic-writer-'));
  directory = join(base, 'volume');
  await mkdir(directory);
});
afterEach(() => rm(base, { recursive: true }));

function payload(files: Readonly<Record<string, string>>, mode = 0o644): Payload {
  return new Map(
    Object.entries(files).map(([path, text]) => [path, { content: encoder.encode(text), mode }]),
  );
}

function write(files: Readonly<Record<string, string>>, more: { mode?: number; fail?: Error } = {}) {
  const { mode, fail } = more;
  return writeAtomically({
    directory,
    payload: payload(files, mode),
    nowMs: NOW_MS,
    isInMemory,
    ...(fail === undefined ? {} : { beforeSwitch: () => Promise.reject(fail) }),
  });
}

/** What a container sees. */
async function shown(at = directory, prefix = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(at)) {
    if (name.startsWith('..')) continue;
    const path = join(at, name);
    if ((await stat(path)).isDirectory()) Object.assign(found, await shown(path, `${prefix}${name}/`));
    else found[prefix + name] = await readFile(path, 'utf8');
  }
  return found;
}

async function versions(): Promise<string[]> {
  return (await readdir(directory)).filter((name) => /^\.\.\d/.test(name));
}

for (const inMemory of [false, true])
  describe(inMemory ? 'in memory' : 'on a disk', () => {
    beforeEach(() => {
      isInMemory = inMemory;
    });

    describe('writeAtomically', () => {
      it('lays files out behind one link to a version named by the time', async () => {
        assert.equal(await write({ key: 'value', 'sub/file': 'deep' }), true);
        assert.deepEqual(await shown(), { key: 'value', 'sub/file': 'deep' });
        const version = await readlink(join(directory, '..data'));
        assert.match(version, /^\.\.2026_01_31_12_00_00\.\d+$/);
        assert.equal(await readlink(join(directory, 'key')), '..data/key');
        assert.equal(await readlink(join(directory, 'sub')), '..data/sub');
        assert.equal((await stat(join(directory, version))).mode & 0o7777, 0o755);
      });

      it('gives files exactly their mode', async () => {
        await write({ key: 'value' }, { mode: 0o7 });
        assert.equal((await stat(join(directory, 'key'))).mode & 0o7777, 0o7);
      });

      it('writes nothing when the content is the same, not even for another mode', async () => {
        await write({ key: 'value' });
        const before = await readlink(join(directory, '..data'));
        assert.equal(await write({ key: 'value' }, { mode: 0o600 }), false);
        assert.equal(await readlink(join(directory, '..data')), before);
        assert.equal((await stat(join(directory, 'key'))).mode & 0o7777, 0o644);
      });

      it('re-creates a missing link although the content is the same', async () => {
        await write({ key: 'value' });
        await rm(join(directory, 'key'));
        assert.equal(await write({ key: 'value' }), false);
        assert.deepEqual(await shown(), { key: 'value' });
      });

      it('shows any sequence of contents, each as written, and keeps one version', async () => {
        const name = fc.constantFrom('a', 'b', 'sub/a', 'sub/b', 'sub/deep/c');
        const contents = fc.dictionary(name, fc.string({ maxLength: 4 }));
        await fc.assert(
          fc.asyncProperty(fc.array(contents, { minLength: 1, maxLength: 4 }), async (sequence) => {
            for (const files of sequence) {
              await write(files);
              assert.deepEqual(await shown(), { ...files });
              assert.equal((await versions()).length, 1);
            }
          }),
          { numRuns: 30 },
        );
      });

      it('shows the old content when a step before the switch fails, and leaves nothing of the new', async () => {
        await write({ key: 'old' });
        await assert.rejects(write({ key: 'new' }, { fail: new Error('no luck') }), /no luck/);
        assert.deepEqual(await shown(), { key: 'old' });
        assert.equal((await versions()).length, 1);
      });

      it('takes away what an interrupted write left', async () => {
        await write({ key: 'old' });
        await mkdir(join(directory, '..2025_01_01_00_00_00.1'));
        await symlink('..2025_01_01_00_00_00.1', join(directory, '..data_tmp'));
        await write({ key: 'new' });
        assert.deepEqual(await shown(), { key: 'new' });
        assert.equal((await versions()).length, 1);
      });

      it('leaves directories for nested mounts and names of others alone', async () => {
        await mkdir(join(directory, 'nested'));
        await writeFile(join(directory, 'own'), 'x');
        await symlink('/etc', join(directory, 'elsewhere'));
        await write({ key: '1' });
        await write({ other: '2' });
        assert.deepEqual((await readdir(directory)).filter((name) => !name.startsWith('..')).toSorted(), [
          'elsewhere',
          'nested',
          'other',
          'own',
        ]);
      });

      it('refuses paths that lead out of the volume', async () => {
        for (const path of ['../x', '/x', 'a/../../x', '..x', ''])
          await assert.rejects(write({ [path]: 'v' }), /^AgentError: invalid path/);
        assert.deepEqual(await readdir(directory), []);
      });
    });

    describe('CVE-2017-1002102: writeAtomically deletes nothing through links', () => {
      const secret = () => join(base, 'outside', 'precious');

      beforeEach(async () => {
        await mkdir(join(base, 'outside'));
        await writeFile(secret(), 'kept');
        await chmod(secret(), 0o600);
      });

      it('when ..data leads out of the volume', async () => {
        for (const target of [
          '../outside',
          join(base, 'outside'),
          '..',
          '..2026_01_31_12_00_00.1/../../outside',
        ]) {
          await rm(join(directory, '..data'), { force: true });
          await symlink(target, join(directory, '..data'));
          await write({ key: target });
          assert.deepEqual(await shown(), { key: target });
          assert.equal(await readFile(secret(), 'utf8'), 'kept');
        }
      });

      it('and takes what lies outside for no version, even if it is the same', async () => {
        await writeFile(join(base, 'outside', 'key'), 'same');
        await symlink('../outside', join(directory, '..data'));
        await rm(secret());
        assert.equal(await write({ key: 'same' }), true);
        assert.deepEqual(await versions(), [await readlink(join(directory, '..data'))]);
        assert.deepEqual(await readdir(join(base, 'outside')), ['key']);
      });

      it('when a version is replaced by a link', async () => {
        await write({ key: 'old' });
        const version = join(directory, await readlink(join(directory, '..data')));
        await rm(version, { recursive: true });
        await symlink(join(base, 'outside'), version);
        await write({ key: 'new' });
        assert.deepEqual(await shown(), { key: 'new' });
        assert.equal(await readFile(secret(), 'utf8'), 'kept');
        assert.ok((await lstat(version)).isSymbolicLink());
      });

      it('when the old version holds links to directories', async () => {
        await write({ key: 'old' });
        const version = await readlink(join(directory, '..data'));
        await symlink(join(base, 'outside'), join(directory, version, 'link'));
        await symlink(secret(), join(directory, version, 'file'));
        await write({ key: 'new' });
        assert.equal((await versions()).length, 1);
        assert.equal(await readFile(secret(), 'utf8'), 'kept');
      });
    });
  });

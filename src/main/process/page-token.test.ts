import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { loadPageToken } from './page-token.ts';

describe('loadPageToken', () => {
  let directory: string;
  let path: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'page-token-'));
    path = join(directory, 'page-token');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('makes one that only its owner can read, and keeps it', async () => {
    const token = await loadPageToken(path, silentLogger);
    assert.match(token, /^[\w-]{43}$/);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal(await loadPageToken(path, silentLogger), token);
  });

  it('replaces one that others could read, a link, and what is no token', async () => {
    const first = await loadPageToken(path, silentLogger);
    await chmod(path, 0o640);
    const second = await loadPageToken(path, silentLogger);
    assert.notEqual(second, first);
    await writeFile(path, 'short');
    assert.match(await loadPageToken(path, silentLogger), /^[\w-]{43}$/);
    const elsewhere = join(directory, 'elsewhere');
    await writeFile(elsewhere, first, { mode: 0o600 });
    await rm(path);
    await symlink(elsewhere, path);
    assert.notEqual(await loadPageToken(path, silentLogger), first);
    assert.equal(await readFile(elsewhere, 'utf8'), first);
  });

  it('works without a place to keep it, and logs that', async () => {
    const logged: string[] = [];
    const warn = (message: string): void => void logged.push(message);
    assert.match(await loadPageToken(join(directory, 'none', 'page-token'), { warn }), /^[\w-]{43}$/);
    assert.deepEqual(logged, ['cannot keep the token of the page']);
  });
});

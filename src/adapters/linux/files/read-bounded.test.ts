import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { readBounded, readWhole } from './read-bounded.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'bounded-'));
});
afterEach(() => rm(base, { recursive: true }));

describe('readBounded', () => {
  it('reads what fits to the byte, and refuses one more', async () => {
    const path = join(base, 'file');
    const content = Buffer.alloc(200_000, 'x');
    await writeFile(path, content);
    assert.deepEqual(await readBounded(path, { maxBytes: 200_000 }), content);
    await assert.rejects(readBounded(path, { maxBytes: 199_999 }), { code: 'resource-exhausted' });
    await writeFile(path, '');
    assert.equal((await readBounded(path, { maxBytes: 0 })).length, 0);
  });

  it('follows no link unless the caller allows it, and waits for no pipe', async () => {
    await writeFile(join(base, 'file'), 'x');
    await symlink('file', join(base, 'link'));
    execFileSync('mkfifo', [join(base, 'pipe')]);
    await assert.rejects(readBounded(join(base, 'link'), { maxBytes: 9 }), { code: 'ELOOP' });
    const followed = await readBounded(join(base, 'link'), { maxBytes: 9, followsLinks: true });
    assert.equal(followed.toString(), 'x');
    for (const path of [join(base, 'pipe'), base, '/dev/zero'])
      await assert.rejects(readBounded(path, { maxBytes: 9 }), { code: 'failed-precondition' });
  });
});

describe('readWhole', () => {
  it('takes no more than the limit and one byte from a file that never ends', async () => {
    let taken = 0;
    const endless = {
      read: async (buffer: Buffer, _offset: number, length: number) => {
        taken += length;
        return { bytesRead: length, buffer };
      },
    };
    assert.equal(
      await readWhole(endless as unknown as Parameters<typeof readWhole>[0], 1_000_000),
      undefined,
    );
    assert.equal(taken, 1_000_001);
  });
});

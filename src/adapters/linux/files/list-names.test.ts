import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { listNames } from './list-names.ts';

test('listNames reads no endless directory', async (t) => {
  const base = await mkdtemp(join(tmpdir(), 'names-'));
  t.after(() => rm(base, { recursive: true }));
  for (const name of ['a', 'b', 'c']) await mkdir(join(base, name));
  assert.deepEqual((await listNames(base, 3)).toSorted(), ['a', 'b', 'c']);
  await assert.rejects(listNames(base, 2), { code: 'resource-exhausted' });
  assert.deepEqual(await listNames(join(base, 'none')), []);
});

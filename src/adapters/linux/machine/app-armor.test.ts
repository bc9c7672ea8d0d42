import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { readAppArmorEnabled } from './app-armor.ts';

it('readAppArmorEnabled wants the module switched on and its files there', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'app-armor-'));
  t.after(() => rm(root, { recursive: true }));
  assert.equal(await readAppArmorEnabled(root), false);
  await mkdir(join(root, 'sys/module/apparmor/parameters'), { recursive: true });
  await writeFile(join(root, 'sys/module/apparmor/parameters/enabled'), 'Y\n');
  assert.equal(await readAppArmorEnabled(root), false);
  await mkdir(join(root, 'sys/kernel/security/apparmor'), { recursive: true });
  assert.equal(await readAppArmorEnabled(root), true);
  await writeFile(join(root, 'sys/module/apparmor/parameters/enabled'), 'N\n');
  assert.equal(await readAppArmorEnabled(root), false);
});

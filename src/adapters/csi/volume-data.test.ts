import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { stagingPath } from './csi-paths.ts';
import { readVolumeData } from './volume-data.ts';

test('readVolumeData refuses a driver whose name would lead out of the directory of drivers', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'volume-data-'));
  t.after(() => rm(directory, { recursive: true }));
  for (const driverName of ['..', '../../pods', '/etc', '']) {
    await writeFile(join(directory, 'vol_data.json'), JSON.stringify({ driverName, volumeHandle: 'h' }));
    await assert.rejects(readVolumeData(directory), { code: 'failed-precondition' });
    assert.throws(() => stagingPath('/r', driverName, 'h'), { code: 'invalid-argument' });
  }
  await writeFile(join(directory, 'vol_data.json'), '{"driverName":"a.example.com","volumeHandle":"../h"}');
  assert.equal((await readVolumeData(directory))?.driverName, 'a.example.com');
});

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { toPodUid } from '../../../core/model/ids.ts';
import { DiskRecords } from './disk-record.ts';

test('DiskRecords believes no record of a place outside the plugin’s directory, and no pod that is none', async (t) => {
  const rootDir = await mkdtemp(join(tmpdir(), 'disk-record-'));
  t.after(() => rm(rootDir, { recursive: true }));
  const records = new DiskRecords(rootDir, 'kubernetes.io/iscsi');
  const uid = toPodUid('uid-1');
  const record = { name: 'disk', place: 'iface-default/portal-lun-1', mode: 'Filesystem' } as const;
  await records.write(uid, 'good', record);
  await mkdir(join(rootDir, 'pods', '.trash'));
  for (const [index, place] of ['../x', '/etc', 'a/../../b', '', 'a//b'].entries())
    await records.write(uid, `bad-${index}`, { ...record, place });
  assert.deepEqual(await records.all(), [{ podUid: 'uid-1', volume: 'good', record }]);
});

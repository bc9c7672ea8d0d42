import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeFiles } from '../../test/fakes/fake-files.ts';
import { readLeftOvers } from './left-overs.ts';

const DIRECTORIES = { rootDir: '/var/lib/kubelet', podLogsDir: '/var/log/pods' };

test('readLeftOvers names every pod that has a directory for data or logs, once', async () => {
  const files = new FakeFiles();
  for (const path of [
    '/var/lib/kubelet/pods/uid-1',
    '/var/lib/kubelet/pods/uid-2',
    '/var/log/pods/default_web_uid-2',
    '/var/log/pods/default_db_uid-3',
    '/var/log/pods/not-a-pod',
  ])
    await files.makeDirectory(path, 0o755);
  const pods = await readLeftOvers(files, DIRECTORIES);
  assert.deepEqual(
    pods.map(({ metadata: { namespace, name, uid } }) => [namespace, name, uid]),
    [
      ['', 'uid-1', 'uid-1'],
      ['default', 'web', 'uid-2'],
      ['default', 'db', 'uid-3'],
    ],
  );
});

test('readLeftOvers finds nothing on a fresh host', async () => {
  assert.deepEqual(await readLeftOvers(new FakeFiles(), DIRECTORIES), []);
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ScsiDevices } from './scsi-devices.ts';

let sys: string;
beforeEach(async () => {
  sys = await mkdtemp(join(tmpdir(), 'scsi-'));
});
afterEach(() => rm(sys, { recursive: true }));

describe('ScsiDevices', () => {
  // As root every file could be opened; a pipe shows it: opened for reading too it would not wait for a reader.
  for (const [what, path, text, act] of [
    ['scan', 'class/scsi_host/host3/scan', '0 0 1', (it) => it.scan('host3', '0 0 1')],
    ['forget', 'block/sdb/device/delete', '1', (it) => it.forget('/dev/sdb')],
  ] as const satisfies readonly (readonly [
    string,
    string,
    string,
    (devices: ScsiDevices) => Promise<void>,
  ])[])
    it(`opens what it writes to for writing alone, to ${what}`, async () => {
      const pipe = join(sys, path);
      mkdirSync(dirname(pipe), { recursive: true });
      execFileSync('mkfifo', [pipe]);
      let isDone = false;
      const acting = act(new ScsiDevices({ sys, dev: '/dev' })).then(() => {
        isDone = true;
      });
      for (let turn = 0; turn < 100; turn++) await stat(pipe);
      assert.equal(isDone, false);
      assert.equal(await readFile(pipe, 'utf8'), text);
      await acting;
    });
});

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hasCode } from '../../../base/errors.ts';
import { tuneKernel } from './kernel-tunables.ts';

const RIGHT = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};
let directory: string;

async function put(values: Readonly<Record<string, string>>): Promise<void> {
  for (const [flag, value] of Object.entries(values)) {
    await mkdir(dirname(join(directory, flag)), { recursive: true });
    await writeFile(join(directory, flag), `${value}\n`);
  }
}
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tunables-'));
  await put(RIGHT);
});
afterEach(() => rm(directory, { recursive: true }));

describe('tuneKernel', () => {
  it('writes what differs and nothing else', async () => {
    await put({ 'vm/overcommit_memory': '0', 'kernel/panic': '0' });
    assert.deepEqual(await tuneKernel({ protect: false, directory }), []);
    for (const [flag, value] of Object.entries(RIGHT))
      assert.equal(Number((await readFile(join(directory, flag), 'utf8')).trim()), Number(value), flag);
    assert.equal(await readFile(join(directory, 'vm/panic_on_oom'), 'utf8'), '0\n');
  });

  it('changes nothing that is protected, and says what differs', async () => {
    assert.deepEqual(await tuneKernel({ protect: true, directory }), []);
    await put({ 'vm/overcommit_memory': '0', 'kernel/panic': '5' });
    await assert.rejects(
      tuneKernel({ protect: true, directory }),
      (error) =>
        hasCode(error, 'failed-precondition') &&
        String(error).includes(
          '[invalid kernel flag: kernel/panic, expected value: 10, actual value: 5, invalid kernel flag: vm/overcommit_memory, expected value: 1, actual value: 0]',
        ),
    );
    assert.equal(await readFile(join(directory, 'kernel/panic'), 'utf8'), '5\n');
  });

  it('only warns of what the kernel does not have', async () => {
    await rm(join(directory, 'kernel/keys'), { recursive: true });
    const warnings = await tuneKernel({ protect: true, directory });
    assert.equal(warnings.length, 2);
    assert.match(warnings[0] ?? '', /cannot set to 25000000 ".*root_maxbytes"/);
  });
});

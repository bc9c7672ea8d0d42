import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { hasCode } from '../../../base/errors.ts';
import { holdLockFile, tryLockFile } from './lock-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'lock-'));
after(() => rmSync(directory, { recursive: true }));

describe('holdLockFile', () => {
  it('makes the second wait until the first lets go', async () => {
    const path = join(directory, 'lock');
    const signal = new AbortController().signal;
    const first = await holdLockFile(path, signal);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    let isHeld = false;
    const second = holdLockFile(path, signal).then((handle) => {
      isHeld = true;
      return handle;
    });
    const impatient = new AbortController();
    const third = holdLockFile(path, impatient.signal);
    impatient.abort();
    await assert.rejects(third, (error) => hasCode(error, 'cancelled'));
    assert.equal(isHeld, false);
    assert.equal(await tryLockFile(path, signal), undefined);
    await first.close();
    await (await second).close();
    const free = await tryLockFile(path, signal);
    assert.ok(free);
    await free.close();
  });

  it('says where it could not', async () => {
    await assert.rejects(
      holdLockFile('/nonexistent/lock', new AbortController().signal),
      /^AgentError: cannot open lock file "\/nonexistent\/lock": no such file or directory$/,
    );
  });
});

import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { hasCode } from '../../../base/errors.ts';
import { claimRun } from './claim-run.ts';
import { toRunPlace } from './run-place.ts';

const never = new AbortController().signal;

async function inTemporary(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'claim-run-'));
  try {
    await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe('claimRun', () => {
  it('takes a directory that is new, empty, or of an earlier run', () =>
    inTemporary(async (directory) => {
      for (const rootDir of [join(directory, 'a', 'new'), directory]) {
        const place = toRunPlace([], rootDir);
        for (let count = 0; count < 2; count++) {
          await using _held = await claimRun(place, never);
          await writeFile(join(rootDir, 'left'), '');
        }
        await rm(join(directory, 'a'), { recursive: true, force: true });
      }
    }));

  it('refuses one with files of others, and touches nothing there', () =>
    inTemporary(async (directory) => {
      await writeFile(join(directory, 'thesis.tex'), 'text');
      await assert.rejects(claimRun(toRunPlace([], directory), never), (error) =>
        hasCode(error, 'failed-precondition'),
      );
      assert.deepEqual(await readdir(directory), ['thesis.tex']);
    }));

  it('refuses a second run while the first is under way', () =>
    inTemporary(async (directory) => {
      const place = toRunPlace([], directory);
      const first = await claimRun(place, never);
      await assert.rejects(claimRun(place, never), (error) => hasCode(error, 'already-exists'));
      await first[Symbol.asyncDispose]();
      await using _second = await claimRun(place, never);
    }));
});

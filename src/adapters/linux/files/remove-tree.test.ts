import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { NEEDS_MOUNTS } from '../../../../test/fakes/mount-right.ts';
import { hasCode } from '../../../base/errors.ts';
import { removeTree } from './remove-tree.ts';

describe('removeTree', () => {
  let base: string;
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'remove-'));
  });
  afterEach(() => rm(base, { recursive: true }));

  it(
    'stops at a mount that appeared after the mount table was read, and keeps what is in it',
    NEEDS_MOUNTS,
    async () => {
      const [source, at] = [join(base, 'source'), join(base, 'tree/a/b')];
      mkdirSync(source);
      mkdirSync(at, { recursive: true });
      writeFileSync(join(source, 'keep'), 'x');
      const mountLate = async (): Promise<string> => {
        execFileSync('mount', ['--bind', source, at]);
        return '';
      };
      const removed = removeTree(join(base, 'tree'), mountLate);
      const outcome = await removed.then(
        () => undefined,
        (error: unknown) => error,
      );
      execFileSync('umount', [at]);
      assert.ok(hasCode(outcome, 'failed-precondition'));
      assert.equal(outcome.message, `cannot remove "${at}": something is mounted at "${at}"`);
      assert.equal(existsSync(join(source, 'keep')), true);
    },
  );
});

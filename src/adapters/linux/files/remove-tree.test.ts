import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { NEEDS_MOUNTS } from '../../../../test/fakes/mount-right.ts';
import { makeDeepTree } from '../../../../test/samples/sample-trees.ts';
import { hasCode } from '../../../base/errors.ts';
import { findMountsBelow, parseMountinfo } from '../mountinfo.ts';
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

  it('removes a tree that is wide and deep, with names that are not text, links and pipes', async () => {
    const tree = join(base, 'both');
    for (const branch of ['a', 'b', 'c']) makeDeepTree(join(tree, branch), 200);
    const end = `${join(tree, 'a')}${'/d'.repeat(60)}`;
    for (let index = 0; index < 40; index++) makeDeepTree(join(end, `x${index}`), 3);
    writeFileSync(Buffer.concat([Buffer.from(`${end}/`), Buffer.from([0xff, 0xfe])]), '');
    const kept = join(base, 'kept');
    mkdirSync(kept);
    symlinkSync(kept, join(end, 'link'));
    execFileSync('mkfifo', [join(end, 'pipe')]);
    writeFileSync(join(kept, 'file'), '');
    await removeTree(tree);
    assert.equal(existsSync(tree), false);
    assert.equal(existsSync(join(kept, 'file')), true);
  });

  it('stops at a late mount far down too, and keeps what is in it', NEEDS_MOUNTS, async () => {
    const source = join(base, 'source');
    const at = `${join(base, 'tree')}${'/d'.repeat(36)}`;
    mkdirSync(source);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(source, 'keep'), 'x');
    const outcome = await removeTree(join(base, 'tree'), async () => {
      execFileSync('mount', ['--bind', source, at]);
      return '';
    }).catch((error: unknown) => error);
    const table = readFileSync('/proc/self/mountinfo', 'utf8');
    for (const mount of findMountsBelow(parseMountinfo(table), base)) execFileSync('umount', [mount]);
    assert.ok(hasCode(outcome, 'failed-precondition'));
    assert.equal(existsSync(join(source, 'keep')), true);
  });
});

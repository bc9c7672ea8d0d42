import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { measureTree, type TreeLimits, type TreeSample } from './measure-tree.ts';

let root: string;
const clock = new FakeClock();
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'measure-tree-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const noMounts = async (): Promise<string> => '';

function measure(path = root, limits: Partial<TreeLimits> = {}): Promise<TreeSample> {
  const signal = new AbortController().signal;
  return measureTree(path, { clock, signal, limits, readMounts: noMounts });
}

/** What the program of the host counts. */
function du(): { readonly usedBytes: number; readonly inodesUsed: number } {
  const ask = (...args: string[]): number =>
    Number(execFileSync('du', ['-s', '-x', ...args, root], { encoding: 'utf8' }).split('\t')[0]);
  return { usedBytes: ask('--block-size=1'), inodesUsed: ask('--inodes') };
}

/** A tree in few words: how deep each file lies, how large it is, and whether it has a second name. */
const trees = fc.array(fc.record({ depth: fc.nat(4), bytes: fc.nat(20_000), isLinked: fc.boolean() }), {
  maxLength: 12,
});

function build(files: readonly { depth: number; bytes: number; isLinked: boolean }[]): void {
  rmSync(root, { recursive: true });
  mkdirSync(root);
  for (const [index, { depth, bytes, isLinked }] of files.entries()) {
    const directory = join(root, ...Array.from({ length: depth }, (_, level) => `d${level}`));
    mkdirSync(directory, { recursive: true });
    const file = join(directory, `f${index}`);
    writeFileSync(file, Buffer.alloc(bytes));
    if (isLinked) linkSync(file, join(root, `l${index}`));
  }
}

describe('measureTree', () => {
  it('counts what du counts, each file with several names once', async () => {
    await fc.assert(
      fc.asyncProperty(trees, async (files) => {
        build(files);
        const { isComplete, ...counted } = await measure();
        assert.ok(isComplete);
        assert.deepEqual(counted, du());
      }),
      { numRuns: 25 },
    );
  });

  it('counts shares when it cannot remember more files with several names', async () => {
    await fc.assert(
      fc.asyncProperty(trees, fc.nat(3), async (files, maxLinked) => {
        build(files);
        const { isComplete, ...counted } = await measure(root, { maxLinked });
        assert.ok(isComplete);
        assert.deepEqual(counted, du());
      }),
      { numRuns: 15 },
    );
  });

  it('is nothing for what is not there, or is no directory', async () => {
    writeFileSync(join(root, 'file'), 'text');
    symlinkSync('/', join(root, 'link'));
    for (const name of ['none', 'file', 'link', 'none/deeper'])
      assert.deepEqual(await measure(join(root, name)), { usedBytes: 0, inodesUsed: 0, isComplete: true });
  });

  it('follows no link', async () => {
    const before = await measure();
    symlinkSync('/usr', join(root, 'usr'));
    symlinkSync('/etc/passwd', join(root, 'passwd'));
    const { usedBytes, inodesUsed } = await measure();
    assert.deepEqual([usedBytes, inodesUsed], [before.usedBytes, before.inodesUsed + 2]);
  });

  it('takes names that are no text', async () => {
    mkdirSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]));
    writeFileSync(
      Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe]), Buffer.from('/f')]),
      'x',
    );
    assert.equal((await measure()).inodesUsed, 3);
  });

  it('passes over what is mounted inside without a look', async () => {
    mkdirSync(join(root, 'a/mounted/deep'), { recursive: true });
    mkdirSync(join(root, 'a/plain'));
    const table = `2 0 0:2 / ${root} rw - tmpfs t rw\n3 2 0:1 / ${root}/a/mounted rw - nfs dead rw\n`;
    const signal = new AbortController().signal;
    const { inodesUsed } = await measureTree(root, { clock, signal, readMounts: async () => table });
    assert.equal(inodesUsed, 3);
  });

  it('says when there is more than it counted', async () => {
    mkdirSync(join(root, 'a/b/c/d'), { recursive: true });
    assert.deepEqual((await measure(root, { maxDepth: 2 })).isComplete, false);
    assert.equal((await measure(root, { maxDepth: 2 })).inodesUsed, 3);
    assert.equal((await measure(root, { maxMs: 0 })).isComplete, false);
  });

  it('pauses between steps, and ends when it is no longer wanted', async () => {
    for (let index = 0; index < 5; index++) writeFileSync(join(root, `f${index}`), '');
    const stop = new AbortController();
    const limits = { entriesPerStep: 2 };
    const walk = measureTree(root, { clock, signal: stop.signal, limits, readMounts: noMounts });
    walk.catch(() => {});
    while (clock.pendingTimers === 0) await new Promise(setImmediate);
    stop.abort(new Error('no longer wanted'));
    await assert.rejects(walk, /no longer wanted/);
    assert.equal(clock.pendingTimers, 0);
  });
});

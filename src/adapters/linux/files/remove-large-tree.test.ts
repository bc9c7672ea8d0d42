/** Trees that a container can make to use up the memory of the process that removes them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { makeDeepTree, makeWideDirectory } from '../../../../test/samples/sample-trees.ts';

describe('removeTree of a very large tree', () => {
  let base: string;
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'remove-'));
  });
  afterEach(() => rm(base, { recursive: true }));

  /** By how many MiB the memory in use grows in a process that removes the tree, seen at intervals of its CPU time. */
  const removeApart = (tree: string): number => {
    const module = JSON.stringify(new URL('./remove-tree.ts', import.meta.url).href);
    const script = `import(${module}).then(async ({ removeTree }) => {
      let [looks, most, lookedAtUs] = [0, 0, 0];
      const inUse = () => (gc(), process.memoryUsage().heapUsed + process.memoryUsage().external);
      const before = inUse();
      const looking = setInterval(() => {
        const { user } = process.cpuUsage();
        if (user - lookedAtUs < 50_000) return;
        most = Math.max(most, inUse());
        looks++;
        lookedAtUs = process.cpuUsage().user;
      }, 20);
      await removeTree(process.argv[1]);
      clearInterval(looking);
      if (looks === 0) throw new Error('the tree was gone before the first look');
      console.log((most - before) / 2 ** 20);
    })`;
    const args = ['--expose-gc', '--disable-warning=ExperimentalWarning', '-e', script, tree];
    return Number(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' }));
  };

  /** To keep the names of all entries, or 1 KiB for each level, is more. */
  const MAX_GROWN_MIB = 4;

  it('removes directories nested ten thousand deep within little memory', () => {
    const tree = join(base, 'deep');
    makeDeepTree(tree, 10_000, 'n'.repeat(100));
    const grown = removeApart(tree);
    assert.equal(existsSync(tree), false);
    assert.ok(grown < MAX_GROWN_MIB, `grew by ${grown} MiB`);
  });

  it('removes a directory of very many entries within little memory', () => {
    const tree = join(base, 'wide');
    makeWideDirectory(tree, 15_000);
    const grown = removeApart(tree);
    assert.equal(existsSync(tree), false);
    assert.ok(grown < MAX_GROWN_MIB, `grew by ${grown} MiB`);
  });
});

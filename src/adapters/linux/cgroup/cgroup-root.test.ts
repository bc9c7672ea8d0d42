import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CgroupLayout } from './cgroup-layout.ts';
import { findRootProblem } from './cgroup-root.ts';

describe('findRootProblem', () => {
  let base: string;
  let unified: CgroupLayout;
  before(async () => {
    base = await mkdtemp(join(tmpdir(), 'cgroup-root-'));
    unified = { version: 2, root: base };
    for (const path of ['a/b-c', 'a.slice/a-b_c.slice', 'memory/a', 'cpu', 'blkio'])
      mkdirSync(join(base, path), { recursive: true });
  });
  after(() => rm(base, { recursive: true }));

  for (const root of ['', '/', '/a', '/a/b-c'])
    it(`takes ${JSON.stringify(root)}, which is there for both drivers`, () => {
      assert.equal(findRootProblem(unified, root, 'cgroupfs'), undefined);
      assert.equal(findRootProblem(unified, root, 'systemd'), undefined);
    });

  it('refuses one that is not there, with the words of upstream', () => {
    const expected = (path: string): string =>
      `invalid configuration: could not read controllers for cgroup ["a" "b-d"]: open ${base}${path}/cgroup.controllers: no such file or directory`;
    assert.equal(findRootProblem(unified, '/a/b-d', 'cgroupfs'), expected('/a/b-d'));
    assert.equal(findRootProblem(unified, '/a/b-d', 'systemd'), expected('/a.slice/a-b_d.slice'));
  });

  it('wants it in every tree of version 1 that matters to pods', () => {
    const hierarchies = ['memory', 'cpu', 'blkio'].map((name) => ({
      directory: join(base, name),
      controllers: [name],
    }));
    const layout: CgroupLayout = { version: 1, hierarchies };
    assert.equal(findRootProblem(layout, '/', 'cgroupfs'), undefined);
    assert.equal(
      findRootProblem(layout, '/a', 'cgroupfs'),
      `invalid configuration: cgroup ["a"] has some missing paths: ${base}/cpu/a`,
    );
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { CgroupMemoryLimit } from './cgroup-memory-limit.ts';

const directory = mkdtempSync(join(tmpdir(), 'memory-limit-'));
after(() => rmSync(directory, { recursive: true }));
const file = join(directory, 'memory.events.local');

const write = (max: number, high = 0): void =>
  writeFileSync(file, `low 0\nhigh ${high}\nmax ${max}\noom 0\noom_kill 9\noom_group_kill 0\n`);

describe('CgroupMemoryLimit', () => {
  it('reports that the limit was met, and nothing else that the file counts', async () => {
    write(3);
    let met = 0;
    const changed = Promise.withResolvers<void>();
    using _watch = new CgroupMemoryLimit(directory).watch(() => {
      met++;
      changed.resolve();
    });
    write(3, 1);
    write(4, 1);
    await changed.promise;
    assert.equal(met, 1);
  });

  it('fails where the kernel has no such file', () => {
    assert.throws(() => new CgroupMemoryLimit('/nonexistent').watch(() => {}), /^AgentError: cannot watch "/);
  });
});

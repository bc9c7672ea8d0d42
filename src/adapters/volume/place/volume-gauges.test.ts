import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { NEEDS_MOUNTS } from '../../../../test/fakes/mount-right.ts';
import type { Payload } from '../../../core/volume/payload.ts';
import { TreeMeter } from '../../linux/stats/tree-meter.ts';
import { writeAtomically } from './atomic-writer.ts';
import { createContentGauge, createMemoryGauge } from './volume-gauges.ts';

const { signal } = new AbortController();

function toPayload(sizes: Readonly<Record<string, number>>): Payload {
  return new Map(
    Object.entries(sizes).map(([path, size]) => [path, { content: Buffer.alloc(size), mode: 0o644 }]),
  );
}

describe('createMemoryGauge', () => {
  it('shows what a walk through the files finds, version after version', NEEDS_MOUNTS, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gauge-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', directory]);
    try {
      const walked = createContentGauge(directory, new TreeMeter(new FakeClock()));
      const counted = createMemoryGauge(directory);
      for (const sizes of [{}, { token: 1_200, 'ca.crt': 5_000, empty: 0 }, { 'sub/deep/key': 9_000 }]) {
        await writeAtomically({ directory, payload: toPayload(sizes), nowMs: 0, isInMemory: true });
        const reading = await counted.read(signal);
        assert.deepEqual(reading, await walked.read(signal));
        assert.ok((reading?.usage.inodesUsed ?? 0) > Object.keys(sizes).length);
      }
    } finally {
      execFileSync('umount', [directory]);
      rmdirSync(directory);
    }
  });
});

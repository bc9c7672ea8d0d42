/**
 * How many programs start for what nearly every pod has: a token in memory.
 * Each costs the agent some 3 ms of CPU, as much as twenty calls of the runtime.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { LinuxMounter } from './mounter.ts';

let base: string;
let path: string;
let table: string;
let mounter: LinuxMounter;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'programs-'));
  path = process.env['PATH'] ?? '';
  table = '';
  mounter = new LinuxMounter({ listFile: join(base, 'list'), readMounts: async () => table });
  // They do nothing but say that they were started, and take longer than it takes to ask for all.
  for (const name of ['mount', 'umount'])
    writeFileSync(join(base, name), `#!/bin/sh\necho ${name} >>${base}/started\nsleep 0.3\n`, {
      mode: 0o755,
    });
  process.env['PATH'] = `${base}:${path}`;
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(base, { recursive: true });
});

function countPrograms(): number {
  const text = readFileSync(join(base, 'started'), 'utf8');
  rmSync(join(base, 'started'));
  return text.trimEnd().split('\n').length;
}

async function mountTokens(count: number): Promise<readonly string[]> {
  const places = Array.from({ length: count }, (_, index) => join(base, `pod-${index}`, 'token'));
  for (const place of places) mkdirSync(place, { recursive: true });
  const toRequest = (target: string) => ({
    fsType: 'tmpfs',
    source: 'tmpfs',
    target,
    options: ['size=1024'],
  });
  await Promise.all(places.map((target) => mounter.mount(toRequest(target))));
  table = places.map((place, index) => `${index + 2} 1 0:${index} / ${place} rw - tmpfs tmpfs rw`).join('\n');
  return places;
}

describe('programs for the tokens of pods', () => {
  // To be unmounted a place is looked up first, which takes each its own time.
  for (const [pods, mostMounts, mostUnmounts] of [
    [1, 1, 1],
    [30, 1, 3],
  ] as const)
    it(`${pods} at once: at most ${mostMounts} to mount and ${mostUnmounts} to unmount them`, async () => {
      const places = await mountTokens(pods);
      const mounts = countPrograms();
      assert.ok(mounts > 0 && mounts <= mostMounts, `${mounts} to mount`);
      // Those that an earlier run has mounted are found in the table.
      await mounter.mountsBelow(base);
      const ways: readonly ((place: string) => Promise<unknown>)[] = [
        (place) => mounter.unmountMemory(place),
        (place) => mounter.unmount(place),
      ];
      for (const unmount of ways) {
        await Promise.all(places.map(unmount));
        const unmounts = countPrograms();
        assert.ok(unmounts > 0 && unmounts <= mostUnmounts, `${unmounts} to unmount`);
      }
    });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasVanished, type ManifestListing } from './list-manifests.ts';

const directory = (device: bigint, ...paths: string[]): ManifestListing => ({
  kind: 'files',
  isDirectory: true,
  device,
  files: paths.map((path) => ({ path, fingerprint: '' })),
});

describe('hasVanished', () => {
  for (const [name, listing, device, expected] of [
    ['a directory that is gone', { kind: 'missing' }, 1n, true],
    ['an empty mount point whose mount is gone', directory(1n), 2n, true],
    ['an empty directory in its own place', directory(1n), 1n, false],
    ['a directory that was mounted over, with files', directory(2n, '/a'), 1n, false],
    ['a path that was never a directory', { kind: 'missing' }, undefined, false],
    ['a directory that cannot be read', { kind: 'failed', error: 'x' }, 1n, false],
  ] as const)
    it(`${expected ? 'counts' : 'does not count'} ${name}`, () =>
      assert.equal(hasVanished(listing, device), expected));
});

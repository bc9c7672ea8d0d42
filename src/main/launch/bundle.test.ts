import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type BundleFiles, readBundle } from './bundle.ts';
import { packCache } from './compile-cache.ts';

const SOURCE = `require('node:process').emit('bundle ran', 1);`;
const SAME_LENGTH = SOURCE.replace('1', '2');

describe('readBundle', () => {
  let directory: string;
  let files: BundleFiles;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'bundle-'));
    files = { bundle: join(directory, 'kubelet.cjs'), cache: join(directory, 'kubelet.cache') };
    writeFileSync(files.bundle, SOURCE);
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  const writeCache = (): void => {
    const { source, compiled } = readBundle(files, true);
    assert.ok(compiled);
    writeFileSync(files.cache, packCache(source, compiled));
  };

  const ran = (): unknown[] => {
    const seen: unknown[] = [];
    const listener = (value: unknown): void => void seen.push(value);
    process.on('bundle ran', listener);
    readBundle(files).run();
    process.removeListener('bundle ran', listener);
    return seen;
  };

  it('runs without a cache', () => {
    assert.equal(readBundle(files).isCacheRejected, undefined);
    assert.deepEqual(ran(), [1]);
  });

  it('runs from the cache that was made of it', () => {
    writeCache();
    assert.equal(readBundle(files).isCacheRejected, false);
    assert.deepEqual(ran(), [1]);
  });

  it('does not use the cache of another bundle, even of the same length', () => {
    writeCache();
    writeFileSync(files.bundle, SAME_LENGTH);
    assert.equal(readBundle(files).isCacheRejected, undefined);
    assert.deepEqual(ran(), [2]);
  });

  it('does not use a cache that is damaged or cut off', () => {
    writeCache();
    const whole = readFileSync(files.cache);
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(whole.length - 9) ^ 1, whole.length - 9);
    for (const content of [damaged, whole.subarray(0, -100), whole.subarray(0, 32), Buffer.alloc(0)]) {
      writeFileSync(files.cache, content);
      assert.equal(readBundle(files).isCacheRejected, undefined);
    }
    assert.deepEqual(ran(), [1]);
  });

  it('compiles again what V8 refuses, such as the cache of another version', () => {
    writeFileSync(files.cache, packCache(SOURCE, Buffer.alloc(500, 7)));
    assert.equal(readBundle(files).isCacheRejected, true);
    assert.deepEqual(ran(), [1]);
  });
});

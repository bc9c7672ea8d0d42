import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { toFileVerbosity } from './file-verbosity.ts';

describe('toFileVerbosity', () => {
  const cases: readonly (readonly [pattern: string, file: string, fits: boolean])[] = [
    ['reflector', 'reflector', true],
    ['reflector', 'reflectors', false],
    ['pod-*', 'pod-worker', true],
    ['*', 'anything', true],
    ['***a', 'ba', true],
    ['pod-?orker', 'pod-worker', true],
    ['[a-p]od*', 'pod-worker', true],
    ['[^a-o]od*', 'pod-worker', true],
    ['[^p]od*', 'pod-worker', false],
    ['pod.worker', 'pod-worker', false],
    ['(pod)+', 'pod', false],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['[a', 'a', false],
    ['', 'a', false],
  ];
  for (const [filePattern, file, fits] of cases)
    it(`${JSON.stringify(filePattern)} ${fits ? 'fits' : 'does not fit'} ${file}`, () => {
      assert.equal(toFileVerbosity([{ filePattern, verbosity: 4 }])?.(file), fits ? 4 : 0);
    });

  it('takes the first pattern that fits', () => {
    const verbosityOf = toFileVerbosity([
      { filePattern: 'pod-*', verbosity: 2 },
      { filePattern: '*', verbosity: 5 },
    ]);
    assert.deepEqual(
      ['pod-worker', 'reflector', 'pod-worker'].map((file) => verbosityOf?.(file)),
      [2, 5, 2],
    );
    assert.equal(toFileVerbosity([]), undefined);
  });
});

describe('lines with a level', () => {
  it('name the file that they are in', () => {
    const root = new URL('../../', import.meta.url).pathname;
    const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
    );
    let count = 0;
    for (const path of sources) {
      const text = readFileSync(join(root, path), 'utf8');
      for (const [, file] of text.matchAll(/\.debug\(\s*\{\s*file: '([^']+)'/g)) {
        assert.equal(file, basename(path, '.ts'), path);
        count++;
      }
    }
    assert.ok(count >= 20, `only ${count} lines found`);
  });
});

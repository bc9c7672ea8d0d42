/** The documents name only files that exist, and say nothing about targets the Makefile does not have. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCUMENTS = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT });
/** A changelog describes the past. */
const CURRENT = DOCUMENTS.filter((path) => path !== 'CHANGELOG.md');

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('documents: every path in code marks that begins with a folder of ours exists', () => {
  const missing = CURRENT.flatMap((document) =>
    [...textOf(document).matchAll(/`((?:src|test|scripts|docs|proto|bench|bin)\/[\w./-]*)`/g)]
      .map((match) => match[1] ?? '')
      .filter((path) => !existsSync(join(ROOT, path)))
      .map((path) => `${document}: ${path}`),
  );
  assert.deepEqual(missing, []);
});

test('documents: every relative link leads to a file', () => {
  const broken = DOCUMENTS.flatMap((document) =>
    [...textOf(document).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)]
      .map((match) => match[1] ?? '')
      .filter((link) => !existsSync(join(ROOT, dirname(document), link)))
      .map((link) => `${document}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

test('documents: every `make` target they name is in the Makefile', () => {
  const targets = new Set([...textOf('Makefile').matchAll(/^([a-z0-9-]+):/gm)].map((match) => match[1]));
  const unknown = CURRENT.flatMap((document) =>
    [...textOf(document).matchAll(/`make ([a-z0-9-]+)[^`]*`/g)]
      .filter((match) => !targets.has(match[1]))
      .map((match) => `${document}: make ${match[1]}`),
  );
  assert.deepEqual(unknown, []);
});

test('documents: every test that security.md names exists under that title', () => {
  const rows = [...textOf('docs/security.md').matchAll(/`([\w./-]+\.test\.ts)`: "([^"]+)"/g)];
  assert.ok(rows.length >= 8, 'the table is read');
  // A test by itself, or a row of a table of tests.
  const missing = rows.filter(([, file = '', title = '']) => {
    const source = textOf(file);
    return !source.includes(`('${title}'`) && !source.includes(`name: '${title}'`);
  });
  assert.deepEqual(
    missing.map(([row]) => row),
    [],
  );
});

test('documents: every row of a table of holes in security.md names a test, and every CVE one of its name', () => {
  const rows = textOf('docs/security.md')
    .split('\n## ')
    .filter((section) => section.includes('| Hole |'))
    .flatMap((section) => section.split('\n').filter((line) => line.startsWith('| ')))
    .filter((line) => !line.startsWith('| Hole |'));
  assert.ok(rows.length >= 20, 'the tables are read');
  assert.deepEqual(
    rows.filter((row) => !/`[\w./-]+\.test\.ts`: "/.test(row)),
    [],
    'rows without a test',
  );
  const unnamed = rows.filter((row) => {
    const number = /\bCVE-\d{4}-\d+\b/.exec(row)?.[0];
    return number !== undefined && !row.includes(`: "${number}: `);
  });
  assert.deepEqual(unnamed, [], 'a CVE whose test does not carry its number');
});

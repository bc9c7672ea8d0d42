/**
 * Biome, for the files that changed since it last found them in order. What it
 * finds in a file depends on the file's path and text, on biome.json and on
 * its own version: those it remembers, in node_modules/.cache. With other
 * rules, or when Git does not know the files, it looks at all of them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toDigest, toUnclean } from './lint/clean-files.ts';

const ROOT = join(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules/.cache/lint.json');
/** With more than this, naming them gains nothing. */
const MANY = 500;

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(join(ROOT, path));
  } catch {
    return undefined;
  }
}

function listFiles(): string[] | undefined {
  try {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const out = execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return [...new Set(out.split('\0'))].filter((path) => path !== '' && !path.endsWith('.md'));
  } catch {
    return undefined;
  }
}

function readClean(rules: string): ReadonlySet<string> {
  try {
    const { rules: known, clean } = JSON.parse(readFileSync(CACHE, 'utf8'));
    return new Set<string>(known === rules ? clean : []);
  } catch {
    return new Set();
  }
}

const rules = toDigest(
  ['biome.json', 'package.json', '.gitignore', 'node_modules/@biomejs/biome/package.json'].map(read),
);
const files = listFiles()?.map((path) => ({ path, text: read(path) }));
const unclean = files && toUnclean(files, readClean(rules));
if (unclean === undefined || unclean.length > 0) {
  const named = unclean === undefined || unclean.length > MANY ? ['.'] : unclean;
  const flags = ['--files-ignore-unknown=true', '--no-errors-on-unmatched'];
  const biome = join(ROOT, 'node_modules/.bin/biome');
  const { status } = spawnSync(biome, ['check', ...flags, '--', ...named], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
if (files !== undefined) {
  const clean = files.flatMap(({ path, text }) => (text === undefined ? [] : [toDigest([path, text])]));
  mkdirSync(dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, JSON.stringify({ rules, clean }));
  console.log(`lint: ${files.length} files in order, ${unclean?.length ?? files.length} looked at`);
}

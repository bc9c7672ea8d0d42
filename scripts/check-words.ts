/**
 * Fails when a file uses a word that makes a reader guess: "told" where
 * something is logged, published or passed, "nobody" where an actor has a
 * name. Names in code count word by word (`isTold` holds "told"). Prints
 * `file:line "word": what to write` for every use and exits with 1.
 *
 *   node scripts/check-words.ts
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface TextFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface WordFinding {
  readonly path: string;
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

/** A use that stays, such as a text of upstream's. */
export interface AllowedUse {
  readonly path: string;
  /** Part of the line, which distinguishes it from others. Absent: the whole file. */
  readonly text?: string;
  readonly reason: string;
}

/** Everything that is ours: sources, tests, documents and scripts. */
const FILES: readonly string[] = [
  '{src,test,docs,scripts,bench}/**/*.{ts,js,sh,md}',
  '*.md',
  'Makefile',
  'bin/*',
];

const REPORT = 'publish, report, log, record, pass or send';
const ACTOR = 'name the actor, or say what happens without one';
const AGAIN = 'again, re-';

const REFUSED: Readonly<Record<string, string>> = {
  tell: REPORT,
  tells: REPORT,
  telling: REPORT,
  told: REPORT,
  untold: REPORT,
  nobody: ACTOR,
  somebody: ACTOR,
  anybody: ACTOR,
  everybody: ACTOR,
  whoever: ACTOR,
  whomever: ACTOR,
  anew: AGAIN,
  afresh: AGAIN,
  'in vain': 'without effect, never',
  'for want of': 'for lack of',
  'but for': 'except',
  'hears of': REPORT,
  'heard of': REPORT,
  'for ever': 'forever',
};

const ALLOWED: readonly AllowedUse[] = [
  { path: 'scripts/check-words.ts', reason: 'lists the words' },
  { path: 'scripts/check-words.test.ts', reason: 'tries the words' },
  { path: 'scripts/host/images.sh', text: 'nobody:x:65534', reason: 'a user of every Linux system' },
];

const PHRASE = new RegExp(
  `\\b(?:${Object.keys(REFUSED)
    .filter((word) => word.includes(' '))
    .join('|')})\\b`,
  'gi',
);

/** Every refused word in these files, in their order. */
export function checkWords(
  files: readonly TextFile[],
  allowed: readonly AllowedUse[] = ALLOWED,
): WordFinding[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) =>
      findRefused(line)
        .filter(() => !isAllowed(path, line, allowed))
        .map((word) => ({ path, line: index + 1, word, instead: REFUSED[word] ?? '' })),
    ),
  );
}

/** Entries of the allow-list that allow nothing any more. */
export function findStaleUses(files: readonly TextFile[], allowed: readonly AllowedUse[]): AllowedUse[] {
  return allowed.filter(
    (use) =>
      !files.some(({ path, text }) =>
        text.split('\n').some((line) => isAllowed(path, line, [use]) && findRefused(line).length > 0),
      ),
  );
}

function findRefused(line: string): string[] {
  const words = (line.match(/[A-Za-z]+/g) ?? []).flatMap(splitName).map((word) => word.toLowerCase());
  const phrases = (line.match(PHRASE) ?? []).map((phrase) => phrase.toLowerCase());
  return [...words.filter((word) => Object.hasOwn(REFUSED, word)), ...phrases];
}

/** The words of a name: `isTold` is `is` and `Told`, `TOLD_AT` came in two already. */
function splitName(name: string): string[] {
  return name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
}

function isAllowed(path: string, line: string, allowed: readonly AllowedUse[]): boolean {
  return allowed.some((use) => use.path === path && (use.text === undefined || line.includes(use.text)));
}

function main(): number {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const paths = globSync(FILES, { cwd: root }).sort();
  const files = paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  const findings = checkWords(files);
  const stale = findStaleUses(files, ALLOWED);
  for (const { path, line, word, instead } of findings)
    console.error(`${path}:${line} "${word}": ${instead}`);
  for (const { path, text } of stale) console.error(`${path}: allowed but not used: ${text ?? 'any word'}`);
  const isClean = findings.length + stale.length === 0;
  if (isClean) console.log(`words: ${files.length} files in plain English`);
  return isClean ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();

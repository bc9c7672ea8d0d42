/**
 * Fails when a parameter bag (an interface whose name ends in `Parts`,
 * `Ports`, `Settings` or `Assembly`) has more than eight fields: a class or a function
 * that needs more does two things, or its parts belong in groups. Inherited
 * fields count. Prints `file: name has n fields` for every one and exits
 * with 1.
 *
 *   node scripts/check-bags.ts
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface BagFinding {
  readonly path: string;
  readonly name: string;
  readonly fields: number;
}

const MAX_FIELDS = 8;
const BAG = /(?:Parts|Ports|Settings|Assembly)$/;

interface Bag {
  readonly path: string;
  readonly name: string;
  readonly bases: string;
  readonly own: readonly string[];
}

/** Bags that may be larger, each with its reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  AgentPorts: 'its fields are the groups themselves',
  AgentSettings: 'its fields are the groups themselves',
  NodeFactSettings: 'facts of the node status, by their names there',
};

/** Every bag with too many fields, in the order of the files. */
export function checkBags(
  files: readonly SourceFile[],
  maxFields = MAX_FIELDS,
  allowed: Readonly<Record<string, string>> = ALLOWED,
): BagFinding[] {
  const bags = files.flatMap(readBags);
  return bags.flatMap((bag) => {
    const fields = fieldsOf(bag, bags).size;
    const isTooLarge = BAG.test(bag.name) && fields > maxFields && !Object.hasOwn(allowed, bag.name);
    return isTooLarge ? [{ path: bag.path, name: bag.name, fields }] : [];
  });
}

/** The interfaces of a file; the formatter closes each with a brace at the start of a line. */
function readBags({ path, text }: SourceFile): Bag[] {
  return [...text.matchAll(/^(?:export )?interface (\w+)([^{]*)\{\n(.*?)^\}/gms)].map(
    ([, name = '', bases = '', body = '']) => ({ path, name, bases, own: readFields(body) }),
  );
}

/** Names at the first level of indentation: fields and methods. */
function readFields(body: string): string[] {
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, field = '']) => field);
}

/** Own fields, those picked from other interfaces, and those of known interfaces it extends. */
function fieldsOf(bag: Bag, bags: readonly Bag[]): Set<string> {
  const picked = [...bag.bases.matchAll(/Pick<\s*\w+,([^>]*)>/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/'(\w+)'/g)].map(([, field = '']) => field),
  );
  const bases = bag.bases.replace(/\w+<[^>]*>/g, '').match(/\w+/g) ?? [];
  const inherited = bases.flatMap((base) => {
    const known = bags.filter(({ name }) => name === base && base !== bag.name);
    const near = known.find(({ path }) => path === bag.path) ?? known[0];
    return near === undefined ? [] : [...fieldsOf(near, bags)];
  });
  return new Set([...bag.own, ...picked, ...inherited]);
}

function main(): number {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const paths = globSync('src/**/*.ts', { cwd: root })
    .filter((path) => !path.startsWith('src/gen/') && !path.endsWith('.test.ts'))
    .sort();
  const findings = checkBags(paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })));
  for (const { path, name, fields } of findings)
    console.error(`${path}: ${name} has ${fields} fields, at most ${MAX_FIELDS} are allowed`);
  if (findings.length === 0)
    console.log(`bags: ${paths.length} files without a bag above ${MAX_FIELDS} fields`);
  return findings.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();

/**
 * Our TypeScript types of API objects beside the API server's, with the type
 * checker as the judge: the server's schemas are rendered as interfaces, and a
 * type computes the path of every field of ours that they do not have, or
 * have with another type.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OpenApiSchema, type OpenApiSchemas, toRefName } from './openapi-document.ts';

export interface TypePair {
  /** An exported type, and its file relative to `src`. */
  readonly ours: string;
  readonly file: string;
  /** The full name of the schema. */
  readonly theirs: string;
  /** Differences that are meant, as paths that the comparison reports. */
  readonly known?: readonly string[];
}

const WRONG = `
type Wrong<O, U, P extends string> = unknown extends O ? never
  : O extends readonly (infer A)[] ? (U extends readonly (infer B)[] ? Wrong<A, B, P> : \`\${P} is no list\`)
  : O extends object
    ? U extends object
      ? string extends keyof O
        ? string extends keyof U ? Wrong<O[keyof O], U[keyof U], P> : \`\${P} is no map\`
        : { [K in keyof O & string]-?: K extends keyof U
            ? Wrong<NonNullable<O[K]>, NonNullable<U[K]>, \`\${P}.\${K}\`>
            : \`\${P}.\${K} is missing\` }[keyof O & string]
      : \`\${P} is no object\`
  : O extends U ? never : \`\${P} has another type\`;
type Expect<T, Known extends string> =
  [Exclude<T, Known>] extends [never] ? ([Exclude<Known, T>] extends [never] ? true : ['stale', Exclude<Known, T>]) : T;
`;

/** What the type checker says: empty when every field of every pair is in order. */
export async function compareTypes(pairs: readonly TypePair[], schemas: OpenApiSchemas): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-types-'));
  try {
    await writeFile(join(folder, 'upstream.ts'), renderSchemas(schemas));
    await writeFile(join(folder, 'compare.ts'), renderPairs(pairs));
    return await checkTypes(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function checkTypes(folder: string): Promise<string> {
  const tsc = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url));
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--allowImportingTsExtensions',
    '--noErrorTruncation',
  ];
  const target = ['--target', 'es2024', '--module', 'nodenext', '--types', '', '--ignoreConfig'];
  return new Promise((resolve, reject) => {
    execFile(tsc, [...options, ...target, 'compare.ts'], { cwd: folder }, (error, stdout, stderr) => {
      if (error !== null && stdout === '')
        reject(new Error(`cannot check types: ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}

function renderPairs(pairs: readonly TypePair[]): string {
  const source = fileURLToPath(new URL('../../../src/', import.meta.url));
  const lines = pairs.flatMap(({ ours, file, theirs, known = [] }, at) => [
    `import type { ${ours} as Ours${at} } from '${source}${file}';`,
    `import type { ${toIdentifier(theirs)} as Theirs${at} } from './upstream.ts';`,
    `export const check${at}: Expect<Wrong<Ours${at}, Theirs${at}, '${ours}'>, ` +
      `${known.length === 0 ? 'never' : known.map((path) => `'${path}'`).join(' | ')}> = true;`,
  ]);
  return `${lines.join('\n')}\n${WRONG}`;
}

export function renderSchemas(schemas: OpenApiSchemas): string {
  return [...schemas]
    .map(([name, schema]) => `export type ${toIdentifier(name)} = ${render(schema)};\n`)
    .join('');
}

function render(schema: OpenApiSchema): string {
  const ref = toRefName(schema);
  if (ref !== undefined) return toIdentifier(ref);
  if (schema.oneOf !== undefined) return schema.oneOf.map(render).join(' | ');
  if (schema.items !== undefined) return `readonly (${render(schema.items)})[]`;
  if (schema.additionalProperties !== undefined)
    return `Readonly<Record<string, ${render(schema.additionalProperties)}>>`;
  if (schema.properties !== undefined)
    return `{ ${Object.entries(schema.properties)
      .map(([name, one]) => `${JSON.stringify(name)}?: ${render(one)}`)
      .join('; ')} }`;
  if (schema.type === 'integer') return 'number';
  return ['string', 'number', 'boolean'].includes(schema.type ?? '') ? String(schema.type) : 'unknown';
}

function toIdentifier(name: string): string {
  return name.replace(/\W/g, '_');
}

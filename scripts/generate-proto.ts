/**
 * Generates src/gen/<name>.ts from proto/<name>.proto: plain interfaces, one
 * encoder and one decoder per message, and a table of RPCs per service, on
 * top of src/gen/wire.ts. Understands the part of proto3 our schemas use and
 * refuses everything else.
 *
 *   node scripts/generate-proto.ts           writes the files
 *   node scripts/generate-proto.ts --check   fails when one is out of date
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSchema } from './proto/parse-schema.ts';
import { renderSchema } from './proto/render-schema.ts';

const root = new URL('..', import.meta.url);
const check = process.argv.includes('--check');
for (const file of readdirSync(new URL('proto/', root)).filter((name) => name.endsWith('.proto'))) {
  const source = `proto/${file}`;
  const target = new URL(`src/gen/${file.replace(/\.proto$/, '.ts')}`, root);
  const text = renderSchema(source, parseSchema(readFileSync(new URL(source, root), 'utf8')));
  if (!check) writeFileSync(target, text);
  else if (readFileSync(target, 'utf8') !== text) {
    console.error(`${fileURLToPath(target)} is out of date: run node scripts/generate-proto.ts`);
    process.exitCode = 1;
  }
}

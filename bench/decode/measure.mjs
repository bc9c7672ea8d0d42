/**
 * The child of decode.ts, plain JavaScript so that type stripping is not part
 * of what is measured: imports one codec, reports its memory, then times it.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , bundle, sample] = process.argv;
const rss = () => {
  for (let i = 0; i < 5; i++) globalThis.gc?.();
  return process.memoryUsage().rss / 2 ** 20;
};
const bytes = readFileSync(sample);
const before = rss();
const started = performance.now();
const { decode } = await import(pathToFileURL(bundle).href);
const importMs = performance.now() - started;
const imported = rss();
for (let i = 0; i < 300; i++) decode(bytes);
const rounds = 2000;
const begin = performance.now();
for (let i = 0; i < rounds; i++) decode(bytes);
const microsPerOp = ((performance.now() - begin) * 1000) / rounds;
console.log(
  `+${(imported - before).toFixed(1)} MiB after import (${importMs.toFixed(0)} ms), ` +
    `${microsPerOp.toFixed(0)} µs per list of ${bytes.byteLength} bytes`,
);

/**
 * Puts files and lines of the sources into a stack trace of a bundle that was
 * made from this very tree (`make stack`): the bundle itself has short names,
 * because names that are kept at run time take memory and time.
 *
 * usage: node scripts/read-stack.ts MAP < trace.txt
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { text } from 'node:stream/consumers';

/** With the name of its function, where it has one. */
const FRAME = /(?:[^\s(]+ \()?[^\s(]*kubelet\.cjs:(\d+):(\d+)\)?/g;

/** Frames outside the bundle, and all else, stay as they are. */
export function readStack(trace: string, map: Pick<SourceMap, 'findOrigin'>): string {
  return trace.replace(FRAME, (frame, line, column) => {
    const origin = map.findOrigin(Number(line), Number(column));
    if (!('fileName' in origin)) return frame;
    const { fileName, lineNumber, columnNumber } = origin;
    return `${fileName.replace(/^(?:\.\.\/)+/, '')}:${lineNumber}:${columnNumber}`;
  });
}

if (import.meta.main) {
  const [path = ''] = process.argv.slice(2);
  process.stdout.write(
    readStack(await text(process.stdin), new SourceMap(JSON.parse(readFileSync(path, 'utf8')))),
  );
}

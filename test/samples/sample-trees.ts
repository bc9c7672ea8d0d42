/** Trees as only a hostile container makes them, built through open directories: no path could name their end. */
import { closeSync, constants, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Directories nested `depth` times in `top`, with a file at the end. */
export function makeDeepTree(top: string, depth: number, name = 'd'): void {
  mkdirSync(top, { recursive: true });
  const flags = constants.O_RDONLY | constants.O_DIRECTORY;
  let directory = openSync(top, flags);
  for (let level = 0; level < depth; level++) {
    const next = `/proc/self/fd/${directory}/${name}`;
    mkdirSync(next);
    const opened = openSync(next, flags);
    closeSync(directory);
    directory = opened;
  }
  writeFileSync(`/proc/self/fd/${directory}/file`, '');
  closeSync(directory);
}

/** `count` empty files in one directory. */
export function makeWideDirectory(top: string, count: number): void {
  mkdirSync(top, { recursive: true });
  for (let index = 0; index < count; index++)
    closeSync(openSync(join(top, `${index}-${'n'.repeat(200)}`), 'w'));
}

/**
 * Files whose content is kept current: re-read after any event in their
 * directories, and once a minute in case an event was lost. Only a change of
 * content counts; a touched file is no change.
 */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, sleep } from '../../base/async/clock.ts';
import { DirectoryWatcher } from '../linux/files/directory-watcher.ts';
import { toHostError } from '../linux/host-error.ts';

const RECHECK_MS = 60_000;
/** A pair of files is seldom replaced in one step. */
const SETTLE_MS = 100;

export interface WatchedFilesSettings {
  readonly paths: readonly string[];
  readonly clock: Clock;
  /** Gets the contents, in the order of the paths, each time they changed; the next change waits for it. */
  readonly onContent: (contents: readonly string[]) => void | Promise<void>;
  /** The files cannot be read, or their content was refused; the previous content stays in use. */
  readonly onProblem: (error: unknown) => void;
}

/** Reads the files now; rejects with AgentError. */
export function readFiles(paths: readonly string[]): Promise<readonly string[]> {
  return Promise.all(
    paths.map(async (path) => {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        throw toHostError('read', path, error);
      }
    }),
  );
}

/** Watches until `stop` aborts. `known` is what the caller has read already. */
export async function watchFiles(
  { paths, clock, onContent, onProblem }: WatchedFilesSettings,
  known: readonly string[],
  stop: AbortSignal,
): Promise<void> {
  let wake = new AbortController();
  using watchers = new DisposableStack();
  const directories = [...new Set(paths.map((path) => dirname(path)))].map((directory) => {
    const watcher = watchers.use(new DirectoryWatcher(() => wake.abort()));
    return { directory, watcher };
  });
  let seen = known.join('\0');
  let problem = '';
  while (!stop.aborted) {
    for (const { directory, watcher } of directories) await watcher.follow(directory);
    wake = new AbortController();
    try {
      const contents = await readFiles(paths);
      const text = contents.join('\0');
      if (text !== seen) {
        seen = text;
        await onContent(contents);
      }
      problem = '';
    } catch (error) {
      // Once per problem: the re-read every minute would repeat it forever.
      if (String(error) !== problem) onProblem(error);
      problem = String(error);
    }
    await sleep(clock, RECHECK_MS, AbortSignal.any([stop, wake.signal]));
    if (!stop.aborted && wake.signal.aborted) await sleep(clock, SETTLE_MS, stop);
  }
}

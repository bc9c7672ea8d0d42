// Runs one of upstream's suites with its output in log.txt, and prints every half minute how far it is.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface SuiteRun {
  readonly program: string;
  readonly args: readonly string[];
  /** The directory of log.txt. */
  readonly output: string;
  /** Stands in brackets before each line of progress. */
  readonly label: string;
}

/** A regular expression for the test of that name alone. RegExp.escape would write escapes that Go's syntax does not have. */
export function toFocusOn(name: string): string {
  return `${name.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`;
}

const PROGRESS_MS = 30_000;

/** Resolves when the suite has ended, however it did. An interrupt of this process goes to the suite once. */
export async function runSuite({ program, args, output, label }: SuiteRun): Promise<void> {
  // A process group of its own: a terminal would send the suite a second interrupt, which ends it without cleaning up.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const log = createWriteStream(join(output, 'log.txt'));
  let done = 0;
  let failed = 0;
  // A dot per test that ran, and a word behind it if it failed. A word torn in two is only missed here.
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    done += text.match(/•/g)?.length ?? 0;
    failed += text.match(/• \[(?:FAILED|PANICKED|TIMEDOUT)\]/g)?.length ?? 0;
  });
  child.stderr.pipe(log, { end: false });
  const started = Date.now();
  const ticker = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    process.stdout.write(`[${label}] ${seconds}s: ${done} tests done, ${failed} failed\n`);
  }, PROGRESS_MS);
  const stop = () => child.kill('SIGINT');
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const ended = new Promise<void>((resolve, reject) =>
      child.once('error', reject).once('close', () => resolve()),
    );
    await Promise.all([ended, pipeline(child.stdout, log)]);
  } finally {
    clearInterval(ticker);
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

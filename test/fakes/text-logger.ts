/** The real logger for tests that read its lines, or want none: all of one time and process. */
import { createLogger, type Logger } from '../../src/base/log.ts';

/** `write` gets each line as it would stand in the log. */
export function textLogger(write: (line: string) => void): Logger {
  return createLogger({ format: 'text', verbosity: 0, now: () => 0, pid: 1, write });
}

export const silentLogger: Logger = textLogger(() => {});

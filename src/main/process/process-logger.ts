/**
 * The logger of the process: text or JSON lines on stderr, or split between
 * stdout and stderr, at the configured verbosity.
 */
import { createLogger, type Logger, type LogSettings } from '../../base/log.ts';
import type { LoggingConfiguration } from '../config/kubelet-configuration.ts';

export interface ProcessLogger extends Logger {
  /** Counts from the next line on, also for loggers made of this one. */
  setVerbosity(level: number): void;
}

export function createProcessLogger(
  { format, verbosity, options }: LoggingConfiguration,
  write = toStreams((format === 'json' ? options.json : options.text).splitStream),
): ProcessLogger {
  let level = verbosity;
  const logger = createLogger({
    format: format === 'json' ? 'json' : 'text',
    get verbosity() {
      return level;
    },
    now: Date.now,
    pid: process.pid,
    write,
  });
  return {
    ...logger,
    setVerbosity: (wanted) => {
      level = wanted;
    },
  };
}

function toStreams(split: boolean): LogSettings['write'] {
  return (line, severity) => {
    const stream = split && severity === 'info' ? process.stdout : process.stderr;
    stream.write(`${line}\n`);
  };
}

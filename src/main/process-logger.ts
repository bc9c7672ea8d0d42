/**
 * The logger of the process: text or JSON lines on stderr, or split between
 * stdout and stderr, at the configured verbosity.
 */
import { createLogger, type Logger } from '../base/log.ts';
import type { LoggingConfiguration } from './config/kubelet-configuration.ts';

export function createProcessLogger({ format, verbosity, options }: LoggingConfiguration): Logger {
  const split = (format === 'json' ? options.json : options.text).splitStream;
  return createLogger({
    format: format === 'json' ? 'json' : 'text',
    verbosity,
    now: Date.now,
    pid: process.pid,
    write: (line, severity) => {
      const stream = split && severity === 'info' ? process.stdout : process.stderr;
      stream.write(`${line}\n`);
    },
  });
}

/**
 * The logger of the process: text or JSON lines on stderr, or split between
 * stdout and stderr, at the configured verbosities. Lines are written at once,
 * except those of a split stdout that has a buffer. Where stderr is the journal
 * of systemd, lines carry their priority.
 */
import { createLogger, type Logger, type LogSettings } from '../../base/log.ts';
import { parseQuantity, quantityToBytes } from '../../core/api/quantity.ts';
import type { LoggingConfiguration } from '../config/kubelet-configuration.ts';
import { durationMs } from '../config/parse-duration.ts';
import { BufferedLines } from './buffered-lines.ts';
import { toFileVerbosity } from './file-verbosity.ts';
import { isJournalStream, toJournalLine } from './journal-stream.ts';

export interface ProcessLogger extends Logger {
  /** Counts from the next line on, also for loggers made of this one. */
  setVerbosity(level: number): void;
  /** Writes what is still in a buffer; to be called before the process ends. */
  flush(): void;
}

interface LineOutput {
  readonly write: LogSettings['write'];
  readonly flush: () => void;
}

export function createProcessLogger(
  config: LoggingConfiguration,
  write?: LogSettings['write'],
  journalStream = process.env['JOURNAL_STREAM'],
): ProcessLogger {
  const { format, verbosity, vmodule } = config;
  const output =
    write === undefined ? toStreams(config, isJournalStream(journalStream)) : { write, flush: () => {} };
  let level = verbosity;
  const logger = createLogger({
    format: format === 'json' ? 'json' : 'text',
    get verbosity() {
      return level;
    },
    verbosityOf: toFileVerbosity(vmodule),
    now: Date.now,
    pid: process.pid,
    write: output.write,
  });
  return {
    ...logger,
    setVerbosity: (wanted) => {
      level = wanted;
    },
    flush: output.flush,
  };
}

function toStreams(
  { format, flushFrequency, options }: LoggingConfiguration,
  hasJournal: boolean,
): LineOutput {
  const { splitStream, infoBufferSize } = format === 'json' ? options.json : options.text;
  const toStderr: LogSettings['write'] = (line, severity) =>
    void process.stderr.write(`${hasJournal ? toJournalLine(line, severity) : line}\n`);
  if (!splitStream) return { write: toStderr, flush: () => {} };
  const lines = new BufferedLines({
    sizeBytes: quantityToBytes(parseQuantity(infoBufferSize)),
    flushMs: durationMs(flushFrequency),
    write: (text) => void process.stdout.write(text),
  });
  return {
    write: (line, severity) => (severity === 'info' ? lines.add(`${line}\n`) : toStderr(line, severity)),
    flush: () => lines.flush(),
  };
}

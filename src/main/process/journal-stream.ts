/**
 * The journal of systemd as the place of the log. It takes the priority of a line from a prefix and adds the unit and
 * the process itself. Fields of our own would have to go to its socket for datagrams, which Node cannot send to.
 */
import { fstatSync } from 'node:fs';
import type { LogLine } from '../../base/log.ts';

const STDERR = 2;
/** As syslog counts. */
const PREFIXES: Readonly<Record<LogLine['severity'], string>> = {
  error: '<3>',
  warning: '<4>',
  info: '<6>',
};

/**
 * `named` is what systemd says about the stream it has connected (`JOURNAL_STREAM`). The variable is inherited, and may
 * be about a stream of the program that started this one: only the same file counts.
 */
export function isJournalStream(named: string | undefined, descriptor = STDERR): boolean {
  if (named === undefined) return false;
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    return named === `${dev}:${ino}`;
  } catch {
    // It is closed.
    return false;
  }
}

export function toJournalLine(line: string, severity: LogLine['severity']): string {
  return `${PREFIXES[severity]}${line}`;
}

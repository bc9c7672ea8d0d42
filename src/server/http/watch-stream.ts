/**
 * A watched list: one line of JSON per entry that was added, changed or
 * removed, as the API's watches write them. Changes in quick succession become
 * one; a slow reader gets the newest state, not a backlog.
 */
import type { Clock } from '../../base/async/clock.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import type { ReplySink } from './http-exchange.ts';

export interface WatchedList {
  /** Entries by a stable key; plain JSON data. */
  read(): ReadonlyMap<string, unknown>;
  subscribe(listener: () => void): Disposable;
}

export interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: unknown;
}

/** Writes until `signal` aborts; begins with all current entries. */
export async function streamChanges(
  list: WatchedList,
  sink: ReplySink,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const mailbox = new Mailbox(clock);
  using _subscription = list.subscribe(() => mailbox.post('changed'));
  let sent = new Map<string, string>();
  while (!signal.aborted) {
    const now = renderAll(list);
    const lines = toLines(sent, now);
    sent = now;
    if (lines !== '') await sink.write(Buffer.from(lines));
    await mailbox.wait(signal);
  }
}

function renderAll(list: WatchedList): Map<string, string> {
  return new Map([...list.read()].map(([key, entry]) => [key, JSON.stringify(entry)]));
}

function toLines(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string {
  const lines: string[] = [];
  for (const [key, object] of before) if (!now.has(key)) lines.push(toLine('DELETED', object));
  for (const [key, object] of now) {
    const old = before.get(key);
    if (old !== object) lines.push(toLine(old === undefined ? 'ADDED' : 'MODIFIED', object));
  }
  return lines.join('');
}

function toLine(type: WatchLine['type'], object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}

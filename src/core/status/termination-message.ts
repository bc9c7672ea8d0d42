/**
 * The termination message of a container: which text is used (the file it
 * wrote or the end of its log), how it is joined to the runtime's own message
 * and how it is truncated. Reading is done elsewhere; the limits live here.
 */
import type { Pod } from '../api/pod.ts';
import { allContainersOf } from '../model/pod-containers.ts';

/** Of the termination file only this tail counts. */
export const TERMINATION_FILE_BYTES = 4096;
/** Of the log at most this many last lines, and of those this many last bytes. */
const TERMINATION_LOG_LINES = 80;
const TERMINATION_LOG_BYTES = 2048;
/** All messages of one pod share this many bytes. */
const POD_MESSAGES_BYTES = 12288;

/** The runtime's reason for a process that could not be executed at all: its log says nothing. */
const CANNOT_RUN_REASON = 'ContainerCannotRun';

const DECODER = new TextDecoder();

export interface EndedContainer {
  readonly policy: string | undefined;
  readonly exitCode: number;
  readonly reason: string;
}

/** True when the log is used because the file is empty; `fileText` is '' for a missing file or mount. */
export function wantsLogFallback(ended: EndedContainer, fileText: string): boolean {
  return (
    ended.policy === 'FallbackToLogsOnError' &&
    ended.exitCode !== 0 &&
    ended.reason !== CANNOT_RUN_REASON &&
    fileText === ''
  );
}

/** What is shown when the file is there but cannot be read. */
export function renderFileError(path: string, why: string): string {
  return `Error on reading termination log ${path}: ${why}`;
}

/** What is shown when the log cannot be read. */
export function renderLogError(why: string): string {
  return `Error on reading termination message from logs: ${why}`;
}

/** The part of the termination file that counts, as text. */
export function toFileText(content: Uint8Array): string {
  return decodeTail(content, TERMINATION_FILE_BYTES);
}

/** The part of a log (plain text, one entry per line) that counts. */
export function toLogText(log: string): string {
  const ended = log.endsWith('\n');
  const lines = (ended ? log.slice(0, -1) : log).split('\n').slice(-TERMINATION_LOG_LINES).join('\n');
  return decodeTail(new TextEncoder().encode(ended ? `${lines}\n` : lines), TERMINATION_LOG_BYTES);
}

/** The runtime's message followed by the container's own text. */
export function joinMessage(runtimeMessage: string, text: string): string {
  return runtimeMessage === '' || text === '' ? runtimeMessage + text : `${runtimeMessage}: ${text}`;
}

/** How many bytes one message of this pod may have. */
export function messageLimit(pod: Pod): number {
  const count = allContainersOf(pod).length;
  return Math.floor(POD_MESSAGES_BYTES / Math.max(1, count));
}

/** The longest prefix of whole characters within the limit. */
export function cutMessage(message: string, maxBytes: number): string {
  // A UTF-16 unit needs at most three bytes: short messages need no encoding.
  if (message.length * 3 <= maxBytes) return message;
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= maxBytes) return message;
  let end = maxBytes;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return DECODER.decode(bytes.subarray(0, end));
}

function decodeTail(bytes: Uint8Array, maxBytes: number): string {
  if (bytes.length <= maxBytes) return DECODER.decode(bytes);
  let start = bytes.length - maxBytes;
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  return DECODER.decode(bytes.subarray(start));
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

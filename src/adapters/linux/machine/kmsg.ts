/**
 * The port KernelMessages on /dev/kmsg. A read gives one message and never
 * waits: the file is open without blocking and looked at every few seconds, since
 * Node cannot wait for such a file without giving up one of its threads. A read
 * takes a few microseconds; when there is much to read, others get their turn.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { type Clock, sleep } from '../../../base/async/clock.ts';
import type { KernelMessages } from '../../../ports/host/kernel-messages.ts';
import { hasErrno, toHostError } from '../host-error.ts';

/** The kernel keeps what comes meanwhile. */
const PERIOD_MS = 10_000;
/** Between two portions of a log that is long. */
const PAUSE_MS = 5;
const PORTION = 256;
/** The kernel refuses to fill a smaller buffer than a message needs; its own limit is 8 KiB. */
const BUFFER_BYTES = 16 * 1024;

export class Kmsg implements KernelMessages {
  readonly #clock: Clock;
  readonly #path: string;

  constructor(clock: Clock, path = '/dev/kmsg') {
    this.#clock = clock;
    this.#path = path;
  }

  async follow(onMessage: (text: string) => void, onLost: () => void, stop: AbortSignal): Promise<void> {
    const fd = this.#open();
    const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    try {
      while (!stop.aborted) {
        const isDrained = this.#readPortion(fd, buffer, onMessage, onLost);
        await sleep(this.#clock, isDrained ? PERIOD_MS : PAUSE_MS, stop);
      }
    } finally {
      closeSync(fd);
    }
  }

  #open(): number {
    try {
      return openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      throw toHostError('open', this.#path, error);
    }
  }

  /** True when there is nothing more to read now. */
  #readPortion(fd: number, buffer: Buffer, onMessage: (text: string) => void, onLost: () => void): boolean {
    for (let count = 0; count < PORTION; count++) {
      try {
        const length = readSync(fd, buffer);
        if (length === 0) return true;
        onMessage(toMessageText(buffer.toString('utf8', 0, length)));
      } catch (error) {
        if (hasErrno(error, 'EAGAIN')) return true;
        // Overwritten meanwhile: the next read goes on with the oldest there is.
        if (hasErrno(error, 'EPIPE')) onLost();
        else throw toHostError('read', this.#path, error);
      }
    }
    return false;
  }
}

/** From `<priority>,<sequence>,<time>,<flags>;<text>` and lines with fields that begin with a space. */
export function toMessageText(record: string): string {
  const [first = ''] = record.slice(record.indexOf(';') + 1).split('\n', 1);
  return first;
}

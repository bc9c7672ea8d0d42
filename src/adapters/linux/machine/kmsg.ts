/**
 * The port KernelMessages on /dev/kmsg. A read gives one message and never
 * waits: the file is open without blocking, since Node cannot wait for such a
 * file without giving up one of its threads. A network or a disk can write much
 * there, so nothing is read while the kernel's own count of kills stays as it is.
 *
 *   read all ──20 s──► read all ──► look at the count every 20 s ──it changed──► read all …
 *
 * The second time is for a kill that is counted and not yet in the log.
 */
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { type Clock, sleep } from '../../../base/async/clock.ts';
import type { KernelMessages } from '../../../ports/host/kernel-messages.ts';
import { hasErrno, toHostError } from '../host-error.ts';

const PERIOD_MS = 20_000;
/** Between two portions of a log that is long. */
const PAUSE_MS = 5;
const PORTION = 256;
/** The kernel refuses to fill a smaller buffer than a message needs; its own limit is 8 KiB. */
const BUFFER_BYTES = 16 * 1024;

/** Other places for tests. */
export interface KmsgPlaces {
  readonly log: string;
  readonly counters: string;
}

const MACHINE: KmsgPlaces = { log: '/dev/kmsg', counters: '/proc/vmstat' };

type Receivers = readonly [onMessage: (text: string) => void, onLost: () => void];

export class Kmsg implements KernelMessages {
  readonly #clock: Clock;
  readonly #places: KmsgPlaces;
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);

  constructor(clock: Clock, places = MACHINE) {
    this.#clock = clock;
    this.#places = places;
  }

  async followKills(onMessage: (text: string) => void, onLost: () => void, stop: AbortSignal): Promise<void> {
    const fd = this.#open();
    try {
      while (!stop.aborted) {
        const kills = this.#readKills();
        await this.#readAll(fd, [onMessage, onLost], stop);
        await sleep(this.#clock, PERIOD_MS, stop);
        await this.#readAll(fd, [onMessage, onLost], stop);
        while (!stop.aborted && kills !== undefined && this.#readKills() === kills)
          await sleep(this.#clock, PERIOD_MS, stop);
      }
    } finally {
      closeSync(fd);
    }
  }

  #open(): number {
    const { log } = this.#places;
    try {
      return openSync(log, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      throw toHostError('open', log, error);
    }
  }

  /** Undefined where the kernel does not count: then the log is read each time. */
  #readKills(): string | undefined {
    try {
      return /^oom_kill \d+$/m.exec(readFileSync(this.#places.counters, 'utf8'))?.[0];
    } catch {
      return undefined;
    }
  }

  /** A read takes a few microseconds; when there is much to read, others get their turn. */
  async #readAll(fd: number, receivers: Receivers, stop: AbortSignal): Promise<void> {
    while (!stop.aborted && !this.#readPortion(fd, receivers)) await sleep(this.#clock, PAUSE_MS, stop);
  }

  /** True when there is nothing more to read now. */
  #readPortion(fd: number, [onMessage, onLost]: Receivers): boolean {
    for (let count = 0; count < PORTION; count++) {
      try {
        const length = readSync(fd, this.#buffer);
        if (length === 0) return true;
        onMessage(toMessageText(this.#buffer.toString('utf8', 0, length)));
      } catch (error) {
        if (hasErrno(error, 'EAGAIN')) return true;
        // Overwritten meanwhile: the next read goes on with the oldest there is.
        if (hasErrno(error, 'EPIPE')) onLost();
        else throw toHostError('read', this.#places.log, error);
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

/**
 * Finds a peer that is gone without a word: packets dropped, a half-open
 * connection, a frozen server. Received bytes are signs of life; when none
 * came for a while a ping must be answered in time, else the session ends.
 */
import type { Socket } from 'node:net';
import type { Clock } from '../../../base/async/clock.ts';
import type { H2Session } from '../../h2/h2-session.ts';

export interface PeerWatchSettings {
  readonly clock: Clock;
  readonly readIdleMs: number;
  readonly pingTimeoutMs: number;
}

export interface PeerWatch extends Disposable {
  /** Pings at once, without waiting for silence. */
  readonly checkNow: () => void;
}

/** Watches until disposed; a dead peer destroys the session with an error that says so. */
export function watchPeer(session: H2Session, socket: Socket, settings: PeerWatchSettings): PeerWatch {
  const { clock, readIdleMs, pingTimeoutMs } = settings;
  let seenBytes = socket.bytesRead;
  let tick: Disposable | undefined;
  let verdict: Disposable | undefined;

  const wait = (): void => {
    seenBytes = socket.bytesRead;
    tick = clock.startTimer(readIdleMs, look);
  };
  const look = (): void => {
    if (socket.bytesRead !== seenBytes) wait();
    else checkNow();
  };
  const checkNow = (): void => {
    if (verdict !== undefined || session.isDestroyed) return;
    tick?.[Symbol.dispose]();
    const bytesBefore = socket.bytesRead;
    verdict = clock.startTimer(pingTimeoutMs, () => {
      verdict = undefined;
      // Anything received is as good as the answer, which may stand behind a large list.
      if (socket.bytesRead !== bytesBefore) wait();
      else session.destroy(new Error(`no answer to a ping within ${pingTimeoutMs} ms`));
    });
    session.ping(() => {
      if (verdict === undefined) return;
      verdict[Symbol.dispose]();
      verdict = undefined;
      wait();
    });
  };

  wait();
  return {
    checkNow,
    [Symbol.dispose]: () => {
      tick?.[Symbol.dispose]();
      verdict?.[Symbol.dispose]();
      verdict = undefined;
    },
  };
}

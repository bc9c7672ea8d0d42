/** A machine that can be shut down, with a lock that outlives its connections. */
import { Emitter } from '../../src/base/async/emitter.ts';
import { whenAborted } from '../../src/base/async/when-aborted.ts';
import { AgentError } from '../../src/base/errors.ts';
import type { HostShutdown, HostShutdownLink } from '../../src/ports/host/host-shutdown.ts';

export class FakeHostShutdown implements HostShutdown {
  /** What was asked of it, in order. */
  readonly calls: string[] = [];
  delayMs = 5_000;
  /** The machine does not take a longer delay over. */
  keepsDelay = false;
  isPending = false;
  isLocked = false;
  /** It does not confirm the lock in time. */
  confirmsLate = false;
  /** By the name of the method: why it fails. */
  readonly failures = new Map<string, string>();
  readonly #signals = new Emitter<[boolean]>();
  #loss = new AbortController();

  async connect(): Promise<HostShutdownLink> {
    this.#call('connect');
    this.#loss = new AbortController();
    const { signal: lost } = this.#loss;
    const call = (method: string): void => {
      if (lost.aborted) throw new AgentError('unavailable', 'hung up');
      this.#call(method);
    };
    return {
      lost,
      readDelayMs: async () => {
        call('readDelayMs');
        return this.delayMs;
      },
      raiseDelay: async (seconds) => {
        call(`raiseDelay ${seconds}`);
        if (!this.keepsDelay) this.delayMs = seconds * 1000;
      },
      isPending: async () => {
        call('isPending');
        return this.isPending;
      },
      subscribe: (listener) => this.#signals.subscribe(listener),
      takeLock: async (signal) => {
        call('takeLock');
        this.isLocked = true;
        if (!this.confirmsLate) return;
        await whenAborted(signal);
        throw new AgentError('cancelled', 'not confirmed');
      },
      releaseLock: async () => {
        call('releaseLock');
        this.isLocked = false;
      },
      [Symbol.dispose]: () => void this.calls.push('hang up'),
    };
  }

  /** A shutdown begins or is called off. */
  announce(isPending: boolean): void {
    this.isPending = isPending;
    this.#signals.emit(isPending);
  }

  lose(): void {
    this.#loss.abort();
  }

  #call(method: string): void {
    this.calls.push(method);
    const failure = this.failures.get(method.split(' ')[0] ?? '');
    if (failure !== undefined) throw new AgentError('failed-precondition', failure);
  }
}

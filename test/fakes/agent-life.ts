/**
 * One life of the agent, for tests that kill it. JavaScript cannot kill code
 * that waits, so every fake hands the agent a connection bound to its life:
 * after the kill no promise of it settles, no timer fires and no new call has
 * an effect, which is all the outside world sees of a dead process.
 *
 * What a call under way leaves behind is the killer's choice:
 * `complete` the effect still happens, `vanish` it does not.
 */
import { Emitter } from '../../src/base/async/emitter.ts';

export type KillMode = 'complete' | 'vanish';

export class AgentLife {
  #killed: KillMode | undefined;
  readonly #kills = new Emitter();

  get alive(): boolean {
    return this.#killed === undefined;
  }

  /** True when calls of this life that have not taken effect yet never will. */
  get vanished(): boolean {
    return this.#killed === 'vanish';
  }

  /** Ends the life, as `kill -9` would. A second kill changes nothing. */
  kill(mode: KillMode = 'complete'): void {
    if (this.#killed !== undefined) return;
    this.#killed = mode;
    this.#kills.emit();
  }

  /** Calls `listener` at the kill; dispose the result to stop. */
  onKill(listener: () => void): Disposable {
    return this.#kills.subscribe(listener);
  }

  /** `work` while alive; a promise that never settles once the agent is dead. */
  guard<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(
        (value) => (this.alive ? resolve(value) : undefined),
        (error: unknown) => (this.alive ? reject(error) : undefined),
      );
    });
  }
}

/** What a dead process waits for. */
export function never(): Promise<never> {
  return new Promise(() => {});
}

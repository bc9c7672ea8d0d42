/**
 * Measures trees one after the other, so that however many volumes there are
 * only one is walked through at a time. A walk that hangs (a file system that
 * died under it) gives its place up after a while; when several hang no other
 * is begun, because each holds one of the few threads there are for files.
 */
import { type Clock, sleep } from '../../../base/async/clock.ts';
import { Gate } from '../../../base/async/gate.ts';
import { AgentError } from '../../../base/errors.ts';
import { measureTree, type TreeOptions, type TreeSample } from './measure-tree.ts';

const MAX_HOLD_MS = 120_000;
const MAX_HANGING = 2;
const MAX_WAIT_MS = 2_000;

export class TreeMeter {
  readonly #clock: Clock;
  readonly #walk: typeof measureTree;
  readonly #gate: Gate;
  /** By path. */
  readonly #walks = new Map<string, Promise<unknown>>();

  constructor(clock: Clock, walk: typeof measureTree = measureTree) {
    this.#clock = clock;
    this.#walk = walk;
    this.#gate = new Gate(1, { clock, maxHoldMs: MAX_HOLD_MS });
  }

  /** Rejects with AgentError, or with the signal's reason when that aborts while others are measured. */
  measure(
    path: string,
    signal: AbortSignal,
    options: Pick<TreeOptions, 'readMounts'> = {},
  ): Promise<TreeSample> {
    return this.#gate.run(0, signal, async () => {
      const hanging = this.#walks.size;
      if (hanging >= MAX_HANGING || this.#walks.has(path))
        throw new AgentError('unavailable', `cannot measure "${path}": ${hanging} trees hang`);
      const walk = this.#walk(path, { clock: this.#clock, signal, ...options });
      this.#walks.set(path, walk);
      try {
        return await walk;
      } finally {
        this.#walks.delete(path);
      }
    });
  }

  /**
   * Resolves when no directory of the tree is open, which would keep it from
   * being unmounted; or after a while, when the walk hangs. Who calls it has
   * aborted the walk's signal.
   */
  async whenLeft(path: string): Promise<void> {
    const walk = this.#walks.get(path);
    if (walk === undefined) return;
    const left = new AbortController();
    const ended = walk.catch(() => {}).finally(() => left.abort());
    await Promise.race([ended, sleep(this.#clock, MAX_WAIT_MS, left.signal)]);
  }
}

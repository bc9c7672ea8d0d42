/**
 * Measures trees one after the other, so that however many volumes there are
 * only one is walked through at a time. A walk that hangs (a file system that
 * died under it) gives its place up after a while; when several hang no other
 * is begun, because each holds one of the few threads there are for files.
 */
import type { Clock } from '../../../base/clock.ts';
import { AgentError } from '../../../base/errors.ts';
import { Gate } from '../../../base/gate.ts';
import { measureTree, type TreeOptions, type TreeSample } from './measure-tree.ts';

const MAX_HOLD_MS = 120_000;
const MAX_HANGING = 2;

export class TreeMeter {
  readonly #clock: Clock;
  readonly #walk: typeof measureTree;
  readonly #gate: Gate;
  #walks = 0;

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
      if (this.#walks >= MAX_HANGING)
        throw new AgentError('unavailable', `cannot measure "${path}": ${this.#walks} other trees hang`);
      this.#walks++;
      try {
        return await this.#walk(path, { clock: this.#clock, signal, ...options });
      } finally {
        this.#walks--;
      }
    });
  }
}

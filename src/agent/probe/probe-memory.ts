/**
 * Remembers across restarts of the agent which container instances have
 * started and which are ready, so that a pod which was Ready stays Ready
 * until a probe says otherwise. Losing the file costs one round of probes; a
 * damaged one is dropped with a warning.
 *
 * Invariant: what is remembered stands under the id of the instance that was
 * measured, and goes with it.
 */
import type { Clock } from '../../base/async/clock.ts';
import { ConflatingWriter } from '../../base/async/conflating-writer.ts';
import { errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { parseVersioned } from '../../base/versioned-document.ts';
import { type ContainerId, toContainerId } from '../../core/model/ids.ts';
import type { CheckpointStore } from '../../ports/host/checkpoint-store.ts';

const CHECKPOINT = 'probe_state';
const VERSION = 1;
/** Instances that were not looked up within this time after the start are gone. */
const UNCLAIMED_MS = 600_000;

export interface RememberedInstance {
  readonly started: boolean;
  readonly ready: boolean;
}

const NOTHING: RememberedInstance = { started: false, ready: false };

export class ProbeMemory {
  readonly name = 'probe memory';
  readonly #checkpoints: CheckpointStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #instances = new Map<ContainerId, RememberedInstance>();
  /** Read from the file and not asked for yet. */
  #unclaimed = new Map<ContainerId, RememberedInstance>();
  #loadedAtMs = 0;
  readonly #writer: ConflatingWriter;

  constructor(checkpoints: CheckpointStore, clock: Clock, logger: Logger) {
    this.#checkpoints = checkpoints;
    this.#clock = clock;
    this.#logger = logger;
    const onFailure = (error: unknown): void =>
      logger.warn('cannot write the probe checkpoint', { err: errorText(error) });
    this.#writer = new ConflatingWriter({ clock, write: () => this.#write(), onFailure });
  }

  /** Reads what an earlier run left. Never rejects. */
  async load(): Promise<void> {
    this.#loadedAtMs = this.#clock.steady();
    try {
      this.#unclaimed = parseDocument(await this.#checkpoints.read(CHECKPOINT));
    } catch (error) {
      const err = errorText(error);
      this.#logger.warn('cannot read the probe checkpoint, pods are ready once probed again', { err });
    }
  }

  recall(id: ContainerId): RememberedInstance {
    const unclaimed = this.#unclaimed.get(id);
    if (unclaimed !== undefined) this.#instances.set(id, unclaimed);
    this.#unclaimed.delete(id);
    return this.#instances.get(id) ?? NOTHING;
  }

  /** Takes in what is known now; returns at once, the file follows. */
  note(id: ContainerId, measured: Partial<RememberedInstance>): void {
    const before = this.recall(id);
    const after = { ...before, ...measured };
    if (after.started === before.started && after.ready === before.ready) return;
    if (after.started || after.ready) this.#instances.set(id, after);
    else this.#instances.delete(id);
    this.#writer.schedule();
  }

  /** Resolves when everything noted is on disk, or could not be written. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #write(): Promise<void> {
    if (this.#clock.steady() - this.#loadedAtMs > UNCLAIMED_MS) this.#unclaimed.clear();
    const instances = Object.fromEntries([...this.#unclaimed, ...this.#instances]);
    return this.#checkpoints.write(CHECKPOINT, { version: VERSION, instances });
  }
}

function parseDocument(document: unknown): Map<ContainerId, RememberedInstance> {
  const known = parseVersioned(document, VERSION);
  if (known === undefined) return new Map();
  const instances = known['instances'] as Record<string, Partial<RememberedInstance>> | null | undefined;
  if (typeof instances !== 'object' || instances === null) throw new Error('instances are missing');
  return new Map(
    Object.entries(instances).map(([id, one]) => [
      toContainerId(id),
      { started: one?.started === true, ready: one?.ready === true },
    ]),
  );
}

/**
 * Remembers across restarts of the agent which container instances have
 * started and which are ready, so that a pod which was Ready stays Ready
 * until a probe says otherwise. Losing the file costs one round of probes; a
 * damaged one is dropped with a warning.
 *
 * Invariant: what is remembered stands under the id of the instance that was
 * measured, and goes with it.
 */
import type { Clock } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { type ContainerId, toContainerId } from '../../core/model/ids.ts';
import type { CheckpointStore } from '../../ports/checkpoint-store.ts';

const CHECKPOINT = 'probe_state';
const VERSION = 1;
/** Instances nobody asked for in this time after the start are gone. */
const UNCLAIMED_MS = 600_000;

export interface RememberedInstance {
  readonly started: boolean;
  readonly ready: boolean;
}

const NOTHING: RememberedInstance = { started: false, ready: false };

export class ProbeMemory {
  readonly #checkpoints: CheckpointStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #instances = new Map<ContainerId, RememberedInstance>();
  /** Read from the file and not asked for yet. */
  #unclaimed = new Map<ContainerId, RememberedInstance>();
  #loadedAtMs = 0;
  #writing: Promise<void> | undefined;
  #dirty = false;

  constructor(checkpoints: CheckpointStore, clock: Clock, logger: Logger) {
    this.#checkpoints = checkpoints;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Reads what an earlier run left. Never rejects. */
  async load(): Promise<void> {
    this.#loadedAtMs = this.#clock.now();
    try {
      this.#unclaimed = parseDocument(await this.#checkpoints.read(CHECKPOINT));
    } catch (error) {
      const err = errorText(error);
      this.#logger.warn('cannot read the probe checkpoint, pods are ready once measured again', { err });
    }
  }

  recall(id: ContainerId): RememberedInstance {
    const unclaimed = this.#unclaimed.get(id);
    if (unclaimed !== undefined) this.#instances.set(id, unclaimed);
    this.#unclaimed.delete(id);
    return this.#instances.get(id) ?? NOTHING;
  }

  /** Takes in what is known now; returns at once, the file follows. */
  note(id: ContainerId, news: Partial<RememberedInstance>): void {
    const before = this.recall(id);
    const after = { ...before, ...news };
    if (after.started === before.started && after.ready === before.ready) return;
    if (after.started || after.ready) this.#instances.set(id, after);
    else this.#instances.delete(id);
    this.#dirty = true;
    this.#writing ??= this.#writeUntilClean().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when everything noted is on disk, or could not be written. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #writeUntilClean(): Promise<void> {
    while (this.#dirty) {
      this.#dirty = false;
      if (this.#clock.now() - this.#loadedAtMs > UNCLAIMED_MS) this.#unclaimed.clear();
      const instances = Object.fromEntries([...this.#unclaimed, ...this.#instances]);
      try {
        await this.#checkpoints.write(CHECKPOINT, { version: VERSION, instances });
      } catch (error) {
        this.#logger.warn('cannot write the probe checkpoint', { err: errorText(error) });
      }
    }
  }
}

function parseDocument(document: unknown): Map<ContainerId, RememberedInstance> {
  if (document === undefined) return new Map();
  const { version, instances } = document as {
    version?: unknown;
    instances?: Record<string, Partial<RememberedInstance>>;
  };
  if (version !== VERSION || typeof instances !== 'object' || instances === null)
    throw new Error(`unknown version ${JSON.stringify(version)}`);
  return new Map(
    Object.entries(instances).map(([id, known]) => [
      toContainerId(id),
      { started: known?.started === true, ready: known?.ready === true },
    ]),
  );
}

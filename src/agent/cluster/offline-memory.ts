/**
 * The last word of the API server about this node's pods, and about all they
 * need to start, in two checkpoints: a start without the API server brings
 * the pods back from it. Written some time after a change and not too often,
 * so that neither a burst of pods nor a busy cluster is slowed down.
 *
 * Invariants: only what the API server said is written, never what was read
 * from here; a checkpoint that cannot be used counts as none, with a warning.
 */
import { ConflatingWriter } from '../../base/async/conflating-writer.ts';
import { errorText } from '../../base/errors.ts';
import { parseVersioned } from '../../base/versioned-document.ts';
import type { Pod } from '../../core/api/pod.ts';
import { isMirror } from '../../core/api/pod-identity.ts';
import type { RememberedFacts } from '../../ports/cluster/remembered-facts.ts';
import type { CheckpointStore } from '../../ports/host/checkpoint-store.ts';
import type { Kit } from '../../ports/kit.ts';
import type { PodChanges } from '../../ports/pod-source.ts';

const PODS = 'api_pods';
const FACTS = 'api_facts';
const VERSION = 1;
/** A change seldom comes alone. */
const SETTLE_MS = 500;
/** From the end of one write to the next: a small share of the time may go into writing. */
const MIN_SPACING_MS = 1_000;
const REST_FACTOR = 50;

/** Stands for every kind without a contribution. */
const NOTHING: RememberedFacts = { objects: {}, tokens: [], services: [], runtimeClasses: {}, storage: {} };

export interface OfflineMemoryParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly checkpoints: CheckpointStore;
}

/** What is known now that these pods need. */
type Contribution = (pods: readonly Pod[]) => Partial<RememberedFacts>;

export class OfflineMemory {
  readonly #parts: OfflineMemoryParts;
  readonly #contributions: Contribution[] = [];
  #loadedPods: readonly Pod[] | undefined;
  #loadedFacts: RememberedFacts | undefined;
  /** As the API server has them, mirrors included; undefined until it was seen. */
  #pods: readonly Pod[] | undefined;
  readonly #dirty = { pods: false, facts: false };
  #lastFacts = '';
  #nextWriteMs = Number.NEGATIVE_INFINITY;
  readonly #writer: ConflatingWriter;
  #isOff = false;

  constructor(parts: OfflineMemoryParts) {
    this.#parts = parts;
    const { clock, logger } = parts;
    this.#writer = new ConflatingWriter({
      write: () => this.#write(),
      clock,
      delayMs: () => Math.max(SETTLE_MS, this.#nextWriteMs - clock.steady()),
      onFailure: (error) =>
        logger.warn('cannot write the API server checkpoint', {
          err: errorText(error),
        }),
    });
  }

  /** The pods of an earlier run, until the API server was seen; undefined when nothing is known. */
  get pods(): readonly Pod[] | undefined {
    return this.#loadedPods;
  }

  /** What the pods of an earlier run need. */
  get facts(): RememberedFacts | undefined {
    return this.#loadedFacts;
  }

  /** Adds facts that are collected whenever the checkpoint is written. */
  contribute(contribution: Contribution): void {
    this.#contributions.push(contribution);
  }

  async load(): Promise<void> {
    this.#loadedPods = (await this.#read<{ pods: readonly Pod[] }>(PODS))?.pods;
    this.#loadedFacts = (await this.#read<{ facts: RememberedFacts }>(FACTS))?.facts;
  }

  /** Removes what an earlier run left, and writes nothing from now on. */
  async erase(): Promise<void> {
    this.#isOff = true;
    const { checkpoints, logger } = this.#parts;
    try {
      for (const name of [PODS, FACTS])
        if ((await checkpoints.read(name).catch(() => true)) !== undefined)
          await checkpoints.write(name, { version: VERSION });
    } catch (error) {
      logger.warn('cannot remove the API server checkpoint', { err: errorText(error) });
    }
  }

  /** The whole set of the API server, after every change; without `changes` it is compared with the one before. */
  rememberPods(pods: readonly Pod[], changes?: PodChanges): void {
    const before = this.#pods;
    this.#pods = pods;
    this.#loadedPods = undefined;
    const isSame =
      changes === undefined
        ? before !== undefined && hasSame(before.filter(isOwn), pods.filter(isOwn))
        : !changes.changed.some(isOwn) && !changes.gone.some(isOwn);
    if (isSame) return;
    this.#dirty.pods = true;
    // Other pods need other things.
    this.noteFacts();
  }

  /** Something that is contributed may have changed. */
  noteFacts(): void {
    this.#dirty.facts = true;
    // Before the API server was seen there is nothing to say that is not here already.
    if (this.#pods !== undefined && !this.#isOff) this.#writer.schedule();
  }

  /** Writes what is not written yet; for a stop in good order. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  async #write(): Promise<void> {
    const { clock } = this.#parts;
    const beganAtMs = clock.steady();
    try {
      await this.#writeChanged(this.#pods?.filter(isOwn) ?? []);
    } catch (error) {
      // With the next write, whatever it is for.
      this.#dirty.pods = true;
      this.#dirty.facts = true;
      throw error;
    } finally {
      const now = clock.steady();
      this.#nextWriteMs = now + Math.max(MIN_SPACING_MS, REST_FACTOR * (now - beganAtMs));
    }
  }

  async #writeChanged(pods: readonly Pod[]): Promise<void> {
    const { checkpoints } = this.#parts;
    if (this.#dirty.pods) {
      this.#dirty.pods = false;
      await checkpoints.write(PODS, { version: VERSION, pods });
    }
    if (this.#dirty.facts) {
      this.#dirty.facts = false;
      const facts: RememberedFacts = Object.assign(
        {},
        NOTHING,
        ...this.#contributions.map((collect) => collect(pods)),
      );
      // Everything that needed the loaded facts has read them by now.
      this.#loadedFacts = undefined;
      const text = JSON.stringify(facts);
      if (text !== this.#lastFacts) await checkpoints.write(FACTS, { version: VERSION, facts });
      this.#lastFacts = text;
    }
  }

  async #read<T>(name: string): Promise<T | undefined> {
    try {
      return parseVersioned(await this.#parts.checkpoints.read(name), VERSION) as T | undefined;
    } catch (error) {
      const { logger } = this.#parts;
      logger.warn('cannot use the API server checkpoint', { name, err: errorText(error) });
      return undefined;
    }
  }
}

/** Mirrors come from static pods, which have their own source. */
function isOwn(pod: Pod): boolean {
  return !isMirror(pod);
}

function hasSame(before: readonly Pod[], now: readonly Pod[]): boolean {
  return before.length === now.length && now.every((pod, index) => pod === before[index]);
}

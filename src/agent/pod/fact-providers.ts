/**
 * Where the facts of a decision come from: one provider for each field that a
 * feature adds, the mirror image of the table of performers. Providers answer
 * at once; what needs to ask outside is kept current by `refresh`, which the
 * worker awaits before it reads.
 */
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import type { FeatureFacts } from '../../core/pod/pod-facts.ts';

export type FactProviders = {
  readonly [K in keyof FeatureFacts]-?: (record: DesiredPod, observed: ObservedPod) => FeatureFacts[K];
};

/** Asks outside for what a provider answers from. Rejects only on a bug. */
export type FactRefresher = (record: DesiredPod, observed: ObservedPod) => Promise<void>;

export class FactSource {
  readonly #table: readonly [key: string, provide: FactProviders[keyof FactProviders]][];
  readonly #refreshers: readonly FactRefresher[];

  constructor(providers: FactProviders, refreshers: readonly FactRefresher[]) {
    this.#table = Object.entries(providers);
    this.#refreshers = refreshers;
  }

  async refresh(record: DesiredPod, observed: ObservedPod): Promise<void> {
    for (const refresh of this.#refreshers) await refresh(record, observed);
  }

  /** All facts at one moment, in the order of the table. */
  read(record: DesiredPod, observed: ObservedPod): FeatureFacts {
    const facts: Record<string, unknown> = {};
    for (const [key, provide] of this.#table) facts[key] = provide(record, observed);
    return facts as unknown as FeatureFacts;
  }
}

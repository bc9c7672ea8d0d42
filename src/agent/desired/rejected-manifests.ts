/**
 * What manifests hold that the node does not run, and since when: for people who look for a pod that is not
 * there. Written by the sources of manifests only, each its whole set at a time.
 */
import type { Clock } from '../../base/async/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import type { ManifestProblem } from '../../core/manifest/manifest-problem.ts';
import { type Rejection, toRejections } from '../../core/manifest/rejection.ts';

export interface RejectedManifest extends Rejection {
  readonly sinceMs: number;
}

export class RejectedManifests {
  readonly #clock: Clock;
  readonly #bySource = new Map<string, readonly RejectedManifest[]>();
  readonly #changes = new Emitter();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** All problems that the source has now; the same one keeps its time. */
  replace(source: string, problems: readonly ManifestProblem[]): void {
    const before = this.#bySource.get(source) ?? [];
    const known = new Map(before.map(({ sinceMs, ...rejection }) => [JSON.stringify(rejection), sinceMs]));
    const nowMs = this.#clock.now();
    const now = toRejections(problems).map((rejection) => ({
      ...rejection,
      sinceMs: known.get(JSON.stringify(rejection)) ?? nowMs,
    }));
    this.#bySource.set(source, now);
    if (JSON.stringify(now) !== JSON.stringify(before)) this.#changes.emit();
  }

  list(): readonly RejectedManifest[] {
    return [...this.#bySource.values()].flat();
  }

  subscribe(listener: () => void): Disposable {
    return this.#changes.subscribe(listener);
  }
}

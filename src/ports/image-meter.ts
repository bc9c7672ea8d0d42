/**
 * What the agent reports about images to its metrics. Called in the middle of
 * work: an implementation only counts, never waits and never throws.
 */

/** The outcome of the check whether a pod may use an image that is present. */
export type AccessResult = 'credentialPolicyAllowed' | 'credentialRecordFound' | 'mustAuthenticate' | 'error';

export interface ImageMeter {
  /** An image was requested; undefined stands for what could not be determined. */
  ensured(policy: string, isPresent: boolean | undefined, mustPull: boolean | undefined): void;
  accessAsked(result: AccessResult): void;
  /** The number of intents and records now on disk. */
  recordsKept(intents: number, records: number): void;
  pluginRan(name: string, durationMs: number, hasFailed: boolean): void;
  /** An unused image was deleted: it was too old, or its space was needed. */
  collected(reason: 'age' | 'space'): void;
}

/** Counts nothing. */
export const noImageMeter: ImageMeter = {
  ensured: () => {},
  accessAsked: () => {},
  recordsKept: () => {},
  pluginRan: () => {},
  collected: () => {},
};

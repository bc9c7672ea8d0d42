/**
 * What is told about images to whoever counts. Called in the middle of work:
 * an implementation only adds up, never waits and never throws.
 */

/** How the question ended whether a pod may use an image that is there. */
export type AccessResult = 'credentialPolicyAllowed' | 'credentialRecordFound' | 'mustAuthenticate' | 'error';

export interface ImageMeter {
  /** An image was asked for; undefined is what nobody found out. */
  ensured(policy: string, isPresent: boolean | undefined, mustPull: boolean | undefined): void;
  accessAsked(result: AccessResult): void;
  /** So many intents and records are on disk now. */
  recordsKept(intents: number, records: number): void;
  pluginRan(name: string, durationMs: number, hasFailed: boolean): void;
}

/** Counts nothing. */
export const noImageMeter: ImageMeter = {
  ensured: () => {},
  accessAsked: () => {},
  recordsKept: () => {},
  pluginRan: () => {},
};

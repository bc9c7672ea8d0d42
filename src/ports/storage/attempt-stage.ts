/**
 * One stage of setting a volume up: what fails on the host becomes a refusal
 * like any other, with the stage in which it failed.
 */
import { AgentError, errorText } from '../../base/errors.ts';
import type { MountStage } from '../../core/volume/volume-source.ts';
import type { VolumeOutcome } from './volume-driver.ts';

type Refused<T> = Extract<VolumeOutcome<T>, { readonly ok: false }>;

export type StageOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | (Refused<T> & { readonly stage: MountStage });

/** Rejects only for what is no AgentError: a bug. */
export async function attemptStage<T>(
  stage: MountStage,
  work: () => Promise<VolumeOutcome<T>>,
): Promise<StageOutcome<T>> {
  try {
    const result = await work();
    return result.ok ? result : { ...result, stage: result.stage ?? stage };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return { ok: false, stage, message: errorText(error) };
  }
}

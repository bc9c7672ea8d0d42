/**
 * Sets the group of a volume that may be large and reports, by events of the
 * pod, that it takes long: a pod that waits for minutes should show why.
 */
import type { Clock } from '../../../base/async/clock.ts';
import { AgentError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log.ts';
import type { Ownership } from '../../../core/volume/ownership.ts';
import type { VolumeRequest } from '../../../ports/storage/volume-driver.ts';
import { setOwnership } from './set-ownership.ts';

const REASON = 'VolumePermissionChangeInProgress';
const FIRST_MS = 30_000;
const NEXT_MS = 60_000;
const ADVICE =
  'is taking longer than expected, consider using OnRootMismatch - https://kubernetes.io/docs/tasks/configure-pod-container/security-context/#configure-volume-permission-and-ownership-change-policy-for-pods';

/** Rejects with AgentError when the tree cannot be walked. */
export async function setOwnershipReportingProgress(
  clock: Clock,
  { podUid, warn }: Pick<VolumeRequest, 'podUid' | 'warn'>,
  directory: string,
  ownership: Ownership,
  set: typeof setOwnership = setOwnership,
): Promise<void> {
  // Only the part that is the pod's: users need not know the paths of the node.
  const shown = directory.slice(Math.max(0, directory.indexOf(podUid)));
  let files = 0;
  let timer: Disposable;
  const warnAgain = (): void => {
    warn(REASON, `Setting volume ownership for ${shown}, processed ${files} files.`);
    timer = clock.startTimer(NEXT_MS, warnAgain);
  };
  timer = clock.startTimer(FIRST_MS, () => {
    warn(REASON, `Setting volume ownership for ${shown} ${ADVICE}`);
    timer = clock.startTimer(NEXT_MS, warnAgain);
  });
  try {
    await set(directory, ownership, () => {
      files++;
    });
  } finally {
    timer[Symbol.dispose]();
  }
}

/** The same where the pod runs even if the ownership could not be set, as upstream has it for disks and flexVolume. */
export async function tryOwnership(
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  request: Pick<VolumeRequest, 'podUid' | 'warn' | 'directory'>,
  ownership: Ownership,
): Promise<void> {
  const { podUid, directory } = request;
  try {
    await setOwnershipReportingProgress(clock, request, directory, ownership);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    logger.error('cannot set the group of a volume', error, { podUid, directory });
  }
}

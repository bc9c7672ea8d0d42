/** What is remembered of a container that was started again after it had ended. */
import type { BackOffEntry } from '../../base/async/back-off.ts';
import type { ContainerId } from './ids.ts';

export interface CrashLoopEntry extends BackOffEntry {
  /** The instance after whose end the last start was allowed; undefined where an earlier kubelet wrote none. */
  readonly after?: ContainerId;
}

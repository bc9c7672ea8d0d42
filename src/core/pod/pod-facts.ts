/**
 * Everything one decision about a pod may use, and what it returns. The
 * worker gathers the facts, `decidePod` turns them into a plan; nothing else
 * influences what happens to a pod.
 */

import type { BackOffPolicy } from '../../base/async/back-off.ts';
import type { Pod } from '../api/pod.ts';
import type { AllocatedResourceStatus } from '../api/pod-status.ts';
import type { Action } from '../model/actions.ts';
import type { CrashLoopEntry } from '../model/crash-loop-entry.ts';
import type { EventText } from '../model/event-text.ts';
import type { ContainerId } from '../model/ids.ts';
import type { ObservedPod } from '../model/observed-pod.ts';
import type { ProbeResults } from '../model/probe-results.ts';
import type { PodFailure, StartFailure, WaitingReason } from '../model/start-failure.ts';
import type { Termination } from '../model/termination.ts';
import type { VolumeFacts } from '../model/volume-facts.ts';
import type { DeadContainerFacts } from './dead-containers.ts';
import type { PinFacts } from './decide-pins.ts';
import type { ResizeFacts } from './decide-resize.ts';

/**
 * What each feature knows about the pod. A feature that bears on decisions adds
 * a field here; the compiler then asks for its provider (agent/pod/fact-providers.ts).
 */
export interface FeatureFacts {
  readonly probes: ProbeResults;
  /** Why pods cannot get a network now; undefined when they can. */
  readonly networkProblem: string | undefined;
  /** Why the runtime takes no new work, in its own words; undefined when it does. */
  readonly runtimeProblem: string | undefined;
  readonly volumes: VolumeFacts;
  readonly crashLoops: { get(key: string): CrashLoopEntry | undefined };
  readonly crashLoopPolicy: BackOffPolicy;
  readonly agentStartedAtMs?: number;
  /** The pod runs outside the cgroup that should hold it. */
  readonly cgroupMissing?: boolean;
  /** How many dead containers are kept; absent keeps one of each. */
  readonly deadContainers?: DeadContainerFacts;
  /** Dynamic resources are prepared for the pod; absent where there are none. */
  readonly claimsHeld?: boolean;
  /** The health of devices, by container; absent where it is not reported. */
  readonly resourceHealth?: ReadonlyMap<string, readonly AllocatedResourceStatus[]>;
  /** Absent where nothing is resized in place. */
  readonly resize?: ResizeFacts;
  /** Running instances that an operator wants restarted; absent is none. */
  readonly restartsAsked?: ReadonlySet<ContainerId> | undefined;
  /** Absent where containers are not bound to CPUs. */
  readonly pins?: PinFacts | undefined;
}

export interface PodFacts extends FeatureFacts {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly termination: Termination | undefined;
  readonly nowMs: number;
  /** When this node accepted the pod: its active deadline counts from here. */
  readonly startedAtMs: number;
  readonly startFailures: ReadonlyMap<string, StartFailure>;
  readonly podFailure: PodFailure | undefined;
  /** A resize that failed and waits for its retry; it delays nothing else. */
  readonly resizeFailure?: PodFailure | undefined;
}

export interface PodPlan {
  /** In order; the first that fails for good ends the pass (see perform-action). */
  readonly actions: readonly Action[];
  /** When the plan may change although nothing happens. */
  readonly wakeAtMs?: number;
  /** Container name to why it is not running; shown in the status. */
  readonly waiting: ReadonlyMap<string, WaitingReason>;
  /** One sentence about what the pod as a whole waits for, if it does. */
  readonly podWaitsFor?: string;
  /** Recorded as events of the pod each time the decision contains them. */
  readonly events?: readonly EventText[];
  /** Every container has ended for good; ask for the termination `completed`. */
  readonly completed: boolean;
  /** When the pod is ended even if it still works; also cuts short a step under way. */
  readonly deadlineAtMs?: number;
  /** The active deadline has passed; ask for the termination `deadline`. */
  readonly pastDeadline?: boolean;
  /** Nothing of the pod is left anywhere; its worker can go. */
  readonly gone: boolean;
}

/**
 * Enforces what is kept for the system and for Kubernetes on cgroups that an
 * administrator made and named. Done once, before any pod starts: a node that
 * is configured to protect itself and cannot must not run.
 */
import { AgentError, errorText } from '../../base/errors.ts';
import type { CgroupValues } from '../../core/resources/cgroup-values.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { PodCgroups } from '../../ports/host/cgroups.ts';
import type { CgroupRefusals } from './cgroup-refusals.ts';

export interface ReservedCgroup {
  readonly holder: 'system' | 'kube';
  /** As the configuration names it. */
  readonly name: string;
  readonly path: string;
  readonly values: CgroupValues;
  /** Only the CPU is bound. */
  readonly cpuOnly: boolean;
}

export interface ReservedCgroupParts {
  readonly cgroups: PodCgroups;
  readonly refusals: CgroupRefusals;
  readonly events: EventRecorder;
}

/** Rejects with AgentError when a cgroup does not exist or cannot be written now. */
export async function enforceReservedCgroups(
  { cgroups, refusals, events }: ReservedCgroupParts,
  reserved: readonly ReservedCgroup[],
): Promise<void> {
  for (const { holder, name, path, values, cpuOnly } of reserved) {
    try {
      if (!(await cgroups.exists(path)))
        throw new AgentError('not-found', `cgroup ${JSON.stringify(path)} does not exist`);
      const refused = await cgroups.apply(path, values);
      const busy = refused.find(({ retryable }) => retryable);
      if (busy !== undefined) throw new AgentError('unavailable', busy.message);
      refusals.note(path, refused);
    } catch (error) {
      const what = `${holder === 'system' ? 'System' : 'Kube'} Reserved${cpuOnly ? ' Compressible' : ''}`;
      const message = `Failed to enforce ${what} Cgroup Limits on ${JSON.stringify(name)}: ${errorText(error)}`;
      events.record({ about: 'node', type: 'Warning', reason: 'FailedNodeAllocatableEnforcement', message });
      throw new AgentError('failed-precondition', message, { cause: error });
    }
    const message = `Updated limits on ${holder} reserved cgroup ${name}`;
    events.record({ about: 'node', type: 'Normal', reason: 'NodeAllocatableEnforced', message });
  }
}

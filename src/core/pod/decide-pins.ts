/**
 * Which running containers are moved to other CPUs. Which they should have
 * is known (the shared pool shrinks when a container gets CPUs of its own);
 * which they have is what was last set; after a start of the agent, what the runtime says,
 * if it does.
 */
import type { Action } from '../model/actions.ts';
import type { ContainerId } from '../model/ids.ts';
import type { PodFacts } from './pod-facts.ts';

export interface PinFacts {
  /** The CPUs that a container of this name should have; undefined leaves it to the kernel. */
  wanted(container: string): string | undefined;
  /** Those it was last given; undefined when that is not known. */
  applied(id: ContainerId): string | undefined;
  /** When an attempt that failed may be repeated. */
  readonly retryAtMs: number | undefined;
}

export interface Pins {
  readonly actions: readonly Action[];
  readonly wakeUps: readonly number[];
}

/** Containers that end, or start, in this pass are left alone. */
export function decidePins(
  { observed, pins, nowMs }: Pick<PodFacts, 'observed' | 'pins' | 'nowMs'>,
  touched: ReadonlySet<string>,
): Pins {
  if (pins === undefined) return { actions: [], wakeUps: [] };
  const moves = observed.containers.flatMap(({ id, name, state, details }) => {
    const cpus = state === 'running' && !touched.has(name) ? pins.wanted(name) : undefined;
    const known = pins.applied(id) ?? details?.resources?.cpusetCpus;
    return cpus === undefined || cpus === known ? [] : [{ id, name, cpus }];
  });
  if (moves.length === 0) return { actions: [], wakeUps: [] };
  if (pins.retryAtMs !== undefined && pins.retryAtMs > nowMs)
    return { actions: [], wakeUps: [pins.retryAtMs] };
  return { actions: [{ kind: 'pin-containers', pins: moves }], wakeUps: [] };
}

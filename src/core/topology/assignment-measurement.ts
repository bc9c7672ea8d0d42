/** What is counted when pods are assigned resources of their own. */

/** The CPUs as a whole: what can still be given, and what was given on each NUMA node. */
export interface CpuMeasurement {
  readonly kind: 'cpus';
  readonly sharedMilli: number;
  readonly exclusive: number;
  readonly byNode: ReadonlyMap<number, number>;
}

/** What an assignment kept to, or broke. */
export type AlignmentBoundary = 'numa_node' | 'physical_cpu' | 'uncore_cache';

export type AssignmentMeasurement =
  | CpuMeasurement
  /** A container was to get CPUs, or memory, of its own; `isNew` when it had none before. */
  | {
      readonly kind: 'pinned';
      readonly resource: 'cpu' | 'memory';
      readonly ok: boolean;
      readonly isNew: boolean;
    }
  /** A pod is to be admitted. */
  | { readonly kind: 'requested' }
  /** It was decided, either way. */
  | { readonly kind: 'admitted'; readonly durationMs: number }
  /** It does not get what it asks for under a topology policy. */
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'aligned';
      readonly scope: 'container' | 'pod';
      readonly boundary: AlignmentBoundary;
      readonly ok: boolean;
    };

/** What is counted when pods are assigned resources of their own. */

/** What an assignment kept to, or broke. */
export type AlignmentBoundary = 'numa_node' | 'physical_cpu' | 'uncore_cache';

export type AssignmentMeasurement =
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

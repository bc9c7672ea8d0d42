/**
 * How a volume is to be used, as the access mode says to its driver: mounted
 * or as a device, and by how many. The claim and the driver's capability for
 * single-writer modes decide together.
 */
export type CsiCapability =
  | 'stage-unstage'
  | 'volume-stats'
  | 'expand'
  | 'volume-condition'
  | 'single-node-multi-writer'
  | 'volume-mount-group';

export type CsiAccessMode =
  | 'single-node-writer'
  | 'single-node-single-writer'
  | 'single-node-multi-writer'
  | 'multi-node-reader-only'
  | 'multi-node-multi-writer';

const PLAIN: Readonly<Record<string, CsiAccessMode>> = {
  ReadWriteOnce: 'single-node-writer',
  ReadOnlyMany: 'multi-node-reader-only',
  ReadWriteMany: 'multi-node-multi-writer',
  ReadWriteOncePod: 'single-node-writer',
};
const PRECISE: Readonly<Record<string, CsiAccessMode>> = {
  ...PLAIN,
  ReadWriteOnce: 'single-node-multi-writer',
  ReadWriteOncePod: 'single-node-single-writer',
};

/** The first mode of a persistent volume counts; a volume of the pod itself is ReadWriteOnce. Undefined when unknown. */
export function toCsiAccessMode(
  accessModes: readonly string[] | undefined,
  capabilities: ReadonlySet<CsiCapability>,
): CsiAccessMode | undefined {
  const modes = capabilities.has('single-node-multi-writer') ? PRECISE : PLAIN;
  return modes[accessModes?.[0] ?? 'ReadWriteOnce'];
}

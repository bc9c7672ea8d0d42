/** What several sources gave one container, together. Lists follow each other; of two single values the first counts. */
import type { HardwareAssignment } from './to-container-config.ts';

export function mergeHardware(parts: readonly HardwareAssignment[]): HardwareAssignment {
  const single = Object.assign({}, ...parts.toReversed()) as HardwareAssignment;
  return {
    ...single,
    env: parts.flatMap(({ env = [] }) => env),
    mounts: parts.flatMap(({ mounts = [] }) => mounts),
    devices: parts.flatMap(({ devices = [] }) => devices),
    cdiDevices: [...new Set(parts.flatMap(({ cdiDevices = [] }) => cdiDevices))],
    annotations: Object.assign({}, ...parts.toReversed().map(({ annotations }) => annotations)),
  };
}

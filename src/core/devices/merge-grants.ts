/**
 * What a container gets of all its devices together. Of two values for one
 * variable, path or key the first counts.
 */
import type { DeviceGrant } from './device.ts';

export function mergeGrants(grants: readonly DeviceGrant[]): DeviceGrant {
  const annotations = new Map<string, string>();
  for (const grant of grants)
    for (const [key, value] of Object.entries(grant.annotations))
      if (!annotations.has(key)) annotations.set(key, value);
  return {
    env: firstOf(
      grants.flatMap(({ env }) => env),
      ({ name }) => name,
    ),
    mounts: firstOf(
      grants.flatMap(({ mounts }) => mounts),
      ({ containerPath }) => containerPath,
    ),
    devices: firstOf(
      grants.flatMap(({ devices }) => devices),
      ({ containerPath }) => containerPath,
    ),
    annotations: Object.fromEntries(annotations),
    cdiDevices: [...new Set(grants.flatMap(({ cdiDevices }) => cdiDevices))],
  };
}

function firstOf<T>(values: readonly T[], toKey: (value: T) => string): T[] {
  const seen = new Map<string, T>();
  for (const value of values) if (!seen.has(toKey(value))) seen.set(toKey(value), value);
  return [...seen.values()];
}

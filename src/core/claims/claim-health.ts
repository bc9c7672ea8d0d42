/**
 * The health of devices of claims, as drivers report it. What a driver has not
 * confirmed for a while is unknown again.
 */
import type { AllocatedResourceStatus } from '../api/pod-status.ts';
import type { ClaimInfo, PreparedDevice } from './claim-info.ts';

export interface DeviceHealthReport {
  readonly pool: string;
  readonly device: string;
  readonly health: 'Healthy' | 'Unhealthy' | 'Unknown';
  /** How long the report counts. */
  readonly timeoutMs: number;
  readonly message: string;
}

export interface KnownHealth extends DeviceHealthReport {
  readonly atMs: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_MESSAGE = 1_024;

/** A report that asks for no time of its own counts for half a minute; a longer message ends with an ellipsis. */
export function toKnownHealth(report: DeviceHealthReport, atMs: number): KnownHealth {
  const { timeoutMs, message } = report;
  const isLong = message.length > MAX_MESSAGE;
  return {
    ...report,
    atMs,
    timeoutMs: timeoutMs > 0 ? timeoutMs : DEFAULT_TIMEOUT_MS,
    message: isLong ? `${message.slice(0, MAX_MESSAGE - 3)}...` : message,
  };
}

export function isCurrent({ atMs, timeoutMs }: KnownHealth, nowMs: number): boolean {
  return nowMs - atMs <= timeoutMs;
}

/** Whether both say the same of the same devices, whenever they said it. */
export function isSameHealth(
  one: ReadonlyMap<string, KnownHealth>,
  other: ReadonlyMap<string, KnownHealth> | undefined,
): boolean {
  if (one.size !== other?.size) return false;
  return [...one].every(([key, { health, message, timeoutMs }]) => {
    const before = other.get(key);
    return before?.health === health && before.message === message && before.timeoutMs === timeoutMs;
  });
}

export interface ClaimUse {
  /** The name of the claim in the pod. */
  readonly ref: string;
  readonly request: string | undefined;
  readonly info: ClaimInfo;
}

/** Entries without a device are left out. `find` gives only what counts now. */
export function toClaimHealth(
  uses: readonly ClaimUse[],
  find: (driver: string, device: PreparedDevice) => KnownHealth | undefined,
): AllocatedResourceStatus[] {
  return uses
    .map(({ ref, request, info }) => ({
      name: request === undefined ? `claim:${ref}` : `claim:${ref}/${request}`,
      resources: toResources(info, request, find),
    }))
    .filter(({ resources }) => resources.length > 0);
}

function toResources(
  { drivers }: ClaimInfo,
  request: string | undefined,
  find: (driver: string, device: PreparedDevice) => KnownHealth | undefined,
): AllocatedResourceStatus['resources'] {
  const base = request?.split('/')[0];
  const found = new Map<string, AllocatedResourceStatus['resources'][number]>();
  for (const [driver, devices] of drivers)
    for (const device of devices) {
      const { requestNames, cdiIds, pool } = device;
      if (base !== undefined && requestNames.length > 0 && !requestNames.includes(base)) continue;
      const resourceID = cdiIds[0] ?? `${driver}/${pool}/${device.device}`;
      const known = find(driver, device);
      const entry = { resourceID, health: known?.health ?? 'Unknown' };
      if (found.has(resourceID)) continue;
      found.set(resourceID, known?.message ? { ...entry, message: known.message } : entry);
    }
  return [...found.values()];
}

type HealthByContainer = ReadonlyMap<string, readonly AllocatedResourceStatus[]>;

/** Of device plugins and of claims together. */
export function mergeHealth(
  ofDevices: HealthByContainer | undefined,
  ofClaims: HealthByContainer | undefined,
): HealthByContainer | undefined {
  if (ofClaims === undefined || ofClaims.size === 0) return ofDevices;
  const merged = new Map(ofDevices ?? []);
  for (const [name, health] of ofClaims) merged.set(name, [...(merged.get(name) ?? []), ...health]);
  return merged;
}

/**
 * `dra_health_state` in upstream's format: by driver, then by `<pool>/<device>`,
 * what was reported and when. An entry that is none is left out; its device is
 * unknown until the driver reports it.
 */
import { isJsonObject } from '../../base/json.ts';
import type { KnownHealth } from './claim-health.ts';

/** By driver and `<pool>/<device>`. */
export type HealthByDriver = ReadonlyMap<string, ReadonlyMap<string, KnownHealth>>;

const NANOS = 1_000_000;
const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'] as const;

export function renderHealth(known: HealthByDriver): string {
  const drivers = [...known].map(([driver, devices]) => {
    const entries = [...devices].map(([key, one]) => [key, toEntry(one)] as const);
    return [driver, { Devices: Object.fromEntries(entries) }] as const;
  });
  return JSON.stringify(Object.fromEntries(drivers));
}

function toEntry({ pool, device, health, atMs, timeoutMs, message }: KnownHealth): object {
  return {
    PoolName: pool,
    DeviceName: device,
    Health: health,
    LastUpdated: new Date(atMs).toISOString(),
    HealthCheckTimeout: timeoutMs * NANOS,
    Message: message,
  };
}

/** Nothing of it is newer than `nowMs`: a clock that was set back makes no report count for longer. */
export function parseHealth(text: string, nowMs: number): HealthByDriver | { readonly problem: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { problem: 'it is no JSON' };
  }
  if (!isJsonObject(parsed)) return { problem: 'it is no object' };
  return new Map(
    Object.entries(parsed).map(([driver, state]) => {
      const devices =
        isJsonObject(state) && isJsonObject(state['Devices']) ? Object.values(state['Devices']) : [];
      const known = devices.flatMap((entry) => parseEntry(entry, nowMs) ?? []);
      return [driver, new Map(known.map((one) => [`${one.pool}/${one.device}`, one]))];
    }),
  );
}

function parseEntry(entry: unknown, nowMs: number): KnownHealth | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { PoolName: pool, DeviceName: device, Message: message = '', HealthCheckTimeout: nanos } = entry;
  const health = HEALTH.find((one) => one === entry['Health']);
  const atMs = Date.parse(String(entry['LastUpdated']));
  if (typeof pool !== 'string' || typeof device !== 'string' || typeof message !== 'string') return undefined;
  if (health === undefined || Number.isNaN(atMs) || typeof nanos !== 'number') return undefined;
  return { pool, device, health, message, atMs: Math.min(atMs, nowMs), timeoutMs: nanos / NANOS };
}

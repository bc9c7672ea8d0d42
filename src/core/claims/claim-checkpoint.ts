/**
 * The text of `dra_manager_state`, in the format of the upstream kubelet, so
 * that either one can take over from the other: the claims as JSON text inside
 * JSON, beside a CRC-32 checksum of that text.
 */
import { isJsonObject, tryParseJson } from '../../base/json.ts';
import { crc32 } from '../../base/text/crc32.ts';
import type { ClaimInfo, PreparedDevice } from './claim-info.ts';

const KIND = 'DRACheckpoint';
const API_VERSION = 'checkpoint.dra.kubelet.k8s.io/v1';

export function renderClaims(claims: readonly ClaimInfo[]): string {
  const list = claims
    .toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
    .map(({ uid, name, namespace, podUids, drivers }) => ({
      ClaimUID: uid,
      ClaimName: name,
      Namespace: namespace,
      PodUIDs: Object.fromEntries([...podUids].sort().map((pod) => [pod, {}])),
      DriverState: Object.fromEntries([...drivers].map(([driver, devices]) => [driver, toState(devices)])),
    }));
  const data = JSON.stringify({
    kind: KIND,
    apiVersion: API_VERSION,
    ClaimInfoStateList: list.length === 0 ? null : list,
  });
  return JSON.stringify({ Data: data, Checksum: crc32(data) });
}

/** The claims, or what is wrong with the text. */
export function parseClaims(
  text: string,
): { readonly claims: readonly ClaimInfo[] } | { readonly problem: string } {
  const outer = tryParseJson(text);
  if (!isJsonObject(outer) || typeof outer['Data'] !== 'string') return { problem: 'it is not a checkpoint' };
  if (outer['Checksum'] !== crc32(outer['Data'])) return { problem: 'checkpoint is corrupted' };
  const inner = tryParseJson(outer['Data']);
  if (!isJsonObject(inner) || inner['kind'] !== KIND) return { problem: 'its data has another form' };
  const { ClaimInfoStateList: list } = inner;
  if (list === null || list === undefined) return { claims: [] };
  if (!Array.isArray(list)) return { problem: 'its data has another form' };
  return { claims: list.flatMap(toClaim) };
}

function toState(devices: readonly PreparedDevice[]): object {
  return {
    Devices: devices.map(({ pool, device, shareId, requestNames, cdiIds }) => ({
      PoolName: pool,
      DeviceName: device,
      ShareID: shareId ?? null,
      RequestNames: requestNames,
      CDIDeviceIDs: cdiIds,
    })),
  };
}

function toClaim(entry: unknown): ClaimInfo[] {
  if (!isJsonObject(entry)) return [];
  const { ClaimUID: uid, ClaimName: name, Namespace: namespace, PodUIDs: pods, DriverState: drivers } = entry;
  if (typeof uid !== 'string' || typeof name !== 'string' || typeof namespace !== 'string') return [];
  const states = isJsonObject(drivers) ? Object.entries(drivers) : [];
  return [
    {
      uid,
      name,
      namespace,
      podUids: new Set(isJsonObject(pods) ? Object.keys(pods) : []),
      drivers: new Map(states.map(([driver, state]) => [driver, toDevices(state)])),
    },
  ];
}

function toDevices(state: unknown): PreparedDevice[] {
  const list =
    isJsonObject(state) && Array.isArray(state['Devices']) ? state['Devices'].filter(isJsonObject) : [];
  return list.map((device) => ({
    pool: String(device['PoolName'] ?? ''),
    device: String(device['DeviceName'] ?? ''),
    shareId: typeof device['ShareID'] === 'string' ? device['ShareID'] : undefined,
    requestNames: toTexts(device['RequestNames']),
    cdiIds: toTexts(device['CDIDeviceIDs']),
  }));
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

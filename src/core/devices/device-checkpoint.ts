/**
 * The text of `kubelet_internal_checkpoint`, in the format of the upstream
 * kubelet, so that either one can take over from the other: who has which
 * devices, and which resources were registered, beside an FNV-1a checksum of
 * that data as Go prints it.
 */
import { isJsonObject, tryParseJson } from '../../base/json.ts';
import { fnv1a32 } from '../../base/text/fnv.ts';
import { parsePodUid } from '../model/ids.ts';
import type { DeviceAssignment, DeviceResponse, DevicesPerNuma } from './device.ts';

export interface DeviceCheckpoint {
  readonly assignments: readonly DeviceAssignment[];
  /** Ids of the healthy devices of each resource. */
  readonly registered: ReadonlyMap<string, readonly string[]>;
}

/** An entry that was left out. */
export interface SkippedEntry {
  readonly podUid: string;
  readonly container: string;
  readonly resource: string;
  readonly why: string;
}

export interface ReadDeviceCheckpoint extends DeviceCheckpoint {
  readonly skipped: readonly SkippedEntry[];
}

interface Entry {
  readonly PodUID: string;
  readonly ContainerName: string;
  readonly ResourceName: string;
  readonly DeviceIDs: Readonly<Record<string, readonly string[] | null>> | null;
  readonly AllocResp: string | null;
}

interface Data {
  readonly PodDeviceEntries: readonly Entry[] | null;
  readonly RegisteredDevices: Readonly<Record<string, readonly string[] | null>> | null;
}

/** Assignments that no plugin has answered for are left out: after a restart they are asked for again. */
export function renderDeviceCheckpoint({ assignments, registered }: DeviceCheckpoint): string {
  const entries = assignments
    .filter(({ response }) => response !== undefined)
    .map(
      (one): Entry => ({
        PodUID: one.podUid,
        ContainerName: one.container,
        ResourceName: one.resource,
        DeviceIDs: Object.fromEntries(
          [...one.ids].sort(([a], [b]) => a - b).map(([node, ids]) => [node, ids]),
        ),
        AllocResp: one.response?.encoded ?? null,
      }),
    );
  const names = [...registered.keys()].sort(compare);
  const data: Data = {
    PodDeviceEntries: entries.length === 0 ? null : entries,
    RegisteredDevices: Object.fromEntries(names.map((name) => [name, registered.get(name) ?? []])),
  };
  return JSON.stringify({ Data: data, Checksum: computeDeviceChecksum(data) });
}

/** `toResponse` reads the answer of a plugin. An entry that makes no sense is left out, and the others stay. */
export function parseDeviceCheckpoint(
  text: string,
  toResponse: (encoded: string) => DeviceResponse | undefined,
): ReadDeviceCheckpoint | { readonly problem: string } {
  const outer = tryParseJson(text);
  if (!isJsonObject(outer) || !isJsonObject(outer['Data'])) return { problem: 'it is not a checkpoint' };
  const data = toData(outer['Data']);
  if (data === undefined) return { problem: 'its data has another form' };
  if (outer['Checksum'] !== computeDeviceChecksum(data)) return { problem: 'checkpoint is corrupted' };
  const assignments: DeviceAssignment[] = [];
  const skipped: SkippedEntry[] = [];
  for (const entry of data.PodDeviceEntries ?? []) {
    const read = toAssignment(entry, toResponse);
    if (typeof read !== 'string') assignments.push(read);
    else
      skipped.push({
        podUid: entry.PodUID,
        container: entry.ContainerName,
        resource: entry.ResourceName,
        why: read,
      });
  }
  const registered = Object.entries(data.RegisteredDevices ?? {}).map(
    ([name, ids]) => [name, ids ?? []] as const,
  );
  return { assignments, registered: new Map(registered), skipped };
}

/** Why it makes no sense, as text. */
function toAssignment(
  entry: Entry,
  toResponse: (encoded: string) => DeviceResponse | undefined,
): DeviceAssignment | string {
  const podUid = parsePodUid(entry.PodUID);
  if (podUid === undefined) return 'it names no pod';
  const response = toResponse(entry.AllocResp ?? '');
  if (response === undefined) return 'the answer of the plugin cannot be read';
  const ids = toDevicesPerNuma(entry.DeviceIDs ?? {});
  if (ids === undefined) return 'it names a memory node that is no number';
  return { podUid, container: entry.ContainerName, resource: entry.ResourceName, ids, response };
}

/** The 32-bit FNV-1a hash of the data as Go's `%#v` of a spew dump has it. */
export function computeDeviceChecksum({ PodDeviceEntries, RegisteredDevices }: Data): number {
  const entries = PodDeviceEntries === null ? '<nil>' : `[${PodDeviceEntries.map(dumpEntry).join(' ')}]`;
  const fields = [
    `PodDeviceEntries:([]checkpoint.PodDevicesEntry)${entries}`,
    `RegisteredDevices:(map[string][]string)${dumpMap(RegisteredDevices, compare)}`,
  ];
  return Number.parseInt(fnv1a32(`(checkpoint.checkpointData){${fields.join(' ')}}`), 16);
}

function dumpEntry({ PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp }: Entry): string {
  const bytes = AllocResp === null ? '<nil>' : `[${[...Buffer.from(AllocResp, 'base64')].join(' ')}]`;
  const fields = [
    `PodUID:(string)${PodUID}`,
    `ContainerName:(string)${ContainerName}`,
    `ResourceName:(string)${ResourceName}`,
    `DeviceIDs:(checkpoint.DevicesPerNUMA)${dumpMap(DeviceIDs, (a, b) => Number(a) - Number(b))}`,
    `AllocResp:([]uint8)${bytes}`,
  ];
  return `{${fields.join(' ')}}`;
}

function dumpMap(
  map: Readonly<Record<string, readonly string[] | null>> | null,
  order: (a: string, b: string) => number,
): string {
  if (map === null) return '<nil>';
  const keys = Object.keys(map).sort(order);
  const dumped = keys.map((key) => `${key}:${map[key] == null ? '<nil>' : `[${map[key].join(' ')}]`}`);
  return `map[${dumped.join(' ')}]`;
}

/** Upstream keeps any 64-bit number that a plugin reports; undefined for anything else. */
function toDevicesPerNuma(ids: NonNullable<Entry['DeviceIDs']>): DevicesPerNuma | undefined {
  const groups = Object.entries(ids);
  if (!groups.every(([node]) => /^-?\d{1,19}$/.test(node))) return undefined;
  return new Map(groups.map(([node, group]) => [Number(node), group ?? []]));
}

function toData(value: Readonly<Record<string, unknown>>): Data | undefined {
  const { PodDeviceEntries: entries = null, RegisteredDevices: registered = null } = value;
  const areEntries = entries === null || (Array.isArray(entries) && entries.every(isEntry));
  const areRegistered =
    registered === null || (isJsonObject(registered) && Object.values(registered).every(isIdList));
  return areEntries && areRegistered ? (value as unknown as Data) : undefined;
}

function isEntry(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { DeviceIDs: ids, AllocResp: response } = value;
  const texts = ['PodUID', 'ContainerName', 'ResourceName'].every((name) => typeof value[name] === 'string');
  const areIds = ids === null || (isJsonObject(ids) && Object.values(ids).every(isIdList));
  return texts && areIds && (response === null || typeof response === 'string');
}

function isIdList(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.every((id) => typeof id === 'string'));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The text of the files that keep allocations, in the format of the upstream
 * kubelet, so that either one can take over from the other: the entries as
 * JSON text inside JSON, beside an FNV-1a checksum of that text.
 */

import { isJsonObject, tryParseJson } from '../../base/json.ts';
import { fnv1a32 } from '../../base/text/fnv.ts';
import type { ResourceList, ResourceRequirements } from '../api/pod.ts';
import { formatQuantity, tryParseQuantity } from '../api/quantity.ts';
import type { GrantedResources } from '../model/granted-resources.ts';
import { type PodUid, parsePodUid } from '../model/ids.ts';

export type AllocationEntries = ReadonlyMap<PodUid, GrantedResources>;

/** Keys in the order of their names, so that the same entries give the same text. */
export function renderAllocations(entries: AllocationEntries): string {
  const pods = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = pods.map(([uid, one]) => `${JSON.stringify(uid)}:${renderEntry(one)}`);
  const data = texts.length === 0 ? '{}' : `{"entries":{${texts.join()}}}`;
  return JSON.stringify({ data, checksum: computeChecksum(data) });
}

/** The file is written whole, and of most pods nothing has changed since the last time. */
const rendered = new WeakMap<GrantedResources, string>();

function renderEntry(granted: GrantedResources): string {
  const text = rendered.get(granted) ?? JSON.stringify(toEntry(granted));
  rendered.set(granted, text);
  return text;
}

/** The entries, or what is wrong with the text. */
export function parseAllocations(
  text: string,
): { readonly entries: Map<PodUid, GrantedResources> } | { readonly problem: string } {
  const outer = tryParseJson(text);
  if (!isJsonObject(outer) || typeof outer['data'] !== 'string') return { problem: 'it is not a checkpoint' };
  if (outer['checksum'] !== computeChecksum(outer['data'])) return { problem: 'checkpoint is corrupted' };
  const inner = tryParseJson(outer['data']);
  if (!isJsonObject(inner)) return { problem: 'its data is not JSON' };
  const entries = isJsonObject(inner['entries']) ? Object.entries(inner['entries']) : [];
  const pods = entries.flatMap(([text, entry]) => {
    const uid = parsePodUid(text);
    return uid === undefined ? [] : [[uid, fromEntry(entry)] as const];
  });
  return { entries: new Map(pods) };
}

function computeChecksum(data: string): number {
  return Number.parseInt(fnv1a32(`(string)${data}`), 16);
}

function toEntry({ containers, pod }: GrantedResources): unknown {
  const names = Object.keys(containers).sort();
  return {
    ContainerResources: Object.fromEntries(names.map((name) => [name, toJson(containers[name] ?? {})])),
    PodLevelResources: pod === undefined ? null : toJson(pod),
  };
}

function toJson({ limits, requests, claims }: ResourceRequirements): ResourceRequirements {
  return {
    ...(limits !== undefined && { limits: sortList(limits) }),
    ...(requests !== undefined && { requests: sortList(requests) }),
    ...(claims !== undefined && { claims }),
  };
}

/** Quantities in their canonical form, as a manifest may have them in another. */
function sortList(list: ResourceList): ResourceList {
  const canonical = (text: string): string => {
    const quantity = tryParseQuantity(text);
    return quantity === undefined ? text : formatQuantity(quantity);
  };
  return Object.fromEntries(
    Object.entries(list)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, text]) => [name, canonical(text)]),
  );
}

function fromEntry(entry: unknown): GrantedResources {
  const { ContainerResources: containers, PodLevelResources: pod } = isJsonObject(entry) ? entry : {};
  return {
    containers: (isJsonObject(containers) ? containers : {}) as GrantedResources['containers'],
    ...(isJsonObject(pod) && { pod: pod as ResourceRequirements }),
  };
}

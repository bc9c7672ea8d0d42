/**
 * The text of `cpu_manager_state`, as the upstream kubelet writes and reads
 * it, so that either can take over from the other. The checksum is over a
 * dump of the structure with the names it has there.
 */
import { isJsonObject, tryParseJson } from '../../base/json.ts';
import { fnv1a32 } from '../../base/text/fnv.ts';
import { type PodUid, parsePodUid } from '../model/ids.ts';
import { type CpuSet, parseCpuSet, renderCpuSet } from './cpu-set.ts';
import type { CpuState, PodCpus } from './cpu-state.ts';

/** Container id to where it belongs: the oldest format knows containers by their id only. */
export type ContainerOwners = ReadonlyMap<string, { readonly uid: PodUid; readonly name: string }>;

type Entries = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function renderCpuState(policyName: string, { shared, assigned }: CpuState): string {
  const pods = [...assigned].filter(([, ofPod]) => ofPod.size > 0).sort(byName);
  const entries: Entries = Object.fromEntries(
    pods.map(([uid, ofPod]) => {
      const containers = [...ofPod].sort(byName).map(([name, cpus]) => [name, renderCpuSet(cpus)] as const);
      return [uid, Object.fromEntries(containers)] as const;
    }),
  );
  const defaultCpuSet = renderCpuSet(shared);
  const checksum = computeChecksum(policyName, defaultCpuSet, dumpNested(entries));
  return JSON.stringify({
    policyName,
    defaultCpuSet,
    ...(pods.length > 0 && { entries }),
    checksum,
  });
}

/** Or what is wrong with the text. */
export function parseCpuState(
  text: string,
  policyName: string,
  owners: ContainerOwners = new Map(),
): { readonly state: CpuState } | { readonly problem: string } {
  const document = tryParseJson(text);
  if (!isJsonObject(document)) return { problem: 'it is not a checkpoint' };
  const { policyName: savedPolicy, defaultCpuSet, entries = {}, checksum } = document;
  if (typeof savedPolicy !== 'string' || typeof defaultCpuSet !== 'string' || !isJsonObject(entries))
    return { problem: 'it is not a checkpoint' };
  const nested = toNested(entries, owners);
  if ('problem' in nested) return nested;
  const expected = computeChecksum(savedPolicy, defaultCpuSet, nested.dump);
  // Files of old agents have none.
  if (checksum !== 0 && checksum !== expected) return { problem: 'checkpoint is corrupted' };
  if (savedPolicy !== policyName)
    return {
      problem: `configured policy "${policyName}" differs from state checkpoint policy "${savedPolicy}"`,
    };
  const shared = parseCpuSet(defaultCpuSet);
  if (shared === undefined) return { problem: `could not parse default cpu set "${defaultCpuSet}"` };
  const assigned = parseEntries(nested.entries);
  return 'problem' in assigned ? assigned : { state: { shared, assigned: assigned.pods } };
}

/** Pods with containers; in the oldest format containers alone. */
function toNested(
  entries: Readonly<Record<string, unknown>>,
  owners: ContainerOwners,
): { readonly entries: Entries; readonly dump: string } | { readonly problem: string } {
  const values = Object.values(entries);
  if (
    values.every((one) => isJsonObject(one) && Object.values(one).every((cpus) => typeof cpus === 'string'))
  ) {
    const nested = entries as Entries;
    return { entries: nested, dump: dumpNested(nested) };
  }
  if (!values.every((one) => typeof one === 'string')) return { problem: 'it is not a checkpoint' };
  const flat = entries as Readonly<Record<string, string>>;
  const pods: Record<string, Record<string, string>> = {};
  for (const [id, cpus] of Object.entries(flat)) {
    const owner = owners.get(id);
    if (owner === undefined) {
      const what = `containerID '${id}' not found in initial containers list`;
      return { problem: `failed to migrate checkpoint from v1 to v2: ${what}` };
    }
    pods[owner.uid] = { ...pods[owner.uid], [owner.name]: cpus };
  }
  return { entries: pods, dump: `(map[string]string)${dumpMap(flat)}` };
}

function parseEntries(
  entries: Entries,
): { readonly pods: ReadonlyMap<PodUid, PodCpus> } | { readonly problem: string } {
  const pods = new Map<PodUid, PodCpus>();
  for (const [key, containers] of Object.entries(entries)) {
    const uid = parsePodUid(key);
    if (uid === undefined) return { problem: `"${key}" is no UID of a pod` };
    const ofPod = new Map<string, CpuSet>();
    for (const [name, text] of Object.entries(containers)) {
      const cpus = parseCpuSet(text);
      if (cpus === undefined)
        return { problem: `could not parse cpuset "${text}" for container "${name}" in pod "${uid}"` };
      ofPod.set(name, cpus);
    }
    pods.set(uid, ofPod);
  }
  return { pods };
}

function computeChecksum(policyName: string, defaultCpuSet: string, entries: string): number {
  const fields = `PolicyName:(string)${policyName} DefaultCPUSet:(string)${defaultCpuSet} Entries:${entries}`;
  const dump = `(*state.CPUManagerCheckpoint){${fields} Checksum:(checksum.Checksum)0}`;
  return Number.parseInt(fnv1a32(dump), 16);
}

function dumpNested(entries: Entries): string {
  const pods = Object.entries(entries).map(([uid, ofPod]) => [uid, dumpMap(ofPod)] as const);
  return `(map[string]map[string]string)${dumpMap(Object.fromEntries(pods))}`;
}

function dumpMap(map: Readonly<Record<string, string>>): string {
  const items = Object.entries(map).sort(byName);
  return `map[${items.map(([key, value]) => `${key}:${value}`).join(' ')}]`;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

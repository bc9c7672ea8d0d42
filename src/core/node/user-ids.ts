/**
 * The ranges of user and group ids that pods with users of their own get
 * (`hostUsers: false`): one slot of equal length each, the same for users and
 * groups. A pod's range is kept in a file of upstream's form.
 */
import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { IdMapping } from '../model/sandbox-config.ts';

/** The ids that can be assigned. */
export interface UserIdRange {
  readonly first: number;
  readonly length: number;
  /** Ids of one pod. */
  readonly idsPerPod: number;
}

const ALL_IDS = 2 ** 32;

/** All ids but those of the first slot, which are the node's own. */
export function toDefaultRange(idsPerPod: number): UserIdRange {
  return { first: idsPerPod, length: ALL_IDS - idsPerPod, idsPerPod };
}

/** Of `getsubids kubelet` and `getsubids -g kubelet`, which must agree. */
export function parseSubIds(users: string, groups: string, idsPerPod: number): Outcome<UserIdRange> {
  if (users !== groups)
    return refuse('mappings for user and group should be the same, but "getsubids" reports different ones');
  const [line = '', ...more] = users.trim().split('\n');
  const fields = line.trim().split(/\s+/);
  const [first, length] = fields.slice(2).map(Number);
  const isRange = fields.length === 4 && Number.isInteger(first) && Number.isInteger(length);
  if (more.length > 0 || !isRange || first === undefined || length === undefined)
    return refuse(
      `"getsubids" must report one range for user "kubelet", got ${JSON.stringify(users.trim())}`,
    );
  return accept({ first, length, idsPerPod });
}

/** Whether the range serves `maxPods` pods in whole slots. */
export function checkUserIdRange(range: UserIdRange, maxPods: number): Outcome<void> {
  const { first, length, idsPerPod } = range;
  if (first % idsPerPod !== 0)
    return refuse(`the first id of pods is ${first}, but must be a multiple of ${idsPerPod}`);
  if (first < idsPerPod) return refuse(`the first id of pods is ${first}, but must be at least ${idsPerPod}`);
  if (length % idsPerPod !== 0)
    return refuse(`pods have ${length} ids, but must have a multiple of ${idsPerPod}`);
  if (countSlots(range) < maxPods)
    return refuse(`there are ids for ${countSlots(range)} pods, but the node takes ${maxPods}`);
  return accept(undefined);
}

/** The kernel maps no range with the very last id, (uid_t)-1, which means "no id" in its calls. */
function countSlots({ first, length, idsPerPod }: UserIdRange): number {
  return Math.floor(Math.min(length, ALL_IDS - 1 - first) / idsPerPod);
}

function toMapping(hostId: number, { idsPerPod }: UserIdRange): IdMapping {
  return { hostId, containerId: 0, length: idsPerPod };
}

export function renderMapping(mapping: IdMapping): string {
  return JSON.stringify({ uidMappings: [mapping], gidMappings: [mapping] });
}

/** The mapping in a pod's file, when it is one that could have been given. */
export function parseMapping(text: string, range: UserIdRange): Outcome<IdMapping> {
  let file: { readonly uidMappings?: unknown; readonly gidMappings?: unknown };
  try {
    file = JSON.parse(text) ?? {};
  } catch {
    return refuse('the file is not JSON');
  }
  if (JSON.stringify(file.uidMappings) !== JSON.stringify(file.gidMappings))
    return refuse('user and group mappings differ');
  const [mapping, ...more] = Array.isArray(file.uidMappings) ? (file.uidMappings as IdMapping[]) : [];
  if (mapping === undefined || more.length > 0) return refuse('the file must hold one mapping');
  const { hostId, containerId, length } = mapping;
  const { first, idsPerPod } = range;
  if (containerId !== 0 || length !== idsPerPod)
    return refuse(`the mapping must be of ${idsPerPod} ids from 0 on`);
  const isInside = Number.isInteger(hostId) && hostId >= first && hostId + idsPerPod <= first + range.length;
  if (!isInside || hostId % idsPerPod !== 0) return refuse(`host id ${hostId} is no slot of this node`);
  return accept({ hostId, containerId, length });
}

/** A free slot: the one that `random` in [0, 1) points to, or the next after it. */
export function chooseSlot(
  range: UserIdRange,
  taken: ReadonlySet<number>,
  random: number,
): Outcome<IdMapping> {
  const { first, idsPerPod } = range;
  const count = countSlots(range);
  const start = Math.floor(random * count);
  for (let i = 0; i < count; i++) {
    const hostId = first + ((start + i) % count) * idsPerPod;
    if (!taken.has(hostId)) return accept(toMapping(hostId, range));
  }
  return refuse('could not find an empty slot to allocate a user namespace');
}

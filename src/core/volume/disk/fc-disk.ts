/**
 * A Fibre Channel disk as a volume names it: by the names of target ports and
 * its number there, or by ids of its own. Its directory on the node encodes the
 * same, so nothing else has to be recorded.
 */

import { accept, type Outcome, refuse } from '../../../base/outcome.ts';
import type { FcSource } from '../../api/volume.ts';

export type FcDisk =
  | { readonly by: 'port'; readonly wwns: readonly string[]; readonly lun: number }
  | { readonly by: 'id'; readonly wwids: readonly string[] };

const LUN = '-lun-';
/** Printable, and neither a path nor an option. */
const NAME = /^[A-Za-z0-9][!-.0-~]*$/;

export function toFcDisk({ targetWWNs = [], lun, wwids = [] }: FcSource): Outcome<FcDisk> {
  const isByPort = targetWWNs.length > 0 && lun !== undefined;
  const names = isByPort ? targetWWNs : wwids.map((wwid) => wwid.replaceAll(' ', '_'));
  if (names.length === 0) return refuse('fc: no fc disk information found. failed to make a new mounter');
  if (lun !== undefined && (!Number.isInteger(lun) || lun < 0)) return refuse(`fc: invalid lun ${lun}`);
  // These name directories of the node.
  const odd = names.find((name) => !NAME.test(name));
  if (odd !== undefined) return refuse(`fc: invalid name ${JSON.stringify(odd)}`);
  return accept(isByPort ? { by: 'port', wwns: names, lun } : { by: 'id', wwids: names });
}

/** Below the plugin's directory. */
export function toFcPlace(disk: FcDisk): string {
  return disk.by === 'id' ? disk.wwids.join('-') : `${disk.wwns.join('-')}${LUN}${disk.lun}`;
}

/** The reverse of {@link toFcPlace}. */
export function parseFcPlace(place: string): FcDisk | undefined {
  const at = place.lastIndexOf(LUN);
  if (at < 0) return place === '' ? undefined : { by: 'id', wwids: place.split('-') };
  const lun = Number(place.slice(at + LUN.length));
  return at > 0 && Number.isInteger(lun)
    ? { by: 'port', wwns: place.slice(0, at).split('-'), lun }
    : undefined;
}

/** By which the cluster knows it; names as the volume has them. */
export function toFcName({ targetWWNs = [], lun, wwids = [] }: FcSource): string {
  return targetWWNs.length > 0 && lun !== undefined
    ? `[${targetWWNs.join(' ')}]:${lun}`
    : `[${wwids.join(' ')}]`;
}

/** True for a name below `/dev/disk/by-path` or `by-id` that leads to the disk through this port or id. */
export function leadsToFcDisk(link: string, name: string, disk: FcDisk): boolean {
  if (disk.by === 'id') return link === `scsi-${name}`;
  const end = `fc-0x${name}${LUN}${disk.lun}`;
  return link === end || (link.startsWith('pci-') && link.endsWith(`-${end}`));
}

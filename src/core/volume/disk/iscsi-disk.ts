/**
 * An iSCSI disk as a volume names it: where it is reached, what it is called
 * on the node, and what is remembered of it beside its mount (`iscsi.json`, in
 * upstream's words, without anything secret).
 */

import { accept, type Outcome, refuse } from '../../../base/outcome.ts';
import type { StringMap } from '../../api/meta.ts';
import type { IscsiSource } from '../../api/volume.ts';

const DEFAULT_PORT = 3260;
const DEFAULT_INTERFACE = 'default';
/** An address or host name with its port, and what a network interface is called. */
const PLACE_NAME = /^[A-Za-z0-9[][\w.:[\]%-]*$/;
/** Upstream's rule for what follows the first dot, without what would be a path. */
const QUALIFIED_NAME = /^(iqn|eui|naa)\.[^,;*&$|\s/\p{Cc}]+$/u;

export interface IscsiDisk {
  /** The volume's inner name. */
  readonly volumeName: string;
  /** With ports; never empty. */
  readonly portals: readonly string[];
  readonly iqn: string;
  readonly lun: number;
  /** As configured on the node. */
  readonly baseInterface: string;
  /** The one that is used: a copy of its own where the volume names an initiator. */
  readonly interface: string;
  readonly initiatorName: string;
}

export interface ChapUse {
  readonly discovery: boolean;
  readonly session: boolean;
  /** By iscsiadm's names of settings. */
  readonly values: StringMap;
}

export function toIscsiDisk(volumeName: string, source: IscsiSource): Outcome<IscsiDisk> {
  const { targetPortal = '', portals = [], iqn = '', lun = 0, initiatorName = '' } = source;
  const all = [...new Set([targetPortal, ...portals].map(withPort))];
  const baseInterface = source.iscsiInterface || DEFAULT_INTERFACE;
  const own = initiatorName === '' ? baseInterface : `${all[0]}:${volumeName}`;
  const disk = { volumeName, portals: all, iqn, lun, baseInterface, interface: own, initiatorName };
  const odd = targetPortal === '' ? '' : findOddName(disk);
  return odd === undefined ? accept(disk) : refuse(`iscsi: invalid name ${JSON.stringify(odd)}`);
}

/** These name directories of the node and are arguments of programs: nothing but what such names consist of. */
function findOddName(disk: IscsiDisk): string | undefined {
  const { portals, iqn, lun, baseInterface, interface: own, initiatorName } = disk;
  if (!Number.isInteger(lun) || lun < 0) return String(lun);
  const odd = [...portals, baseInterface, own].find((name) => !PLACE_NAME.test(name));
  if (odd !== undefined) return odd;
  return [iqn, ...(initiatorName === '' ? [] : [initiatorName])].find((name) => !QUALIFIED_NAME.test(name));
}

/** Below the plugin's directory. */
export function toIscsiPlace({ interface: used, portals, iqn, lun }: IscsiDisk): string {
  return `iface-${used}/${portals[0]}-${iqn}-lun-${lun}`;
}

/** How places of all disks of a target begin, below the directory of an interface. */
export function toIscsiTargetPrefix({ portals, iqn }: IscsiDisk): string {
  return `${portals[0]}-${iqn}-lun-`;
}

/** By which the cluster knows it; from what the volume says, without a port added. */
export function toIscsiName({ targetPortal = '', iqn = '', lun = 0 }: IscsiSource): string {
  return `${targetPortal}:${iqn}:${lun}`;
}

export function renderIscsiJson(disk: IscsiDisk): string {
  const { volumeName, portals, iqn, lun, baseInterface, interface: used, initiatorName } = disk;
  return `${JSON.stringify({
    VolName: volumeName,
    Portals: portals,
    Iqn: iqn,
    Lun: String(lun),
    InitIface: baseInterface,
    Iface: used,
    InitiatorName: initiatorName,
    MetricsProvider: null,
  })}\n`;
}

/** Undefined for text that does not describe a disk. */
export function parseIscsiJson(text: string): IscsiDisk | undefined {
  let found: Readonly<Record<string, unknown>>;
  try {
    found = JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
  const word = (key: string): string => (typeof found[key] === 'string' ? found[key] : '');
  const portals = Array.isArray(found['Portals'])
    ? found['Portals'].filter((portal) => typeof portal === 'string' && portal !== '')
    : [];
  const iqn = word('Iqn');
  const lun = Number(word('Lun'));
  if (portals.length === 0) return undefined;
  const disk = {
    volumeName: word('VolName'),
    portals,
    iqn,
    lun,
    baseInterface: word('InitIface'),
    interface: word('Iface'),
    initiatorName: word('InitiatorName'),
  };
  return findOddName(disk) === undefined ? disk : undefined;
}

function withPort(portal: string): string {
  return portal.includes(':') ? portal : `${portal}:${DEFAULT_PORT}`;
}

/**
 * Where volumes of storage drivers are kept and what things are called. The
 * layout is upstream's, so that either kubelet finds what the other left.
 */

import { createHash } from 'node:crypto';
import { toPathComponent } from '../../core/model/path-component.ts';

export const CSI_PLUGIN = 'kubernetes.io/csi';
/** Beside the mount point: identifies the volume. */
export const VOLUME_DATA_FILE = 'vol_data.json';

/** Where a volume is staged once for all pods; its data file is in the parent. */
export function stagingPath(rootDir: string, driver: string, handle: string): string {
  return `${stagedDirectory(rootDir, driver)}/${sha256(handle)}/globalmount`;
}

/** Holds the staged volumes of a driver. */
export function stagedDirectory(rootDir: string, driver: string): string {
  return `${rootDir}/plugins/${CSI_PLUGIN}/${toPathComponent(driver)}`;
}

export interface BlockPaths {
  readonly staging: string;
  readonly publish: string;
  /** Every pod that has the device has a file here. */
  readonly map: string;
  readonly data: string;
}

/** Of a volume that pods get as a device, by the name of its persistent volume. */
export function blockPaths(rootDir: string, name: string, podUid: string): BlockPaths {
  const base = `${rootDir}/plugins/${CSI_PLUGIN}/volumeDevices`;
  toPathComponent(name);
  return {
    staging: `${base}/staging/${name}`,
    publish: `${base}/publish/${name}/${podUid}`,
    map: `${base}/${name}/dev`,
    data: `${base}/${name}/data`,
  };
}

/** The name of the object that says whether a volume is attached. */
export function attachmentName(handle: string, driver: string, nodeName: string): string {
  return `csi-${sha256(handle + driver + nodeName)}`;
}

/** The handle of a volume that is written out in a pod. */
export function inlineHandle(podUid: string, volumeName: string): string {
  return `csi-${sha256(podUid + volumeName)}`;
}

/** What the node and its controller call an attached volume. */
export function uniqueVolumeName(driver: string, handle: string): string {
  return `${CSI_PLUGIN}/${driver}^${handle}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

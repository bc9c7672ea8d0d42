/**
 * Where the agent keeps a pod's files below its root directory. The layout is
 * upstream's, so that either kubelet finds what the other left. A name that
 * would lead out of its directory is refused.
 */
import type { PodUid } from './ids.ts';
import { toPathComponent } from './path-component.ts';

export function podsDirectory(rootDir: string): string {
  return `${rootDir}/pods`;
}

export function podDirectory(rootDir: string, podUid: PodUid): string {
  return `${podsDirectory(rootDir)}/${podUid}`;
}

export function volumesDirectory(rootDir: string, podUid: PodUid): string {
  return `${podDirectory(rootDir, podUid)}/volumes`;
}

export function pluginsDirectory(rootDir: string, podUid: PodUid): string {
  return `${podDirectory(rootDir, podUid)}/plugins`;
}

/** A volume's own directory; `/` in a plugin name is written `~`. */
export function volumeDirectory(rootDir: string, podUid: PodUid, plugin: string, volume: string): string {
  return `${volumesDirectory(rootDir, podUid)}/${toPathComponent(plugin.replaceAll('/', '~'))}/${toPathComponent(volume)}`;
}

export function volumeDevicesDirectory(rootDir: string, podUid: PodUid): string {
  return `${podDirectory(rootDir, podUid)}/volumeDevices`;
}

/** The pod's link to the device of a block volume. */
export function volumeDevicePath(rootDir: string, podUid: PodUid, plugin: string, volume: string): string {
  return `${volumeDevicesDirectory(rootDir, podUid)}/${toPathComponent(plugin.replaceAll('/', '~'))}/${toPathComponent(volume)}`;
}

/** Where a volume's driver notes that it has set the volume up. */
export function volumeMarkerDirectory(
  rootDir: string,
  podUid: PodUid,
  plugin: string,
  volume: string,
): string {
  return `${pluginsDirectory(rootDir, podUid)}/${toPathComponent(plugin.replaceAll('/', '~'))}/${toPathComponent(volume)}`;
}

/** Holds the bind mounts of parts of volumes: `<volume>/<container>/<index of the mount>`. */
export function subPathsDirectory(rootDir: string, podUid: PodUid): string {
  return `${podDirectory(rootDir, podUid)}/volume-subpaths`;
}

export function containersDirectory(rootDir: string, podUid: PodUid): string {
  return `${podDirectory(rootDir, podUid)}/containers`;
}

/** Holds a container's termination message files. */
export function containerDirectory(rootDir: string, podUid: PodUid, container: string): string {
  return `${containersDirectory(rootDir, podUid)}/${toPathComponent(container)}`;
}

export function hostsFilePath(rootDir: string, podUid: PodUid): string {
  return `${podDirectory(rootDir, podUid)}/etc-hosts`;
}

/**
 * The places of sub-paths: a container that mounts only a part of a volume
 * gets a bind mount of that part below the pod's directory, so that a link
 * in the volume cannot lead it elsewhere.
 */
import type { PodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { joinInside, toPathComponent } from '../../core/model/path-component.ts';
import { subPathsDirectory } from '../../core/model/pod-paths.ts';
import type { PreparedSubPath } from '../../core/spec/mounts.ts';
import type { SubPath } from '../../core/spec/sub-paths.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Mounter } from '../../ports/host/mounter.ts';
import type { SubPathBinder } from '../../ports/storage/volume-driver.ts';
import type { VolumeState } from './pod-volumes.ts';

export interface SubPathParts {
  readonly subPaths: SubPathBinder;
  readonly mounter: Mounter;
  readonly files: Pick<HostFiles, 'exists' | 'removeTree'>;
  readonly node: Pick<NodeProfile, 'rootDir'>;
}

/** Binds each part of a volume that the container mounts to a place of its own; by the mount's index. */
export async function bindSubPaths(
  { subPaths: binder, node }: SubPathParts,
  { uid, container }: { readonly uid: PodUid; readonly container: string },
  subPaths: readonly SubPath[],
  volumes: ReadonlyMap<string, VolumeState>,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, PreparedSubPath>> {
  const prepared = new Map<number, PreparedSubPath>();
  const base = subPathsDirectory(node.rootDir, uid);
  for (const { index, volumeName, path } of subPaths) {
    const volume = volumes.get(volumeName);
    if (volume?.mount === undefined || volume.mount.image !== undefined) continue;
    const target = joinInside(
      base,
      `${toPathComponent(volume.innerName)}/${toPathComponent(container)}/${index}`,
    );
    const request = { volumePath: volume.mount.hostPath, path, target, signal };
    prepared.set(index, await binder.bind(request));
  }
  return prepared;
}

/** Unmounts and removes all of them, the last mount first. */
export async function removeSubPaths(
  { mounter, files, node }: SubPathParts,
  uid: PodUid,
  signal: AbortSignal,
): Promise<void> {
  const directory = subPathsDirectory(node.rootDir, uid);
  // Few pods have any.
  if (!(await files.exists(directory))) return;
  for (const mount of (await mounter.mountsBelow(directory)).toReversed())
    await mounter.unmount(mount, signal);
  await files.removeTree(directory);
}

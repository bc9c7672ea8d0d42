/**
 * The host paths behind a pod's volumes. Types that need no reconciler
 * (hostPath and a plain emptyDir) are prepared here before the first
 * container; any other is refused with a sentence that says so.
 */
import type { Pod } from '../core/api/pod.ts';
import type { Volume } from '../core/api/volume.ts';
import type { PodUid } from '../core/pod/ids.ts';
import { accept, type Outcome, refuse } from '../core/spec/outcome.ts';
import { volumeDirectory } from '../core/spec/pod-paths.ts';
import type { HostFiles } from '../ports/host-files.ts';

export interface PreparedVolume {
  readonly hostPath: string;
  readonly readOnly: boolean;
  readonly selinuxRelabel: boolean;
}

const EMPTY_DIR_MODE = 0o777;

/** Refused with the text that becomes the containers' waiting message. */
export async function preparePodVolumes(
  files: HostFiles,
  rootDir: string,
  uid: PodUid,
  pod: Pod,
): Promise<Outcome<ReadonlyMap<string, PreparedVolume>>> {
  const prepared = new Map<string, PreparedVolume>();
  for (const volume of pod.spec.volumes ?? []) {
    if (volume.hostPath !== undefined) {
      prepared.set(volume.name, { hostPath: volume.hostPath.path, readOnly: false, selinuxRelabel: false });
    } else if (volume.emptyDir !== undefined && (volume.emptyDir.medium ?? '') === '') {
      const hostPath = volumeDirectory(rootDir, uid, 'kubernetes.io/empty-dir', volume.name);
      await files.makeDirectory(hostPath, EMPTY_DIR_MODE);
      prepared.set(volume.name, { hostPath, readOnly: false, selinuxRelabel: true });
    } else {
      return refuse(
        `volume "${volume.name}" is of type ${typeOf(volume)}, which this kubelet cannot mount yet`,
      );
    }
  }
  return accept(prepared);
}

function typeOf(volume: Volume): string {
  if (volume.emptyDir !== undefined) return `emptyDir with medium "${volume.emptyDir.medium}"`;
  return Object.keys(volume).find((key) => key !== 'name') ?? 'unknown';
}

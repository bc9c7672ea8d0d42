/** Requests to volume drivers, for their tests. */

import type { PersistentVolumeSpec } from '../../src/core/api/persistent-volume.ts';
import type { PodSpec } from '../../src/core/api/pod.ts';
import { toPodUid } from '../../src/core/model/ids.ts';
import { volumeDevicePath, volumeDirectory } from '../../src/core/model/pod-paths.ts';
import type { VolumeRequest } from '../../src/ports/storage/volume-driver.ts';
import { samplePod } from './sample-pod.ts';

export interface SampleClaim {
  readonly rootDir: string;
  readonly plugin: string;
  readonly podUid?: string;
  readonly readOnly?: boolean;
  readonly pod?: Partial<PodSpec>;
  readonly spec: PersistentVolumeSpec;
  readonly warnings?: string[];
}

/** A request for the persistent volume `pv-1`. */
export function claimRequest(sample: SampleClaim): VolumeRequest {
  const { rootDir, plugin, podUid = 'uid-1', readOnly = false, spec, warnings = [] } = sample;
  const mode = spec.volumeMode ?? 'Filesystem';
  const place = mode === 'Block' ? volumeDevicePath : volumeDirectory;
  const pod = samplePod(sample.pod ?? {});
  const { namespace } = pod.metadata;
  return {
    podUid: toPodUid(podUid),
    name: 'pv-1',
    directory: place(rootDir, toPodUid(podUid), plugin, 'pv-1'),
    pod,
    volume: { name: 'data', persistentVolumeClaim: { claimName: 'disk' } },
    persistent: {
      volume: { metadata: { name: 'pv-1' }, spec },
      claim: { metadata: { name: 'disk', namespace }, spec: {} },
      readOnly,
      mode,
    },
    isRemount: false,
    signal: new AbortController().signal,
    warn: (reason, message) => void warnings.push(`${reason}: ${message}`),
  };
}

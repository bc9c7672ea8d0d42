/** Wires what sets up and measures the volumes of pods. It only connects. */
import { Emitter } from '../base/async/emitter.ts';
import type { PodUid } from '../core/model/ids.ts';
import type { AgentPart } from './agent-part.ts';
import type { AgentPorts, AgentSettings } from './agent-ports.ts';
import type { PodWakeUps } from './assemble-runtime.ts';
import { VolumeMeasurer } from './volume/volume-measurer.ts';
import { VolumeReconciler } from './volume/volume-reconciler.ts';

export interface VolumeAssembly {
  readonly volumes: VolumeReconciler;
  readonly measurer: VolumeMeasurer;
  readonly parts: readonly AgentPart[];
}

export function assembleVolumes(
  { kit, host, storage, objects }: Pick<AgentPorts, 'kit' | 'host' | 'storage' | 'objects'>,
  { node, admission, volumeStatsPeriodMs }: AgentSettings,
  wakeUps: PodWakeUps,
): VolumeAssembly {
  const mounted = new Emitter<[PodUid]>();
  const volumes = new VolumeReconciler({
    kit,
    host,
    storage,
    objects: objects.objects,
    readNodeLabels: admission.readNodeLabels,
    node,
    onChange: (uid) => wakeUps.emit(uid, 'volume'),
    onMounted: (uid) => mounted.emit(uid),
  });
  const measurer = new VolumeMeasurer({
    ...kit,
    readGauges: (uid) => volumes.gauges(uid),
    periodMs: volumeStatsPeriodMs,
    onRead: (source, durationMs) => kit.meter.volumeMeasured(source, durationMs),
  });
  mounted.subscribe((uid) => measurer.follow(uid));
  return { volumes, measurer, parts: [volumes, measurer] };
}

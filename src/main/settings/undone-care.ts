/** What this configuration leaves undone of the node's care for itself, for one line of the log at the start. */
import { parseThresholdValue } from '../../core/eviction/threshold.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';
import { durationMs } from '../config/parse-duration.ts';

type CareSettings = Pick<
  KubeletConfiguration,
  | 'evictionHard'
  | 'evictionSoft'
  | 'imageGCHighThresholdPercent'
  | 'imageMaximumGCAge'
  | 'kubeReserved'
  | 'podPidsLimit'
  | 'shutdownGracePeriod'
  | 'shutdownGracePeriodByPodPriority'
  | 'systemReserved'
>;

/** Each with the setting that changes it. */
export function listUndoneCare(config: CareSettings): string[] {
  const watches = (signal: string): boolean =>
    [config.evictionHard, config.evictionSoft].some((map) => {
      const text = map[signal];
      return text !== undefined && parseThresholdValue(text) !== undefined;
    });
  const rows: readonly (readonly [isDone: boolean, text: string])[] = [
    [watches('memory.available'), 'eviction for memory (evictionHard memory.available)'],
    [watches('nodefs.available'), 'eviction for the disk (evictionHard nodefs.available)'],
    [watches('pid.available'), 'eviction for processes (evictionHard pid.available)'],
    [config.podPidsLimit > 0, 'limit of processes per pod (podPidsLimit)'],
    [
      [config.systemReserved, config.kubeReserved].some((map) => Object.keys(map).length > 0),
      'reservation for system daemons (systemReserved, kubeReserved)',
    ],
    [config.imageGCHighThresholdPercent < 100, 'image collection for space (imageGCHighThresholdPercent)'],
    [durationMs(config.imageMaximumGCAge) > 0, 'image collection by age (imageMaximumGCAge)'],
    [
      durationMs(config.shutdownGracePeriod) > 0 || config.shutdownGracePeriodByPodPriority.length > 0,
      'graceful end of pods at a shutdown (shutdownGracePeriod)',
    ],
  ];
  return rows.flatMap(([isDone, text]) => (isDone ? [] : [text]));
}

/** downwardAPI: fields of the pod as files in memory; they follow its labels and annotations. */
import { accept } from '../../base/outcome.ts';
import { toDownwardPayload } from '../../core/volume/downward-payload.ts';
import type { VolumeDriver } from '../../ports/storage/volume-driver.ts';
import { type ContentDriverParts, createContentDriver } from './content-driver.ts';

export function createDownwardApiDriver(parts: ContentDriverParts): VolumeDriver {
  return createContentDriver(parts, {
    plugin: 'kubernetes.io/downward-api',
    source: 'downwardAPI',
    backing: 'memory',
    gather: async ({ pod, volume }) => {
      const { items = [], defaultMode } = volume.downwardAPI ?? {};
      const payload = toDownwardPayload(pod, items, defaultMode, parts.node);
      return payload.ok ? accept({ payload: payload.value }) : payload;
    },
  });
}

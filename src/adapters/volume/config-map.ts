/** configMap: the keys of a ConfigMap as files on the node's disk. */
import { accept } from '../../base/outcome.ts';
import { toObjectPayload } from '../../core/volume/object-payload.ts';
import type { ObjectReader } from '../../ports/cluster/object-reader.ts';
import type { VolumeDriver } from '../../ports/storage/volume-driver.ts';
import { type ContentDriverParts, createContentDriver } from './content-driver.ts';

export function createConfigMapDriver(parts: ContentDriverParts & { objects: ObjectReader }): VolumeDriver {
  return createContentDriver(parts, {
    plugin: 'kubernetes.io/configmap',
    source: 'configMap',
    backing: 'disk',
    gather: async ({ pod, volume, signal }) => {
      const { name = '', items, optional, defaultMode } = volume.configMap ?? {};
      const lookup = await parts.objects.configMap(pod.metadata.namespace, name, signal);
      const payload = toObjectPayload('configmap', { name, items, optional, defaultMode }, lookup);
      return payload.ok ? accept({ payload: payload.value }) : payload;
    },
  });
}

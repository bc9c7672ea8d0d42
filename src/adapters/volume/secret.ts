/** secret: the keys of a Secret as files in memory; they never touch the node's disk. */
import { accept } from '../../base/outcome.ts';
import { toObjectPayload } from '../../core/volume/object-payload.ts';
import type { ObjectReader } from '../../ports/cluster/object-reader.ts';
import type { VolumeDriver } from '../../ports/storage/volume-driver.ts';
import { type ContentDriverParts, createContentDriver } from './content-driver.ts';

export function createSecretDriver(parts: ContentDriverParts & { objects: ObjectReader }): VolumeDriver {
  return createContentDriver(parts, {
    plugin: 'kubernetes.io/secret',
    source: 'secret',
    backing: 'memory',
    gather: async ({ pod, volume, signal }) => {
      const { secretName: name = '', items, optional, defaultMode } = volume.secret ?? {};
      const lookup = await parts.objects.secret(pod.metadata.namespace, name, signal);
      const payload = toObjectPayload('secret', { name, items, optional, defaultMode }, lookup);
      return payload.ok ? accept({ payload: payload.value }) : payload;
    },
  });
}

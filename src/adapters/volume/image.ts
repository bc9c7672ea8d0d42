/**
 * image: the files of an image. The runtime mounts it into each container, so
 * there is nothing on the node to set up; the image itself is pulled before
 * the container that shows it starts.
 */
import { accept } from '../../base/outcome.ts';
import type { VolumeDriver } from '../../ports/storage/volume-driver.ts';

export const imageDriver: VolumeDriver = {
  plugin: 'kubernetes.io/image',
  source: 'image',
  refreshes: false,
  mount: async ({ volume }) =>
    accept({
      prepared: {
        hostPath: '',
        readOnly: true,
        selinuxRelabel: false,
        // Resolved before a container starts.
        image: { ref: '', userSpecified: volume.image?.reference ?? '', runtimeHandler: '' },
      },
    }),
  unmount: async () => {},
};

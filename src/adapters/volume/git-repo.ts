/**
 * gitRepo: switched off for good upstream, and here. What another kubelet has
 * left of such volumes is a plain directory of the pod's and goes with it.
 */
import { refuse } from '../../base/outcome.ts';
import { GIT_REPO_DISABLED } from '../../core/volume/volume-source.ts';
import type { Mounter } from '../../ports/host/mounter.ts';
import type { VolumeDriver } from '../../ports/storage/volume-driver.ts';
import { removeBacking } from './place/backing-directory.ts';

export function createGitRepoDriver({ mounter }: { readonly mounter: Mounter }): VolumeDriver {
  return {
    plugin: 'kubernetes.io/git-repo',
    source: 'gitRepo',
    refreshes: false,
    mount: async () => refuse(GIT_REPO_DISABLED),
    unmount: ({ directory }) => removeBacking(mounter, directory),
  };
}

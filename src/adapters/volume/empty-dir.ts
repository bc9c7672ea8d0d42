/**
 * emptyDir: a directory that lives as long as the pod, on disk, in memory or
 * in huge pages. Once set up it is left alone (its files are the pod's); a
 * marker beside the pod's volumes remembers that across starts of the agent.
 */
import { AgentError } from '../../base/errors.ts';
import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { volumeMarkerDirectory } from '../../core/model/pod-paths.ts';
import { toPageSize } from '../../core/volume/memory-medium.ts';
import { toOwnership } from '../../core/volume/ownership.ts';
import type {
  MountedVolume,
  VolumeDriver,
  VolumeGauge,
  VolumePlace,
  VolumeRequest,
} from '../../ports/storage/volume-driver.ts';
import { makeDirectory } from '../linux/files/make-directory.ts';
import { removeTree } from '../linux/files/remove-tree.ts';
import { toHostError } from '../linux/host-error.ts';
import type { TreeMeter } from '../linux/stats/tree-meter.ts';
import { access, writeFile } from '../linux/storage/storage-fs.ts';
import {
  type BackingParts,
  type Medium,
  makeBacking,
  removeBacking,
  toMemoryMedium,
} from './place/backing-directory.ts';
import type { ProjectQuotas } from './place/project-quotas.ts';
import { setOwnership } from './place/set-ownership.ts';
import { createQuotaGauge, createTreeGauge } from './place/volume-gauges.ts';

const PLUGIN = 'kubernetes.io/empty-dir';

export interface EmptyDirParts extends BackingParts {
  /** Measures what pods put into it. */
  readonly trees: TreeMeter;
  /** Undefined unless the kernel is to count what is in volumes. */
  readonly quotas?: Pick<ProjectQuotas, 'assign' | 'read' | 'clear'> | undefined;
}

export class EmptyDirDriver implements VolumeDriver {
  readonly plugin = PLUGIN;
  readonly source = 'emptyDir';
  readonly refreshes = false;
  readonly #parts: EmptyDirParts;

  constructor(parts: EmptyDirParts) {
    this.#parts = parts;
  }

  async mount(request: VolumeRequest): Promise<Outcome<MountedVolume>> {
    const { directory, pod, signal } = request;
    const medium = this.#toMedium(request);
    if (!medium.ok) return medium;
    const mounted = {
      prepared: { hostPath: directory, readOnly: false, selinuxRelabel: true },
      gauge: this.#toGauge(request, medium.value),
    };
    if (await this.#isReady(request, medium.value)) return accept(mounted);
    await makeBacking(this.#parts.mounter, directory, medium.value, signal);
    if (hasQuota(request, medium.value))
      await this.#parts.quotas?.assign(directory, request.volume.emptyDir?.sizeLimit !== undefined, signal);
    const ownership = toOwnership(pod, false);
    if (ownership !== undefined) await tolerate(setOwnership(directory, ownership));
    await this.#mark(request);
    return accept(mounted);
  }

  async unmount(place: VolumePlace, signal: AbortSignal = new AbortController().signal): Promise<void> {
    await attempt('remove', this.#markerOf(place), removeTree(this.#markerOf(place)));
    await this.#parts.trees.whenLeft(place.directory);
    await this.#parts.quotas?.clear(place.directory, signal);
    await removeBacking(this.#parts.mounter, place.directory);
  }

  #toGauge(request: VolumeRequest, medium: Medium | undefined): VolumeGauge {
    const { trees, quotas } = this.#parts;
    return quotas !== undefined && hasQuota(request, medium)
      ? createQuotaGauge(request.directory, quotas, trees)
      : createTreeGauge(request.directory, trees);
  }

  #toMedium({ pod, volume }: VolumeRequest): Outcome<Medium | undefined> {
    const { medium = '', sizeLimit } = volume.emptyDir ?? {};
    if (medium === '') return accept(undefined);
    if (medium === 'Memory') return accept(toMemoryMedium(pod, sizeLimit, this.#parts.node));
    if (medium !== 'HugePages' && !medium.startsWith('HugePages-'))
      return refuse(`unknown storage medium ${JSON.stringify(medium)}`);
    const pageSize = toPageSize(pod, medium);
    if (!pageSize.ok) return pageSize;
    return accept({ fsType: 'hugetlbfs', source: 'nodev', options: [`pagesize=${pageSize.value}`] });
  }

  /** A reboot takes what was mounted, but not the marker. */
  async #isReady(request: VolumeRequest, medium: Medium | undefined): Promise<boolean> {
    if (!(await exists(`${this.#markerOf(request)}/ready`))) return false;
    if (medium === undefined) return exists(request.directory);
    return (await this.#parts.mounter.mountsBelow(request.directory)).includes(request.directory);
  }

  async #mark(place: VolumePlace): Promise<void> {
    const marker = this.#markerOf(place);
    await attempt('mark', marker, makeDirectory(marker, 0o750));
    await attempt('mark', marker, writeFile(`${marker}/ready`, '', { mode: 0o640 }));
  }

  #markerOf({ podUid, name }: VolumePlace): string {
    return volumeMarkerDirectory(this.#parts.node.rootDir, podUid, PLUGIN, name);
  }
}

/** As upstream: a pod with the users of the host could give its files to another project. */
function hasQuota({ pod }: VolumeRequest, medium: Medium | undefined): boolean {
  return medium === undefined && pod.spec.hostUsers === false;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** A group that cannot be set does not keep the pod from running, as upstream has it for this type. */
async function tolerate(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
  }
}

async function attempt(action: string, path: string, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw toHostError(action, path, error);
  }
}

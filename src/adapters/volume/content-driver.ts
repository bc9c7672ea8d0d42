/**
 * Volumes made of data: ConfigMap, Secret, downward API and projected ones
 * differ only in where their files come from. Order of a set-up: gather the
 * payload, make the directory, make places for nested mounts, write. A
 * refusal before the write leaves what is there untouched.
 */

import { join } from 'node:path';
import type { Clock } from '../../base/async/clock.ts';
import { accept, type Outcome } from '../../base/outcome.ts';
import { joinInside } from '../../core/model/path-component.ts';
import { toNestedMounts } from '../../core/volume/nested-mounts.ts';
import { toOwnership } from '../../core/volume/ownership.ts';
import type { Payload } from '../../core/volume/payload.ts';
import type {
  MountedVolume,
  VolumeDriver,
  VolumePlace,
  VolumeRequest,
} from '../../ports/storage/volume-driver.ts';
import { makeDirectory } from '../linux/files/make-directory.ts';
import { toHostError } from '../linux/host-error.ts';
import type { TreeMeter } from '../linux/stats/tree-meter.ts';
import { lstat } from '../linux/storage/storage-fs.ts';
import { writeAtomically } from './place/atomic-writer.ts';
import {
  type BackingParts,
  makeBackingDirectory,
  mountBacking,
  removeBacking,
  toMemoryMedium,
} from './place/backing-directory.ts';
import { setOwnership } from './place/set-ownership.ts';
import { createContentGauge, createMemoryGauge } from './place/volume-gauges.ts';

export interface ContentDriverParts extends BackingParts {
  readonly clock: Clock;
  /** Measures what is in it. */
  readonly trees: TreeMeter;
}

export interface GatheredContent {
  readonly payload: Payload;
  readonly refreshAtMs?: number;
}

export interface ContentKind {
  readonly plugin: string;
  readonly source: VolumeDriver['source'];
  readonly backing: 'disk' | 'memory';
  readonly gather: (request: VolumeRequest) => Promise<Outcome<GatheredContent>>;
  /** The volume of a pod is gone for good. */
  readonly onUnmounted?: (place: VolumePlace) => void;
}

export function createContentDriver(parts: ContentDriverParts, kind: ContentKind): VolumeDriver {
  const { plugin, source } = kind;
  return {
    plugin,
    source,
    refreshes: true,
    mount: (request) => mountContent(parts, kind, request),
    unmount: async (place) => {
      await parts.trees.whenLeft(place.directory);
      await removeBacking(parts.mounter, place.directory);
      kind.onUnmounted?.(place);
    },
  };
}

async function mountContent(
  parts: ContentDriverParts,
  kind: ContentKind,
  request: VolumeRequest,
): Promise<Outcome<MountedVolume>> {
  const { directory, pod, volume, signal } = request;
  const content = await kind.gather(request);
  if (!content.ok) return content;
  const nested = toNestedMounts(pod, volume.name);
  if (!nested.ok) return nested;
  const medium = kind.backing === 'memory' ? toMemoryMedium(pod, undefined, parts.node) : undefined;
  const isNew = await makeBackingDirectory(directory, medium);
  const wasSetUp = !isNew && (await hasVersion(directory));
  try {
    if (!wasSetUp) await mountBacking(parts.mounter, { directory, isNew }, medium, signal);
    await write(parts, request, content.value.payload, nested.value, medium !== undefined);
  } catch (error) {
    // Half a volume is taken away again; one that containers use keeps what it shows.
    if (!wasSetUp) await removeBacking(parts.mounter, directory).catch(() => {});
    throw error;
  }
  const { refreshAtMs } = content.value;
  return accept({
    prepared: { hostPath: directory, readOnly: true, selinuxRelabel: true },
    gauge:
      kind.backing === 'memory' ? createMemoryGauge(directory) : createContentGauge(directory, parts.trees),
    refreshAtMs,
  });
}

async function write(
  { clock }: Pick<ContentDriverParts, 'clock'>,
  { directory, pod }: VolumeRequest,
  payload: Payload,
  nested: readonly string[],
  isInMemory: boolean,
): Promise<void> {
  for (const path of nested) await makeNested(directory, path);
  const ownership = toOwnership(pod, true);
  await writeAtomically({
    directory,
    payload,
    nowMs: clock.now(),
    isInMemory,
    ...(ownership === undefined ? {} : { beforeSwitch: () => setOwnership(directory, ownership) }),
  });
}

/** The link that shows a version exists only inside the mounted medium, so it proves the mount as well. */
async function hasVersion(directory: string): Promise<boolean> {
  return lstat(join(directory, '..data')).then(
    () => true,
    () => false,
  );
}

/** Below a file of the volume itself there is nothing to make. */
async function makeNested(directory: string, path: string): Promise<void> {
  const place = joinInside(directory, path);
  try {
    await makeDirectory(place, 0o755);
  } catch (error) {
    throw toHostError('create directory', place, error);
  }
}

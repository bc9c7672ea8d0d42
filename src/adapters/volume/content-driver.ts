/**
 * Volumes made of data: ConfigMap, Secret, downward API and projected ones
 * differ only in where their files come from. Order of a set-up: gather the
 * payload, make the directory, make places for nested mounts, write. A
 * refusal before the write leaves what is there untouched.
 *
 * What is mounted in memory is made while the payload is gathered: pods that
 * start at once then share a program for their mounts, however far apart the
 * API server's answers come. A refusal leaves it empty, for the next try.
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
  type Medium,
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
  const { directory, pod, volume } = request;
  const medium = kind.backing === 'memory' ? toMemoryMedium(pod, undefined, parts.node) : undefined;
  const early = medium === undefined ? undefined : makePlace(parts, request, medium);
  const [content] = await Promise.allSettled([kind.gather(request), early]);
  if (content.status === 'rejected') throw content.reason;
  if (!content.value.ok) return content.value;
  const { payload, refreshAtMs } = content.value.value;
  const nested = toNestedMounts(pod, volume.name);
  if (!nested.ok) return nested;
  const { wasSetUp } = await (early ?? makePlace(parts, request, medium));
  try {
    await write(parts, request, payload, nested.value, medium !== undefined);
  } catch (error) {
    // Half a volume is taken away again; one that containers use keeps what it shows.
    if (!wasSetUp) await removeBacking(parts.mounter, directory).catch(() => {});
    throw error;
  }
  return accept({
    prepared: { hostPath: directory, readOnly: true, selinuxRelabel: true },
    gauge:
      kind.backing === 'memory' ? createMemoryGauge(directory) : createContentGauge(directory, parts.trees),
    refreshAtMs,
  });
}

/** A failure leaves nothing, unless there was a volume already. */
async function makePlace(
  { mounter }: BackingParts,
  { directory, signal }: VolumeRequest,
  medium: Medium | undefined,
): Promise<{ readonly wasSetUp: boolean }> {
  const isNew = await makeBackingDirectory(directory, medium);
  const wasSetUp = !isNew && (await hasVersion(directory));
  if (wasSetUp) return { wasSetUp };
  try {
    await mountBacking(mounter, { directory, isNew }, medium, signal);
  } catch (error) {
    await removeBacking(mounter, directory).catch(() => {});
    throw error;
  }
  return { wasSetUp };
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

/**
 * Deletes images that no container uses: when they are too old, when their
 * disk is too full, and all of them when eviction asks. It watches by the
 * readings of pods, which cost nothing here, and looks at the runtime every
 * five minutes, and soon after a container with an unknown image appeared.
 *
 * Invariants: one collection at a time; an image that a container uses, or a
 * pod is about to use, is never deleted; a failed deletion stops no other.
 */

import { Mailbox } from '../../base/async/mailbox.ts';
import { Mutex } from '../../base/async/mutex.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import {
  type ImageCollectionPolicy,
  type ImageFileSystem,
  isPeriodic,
  listOldEnough,
  listOverAge,
  planSpace,
  renderInsufficient,
  type SpacePlan,
  takeUntilFreed,
} from '../../core/collection/image-collection.ts';
import { detectImages, type ImageRecord, type ImageRecords } from '../../core/collection/image-record.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import { containersOf, ephemeralContainersOf } from '../../core/model/pod-containers.ts';
import type { FileSystemStats } from '../../ports/host/stats-reader.ts';
import type { ImageMeter } from '../../ports/image-meter.ts';
import type { Kit } from '../../ports/kit.ts';
import type { RuntimeReader } from '../../ports/runtime/container-runtime.ts';
import type { ImageReport, ImageReporter } from '../../ports/runtime/image-report.ts';
import type { ImageService } from '../../ports/runtime/image-service.ts';
import { inSpan } from '../../ports/tracer.ts';

const TRACE_SCOPE = 'k8s.io/kubernetes/pkg/kubelet/images';
const PERIOD_MS = 300_000;
/** After a new image, and no sooner than so long after the last look. */
const SOON_MS = 60_000;
const LABEL = 'image collection';

export interface ImageCollectorParts {
  readonly kit: Pick<Kit, 'clock' | 'logger' | 'events' | 'tracer'>;
  readonly images: Pick<ImageService, 'listImages' | 'removeImage' | 'imageFsInfo'>;
  readonly reader: Pick<RuntimeReader, 'listUsedImages'>;
  readonly fileSystems: Pick<FileSystemStats, 'readFileSystem'>;
  readonly meter: Pick<ImageMeter, 'collected'>;
  readonly policy: ImageCollectionPolicy;
  /** Pods whose images are needed though no container may use them yet. */
  readonly readPods: () => Iterable<Pod>;
  /** Forgets the pulls of images that are gone: all but these, unless later than the time. Never rejects. */
  readonly pruneRecords: (kept: ReadonlySet<string>, beforeMs: number) => Promise<void>;
}

export class ImageCollector implements ImageReporter {
  readonly name = 'image collection';
  readonly #parts: ImageCollectorParts;
  readonly #mailbox: Mailbox;
  readonly #turns = new Mutex();
  #records: ImageRecords = new Map();
  /** Images of containers that were looked for, also those that the runtime lists under another identity. */
  #noted: ReadonlySet<string> = new Set();
  #watchedSinceMs: number;
  #hasFailed = false;

  constructor(parts: ImageCollectorParts) {
    this.#parts = parts;
    this.#mailbox = new Mailbox(parts.kit.clock);
    this.#watchedSinceMs = parts.kit.clock.now();
  }

  /** A pod was read from the runtime: its images are in use at this moment. */
  noteRead({ containers }: ObservedPod): void {
    const nowMs = this.#parts.kit.clock.now();
    const records = new Map(this.#records);
    let isNew = false;
    for (const { imageId } of containers) {
      const known = records.get(imageId);
      if (known === undefined) isNew ||= imageId !== '' && !this.#noted.has(imageId);
      else records.set(imageId, { ...known, lastUsedMs: nowMs, inUse: true });
    }
    this.#records = records;
    if (isNew) this.#mailbox.post('new image');
  }

  async run(stop: AbortSignal): Promise<void> {
    const { clock } = this.#parts.kit;
    this.#watchedSinceMs = clock.now();
    while (!stop.aborted) {
      const lookedAtMs = clock.steady();
      await this.#collectPeriodically(stop);
      const wake = await this.#mailbox.wait(stop, lookedAtMs + PERIOD_MS);
      if (wake.kind !== 'posted') continue;
      // Others that appear meanwhile are seen by the same look.
      await this.#waitUntil(lookedAtMs + SOON_MS, stop);
    }
  }

  /** For eviction: all images that are not used and old enough. Rejects with AgentError when one cannot be deleted. */
  removeUnusedImages(signal: AbortSignal): Promise<void> {
    return this.#turns.run(async () => {
      const { clock } = this.#parts.kit;
      const startedMs = clock.now();
      await this.#detect(signal);
      const failures = await this.#remove(
        listOldEnough(this.#records, this.#parts.policy, clock.now()),
        'space',
        signal,
      );
      await this.#prune(startedMs);
      throwIfAny(failures.errors);
    });
  }

  /** Looks at the runtime now. Rejects with AgentError. */
  report(signal: AbortSignal): Promise<ImageReport> {
    return this.#turns.run(async () => {
      const { policy, kit } = this.#parts;
      await this.#detect(signal);
      const fileSystem = await this.#readFileSystem(signal).catch(() => undefined);
      const space = fileSystem && planSpace(fileSystem, policy);
      const old = listOverAge(this.#records, policy, this.#watchedSinceMs, kit.clock.now());
      const spare = listOldEnough(this.#records, policy, kit.clock.now()).filter(
        (image) => !old.includes(image),
      );
      const forSpace = space?.kind === 'free' ? takeUntilFreed(spare, space.bytesToFree) : [];
      const wouldRemove = [...old, ...forSpace].map(({ id }) => id);
      return { images: [...this.#records.values()], fileSystem, space, wouldRemove };
    });
  }

  /** Never rejects. One failure may be a runtime that has just started; a second in a row is an event. */
  async #collectPeriodically(stop: AbortSignal): Promise<void> {
    const { kit, policy } = this.#parts;
    try {
      await this.#turns.run(() => (isPeriodic(policy) ? this.#collect(stop) : this.#detect(stop)));
      this.#hasFailed = false;
    } catch (error) {
      if (stop.aborted) return;
      kit.logger.error('image collection failed', error);
      const message = errorText(error);
      if (this.#hasFailed && isPeriodic(policy))
        kit.events.record({ about: 'node', type: 'Warning', reason: 'ImageGCFailed', message });
      this.#hasFailed = true;
    }
  }

  #collect(signal: AbortSignal): Promise<void> {
    const span = { name: 'Images/GarbageCollect', scope: TRACE_SCOPE };
    return inSpan(
      this.#parts.kit.tracer,
      () => span,
      () => this.#collectNow(signal),
    );
  }

  async #collectNow(signal: AbortSignal): Promise<void> {
    const { kit, policy } = this.#parts;
    const startedMs = kit.clock.now();
    await this.#detect(signal);
    const old = listOverAge(this.#records, policy, this.#watchedSinceMs, startedMs);
    const aged = await this.#remove(old, 'age', signal);
    const fileSystem = await this.#readFileSystem(signal);
    const space = planSpace(fileSystem, policy);
    if (space.kind === 'invalid-capacity') {
      const message = 'invalid capacity 0 on image filesystem';
      kit.events.record({ about: 'node', type: 'Warning', reason: 'InvalidDiskCapacity', message });
      throw new AgentError('failed-precondition', message);
    }
    if (space.kind === 'free') await this.#makeRoom(space, fileSystem, startedMs, signal);
    throwIfAny(aged.errors);
  }

  async #makeRoom(
    { usedPercent, bytesToFree }: Extract<SpacePlan, { kind: 'free' }>,
    { capacityBytes }: ImageFileSystem,
    startedMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { kit, policy } = this.#parts;
    kit.logger.info('image disk usage is above its threshold', {
      usedPercent,
      highThresholdPercent: policy.highPercent,
      bytesToFree,
    });
    const spare = listOldEnough(this.#records, policy, kit.clock.now());
    const { freedBytes, errors } = await this.#remove(spare, 'space', signal, bytesToFree);
    await this.#prune(startedMs);
    throwIfAny(errors);
    if (freedBytes >= bytesToFree) return;
    const message = renderInsufficient(usedPercent, capacityBytes, freedBytes);
    kit.events.record({ about: 'node', type: 'Warning', reason: 'FreeDiskSpaceFailed', message });
    throw new AgentError('resource-exhausted', message);
  }

  /** Brings the records up to date. Rejects with AgentError. */
  async #detect(signal: AbortSignal): Promise<void> {
    const { images, reader, readPods, kit } = this.#parts;
    const options = { signal, label: LABEL };
    const listed = await images.listImages(options);
    // After the images: a container that was made meanwhile is seen to use its own.
    const containers = await reader.listUsedImages(options);
    const used = containers.flatMap(({ image, imageId }) => [image, imageId]);
    this.#noted = new Set(containers.map(({ imageId }) => imageId));
    const wanted = [...readPods()].flatMap(listImageNames);
    this.#records = detectImages(this.#records, listed, [...used, ...wanted], kit.clock.now());
  }

  async #readFileSystem(signal: AbortSignal): Promise<ImageFileSystem> {
    const { images, fileSystems } = this.#parts;
    const mountpoint = (await images.imageFsInfo({ signal, label: LABEL })).images[0]?.mountpoint;
    if (mountpoint === undefined)
      throw new AgentError('unavailable', 'the runtime names no image filesystem');
    return fileSystems.readFileSystem(mountpoint, signal);
  }

  /** Deletes in order until so much is free. What cannot be deleted is reported, not thrown. */
  async #remove(
    candidates: readonly ImageRecord[],
    reason: 'age' | 'space',
    signal: AbortSignal,
    bytesToFree = Number.POSITIVE_INFINITY,
  ): Promise<{ readonly freedBytes: number; readonly errors: readonly string[] }> {
    const { images, meter, kit } = this.#parts;
    let freedBytes = 0;
    let count = 0;
    const errors: string[] = [];
    for (const { id, repoTags, sizeBytes } of candidates) {
      if (freedBytes >= bytesToFree || signal.aborted) break;
      // A container may have come while others were deleted.
      if (this.#records.get(id)?.inUse !== false) continue;
      try {
        await images.removeImage(id, { signal, label: LABEL });
      } catch (error) {
        errors.push(errorText(error));
        continue;
      }
      kit.logger.info('image deleted', { image: repoTags[0] ?? id, id, sizeBytes, reason });
      this.#records = new Map([...this.#records].filter(([other]) => other !== id));
      freedBytes += sizeBytes;
      count++;
      meter.collected(reason);
    }
    if (count > 0) kit.logger.info('images collected', { reason, count, freedBytes, failed: errors.length });
    return { freedBytes, errors };
  }

  async #prune(beforeMs: number): Promise<void> {
    const kept = [...this.#records.values()].flatMap(({ id, repoDigests }) => [id, ...repoDigests]);
    await this.#parts.pruneRecords(new Set(kept), beforeMs);
  }

  async #waitUntil(untilMs: number, stop: AbortSignal): Promise<void> {
    const { clock } = this.#parts.kit;
    while (!stop.aborted && clock.steady() < untilMs) await this.#mailbox.wait(stop, untilMs);
  }
}

function throwIfAny(errors: readonly string[]): void {
  if (errors.length > 0) throw new AgentError('unavailable', `wanted to free images: ${errors.join(', ')}`);
}

/** Of its containers and of volumes that are images. */
function listImageNames(pod: Pod): string[] {
  const all = [...containersOf(pod), ...ephemeralContainersOf(pod)];
  const containers = all.map(({ image }) => image ?? '');
  const volumes = (pod.spec.volumes ?? []).map(({ image }) => image?.reference ?? '');
  return [...containers, ...volumes].filter((name) => name !== '');
}

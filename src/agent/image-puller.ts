/**
 * Makes sure an image is on the machine before a container is created. One
 * image is pulled once at a time however many pods ask for it; how many
 * different ones at a time is configured. A failed pull is tried again after
 * a back-off that is kept per pod and image.
 */
import { advanceBackOff, type BackOffEntry, type BackOffPolicy } from '../base/back-off.ts';
import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import { Gate } from '../base/gate.ts';
import { RateLimit } from '../base/rate-limit.ts';
import type { Container, Pod } from '../core/api/pod.ts';
import { toContainerFieldPath } from '../core/pod/field-path.ts';
import type { PodUid } from '../core/pod/ids.ts';
import { renderGoDuration } from '../core/spec/go-duration.ts';
import { toTaggedImage } from '../core/spec/image-name.ts';
import type { SandboxConfig } from '../core/spec/sandbox-config.ts';
import type { EventRecorder } from '../ports/event-recorder.ts';
import type { ImageInfo, ImageService } from '../ports/image-service.ts';

const BACK_OFF: BackOffPolicy = { initialMs: 10_000, maxMs: 300_000, factor: 2, forgetAfterMs: 600_000 };

export type ImageAnswer =
  | { readonly ok: true; readonly imageId: string; readonly info: ImageInfo | undefined }
  | { readonly ok: false; readonly reason: string; readonly message: string; readonly retryAtMs: number };

export interface ImageRequest {
  readonly uid: PodUid;
  readonly pod: Pod;
  readonly container: Container;
  readonly sandboxConfig: SandboxConfig;
  readonly signal: AbortSignal;
  readonly label: string;
}

export interface ImagePullerParts {
  readonly images: ImageService;
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** Pulls at a time; 1 is the serial mode, Infinity no limit. */
  readonly maxParallelPulls: number;
  readonly pullsPerSecond: number;
  readonly burst: number;
}

interface SharedPull {
  readonly result: Promise<string>;
  readonly abort: AbortController;
  waiters: number;
}

export class ImagePuller {
  readonly #parts: ImagePullerParts;
  readonly #gate: Gate;
  readonly #rate: RateLimit;
  readonly #pulls = new Map<string, SharedPull>();
  readonly #backOff = new Map<string, BackOffEntry>();

  constructor(parts: ImagePullerParts) {
    this.#parts = parts;
    this.#gate = new Gate(
      Number.isFinite(parts.maxParallelPulls) ? parts.maxParallelPulls : Number.MAX_SAFE_INTEGER,
    );
    this.#rate = new RateLimit(parts.clock, parts.pullsPerSecond, parts.burst);
  }

  /** Rejects only when `signal` aborted; everything else is an answer. */
  async ensure(request: ImageRequest): Promise<ImageAnswer> {
    const { container } = request;
    const image = container.image ?? '';
    const tagged = toTaggedImage(image);
    if (!tagged.ok) {
      this.#record(request, 'Warning', 'InspectFailed', tagged.message);
      return this.#refused('InvalidImageName', tagged.message);
    }
    const policy = container.imagePullPolicy;
    if (policy !== 'IfNotPresent' && policy !== 'Never') return this.#pull(request, tagged.value);
    const { images } = this.#parts;
    try {
      const info = await images.imageStatus(tagged.value, request);
      if (info !== undefined) {
        this.#record(request, 'Normal', 'Pulled', `Container image "${image}" already present on machine`);
        return { ok: true, imageId: info.id, info };
      }
    } catch (error) {
      if (request.signal.aborted) throw error;
      const message = `Failed to inspect image "": ${errorText(error)}`;
      this.#record(request, 'Warning', 'InspectFailed', message);
      return this.#refused('ImageInspectError', message);
    }
    if (policy !== 'Never') return this.#pull(request, tagged.value);
    const message = `Container image "${image}" is not present with pull policy of Never`;
    this.#record(request, 'Warning', 'ErrImageNeverPull', message);
    return this.#refused('ErrImageNeverPull', message);
  }

  /** True while the image, as a container names it, is being pulled for anybody. */
  isPulling(image: string): boolean {
    const tagged = toTaggedImage(image);
    return tagged.ok && this.#pulls.has(tagged.value);
  }

  /** Drops the back-off of a pod that is gone. */
  forget(uid: PodUid): void {
    for (const key of this.#backOff.keys()) if (key.startsWith(`${uid}_`)) this.#backOff.delete(key);
  }

  async #pull(request: ImageRequest, tagged: string): Promise<ImageAnswer> {
    const { clock, images } = this.#parts;
    const image = request.container.image ?? '';
    const askedMs = clock.now();
    this.#record(request, 'Normal', 'Pulling', `Pulling image "${image}"`);
    try {
      const { imageId, startedMs } = await this.#sharedPull(request, tagged);
      const endedMs = clock.now();
      const info = await images.imageStatus(tagged, request).catch(() => undefined);
      const took = renderGoDuration(Math.trunc(endedMs - startedMs));
      const total = renderGoDuration(Math.trunc(endedMs - askedMs));
      const size = `Image size: ${info?.sizeBytes ?? 0} bytes.`;
      this.#record(
        request,
        'Normal',
        'Pulled',
        `Successfully pulled image "${image}" in ${took} (${total} including waiting). ${size}`,
      );
      return { ok: true, imageId, info };
    } catch (error) {
      if (request.signal.aborted) throw error;
      return this.#pullFailed(request, image, errorText(error));
    }
  }

  /** Joins a pull of the same image under way, or starts one; the last to give up ends it. */
  async #sharedPull(request: ImageRequest, tagged: string): Promise<{ imageId: string; startedMs: number }> {
    const { clock } = this.#parts;
    // An event that has passed is not heard: the pull would hold the pod until its end.
    request.signal.throwIfAborted();
    let startedMs = clock.now();
    const running = this.#pulls.get(tagged);
    const pull =
      running ??
      this.#startPull(request, tagged, () => {
        startedMs = clock.now();
      });
    pull.waiters++;
    const giveUp = Promise.withResolvers<never>();
    const onAbort = (): void => giveUp.reject(request.signal.reason);
    request.signal.addEventListener('abort', onAbort, { once: true });
    try {
      return { imageId: await Promise.race([pull.result, giveUp.promise]), startedMs };
    } finally {
      request.signal.removeEventListener('abort', onAbort);
      if (--pull.waiters === 0) {
        // Whoever comes now begins anew instead of sharing the end of this one.
        this.#release(tagged, pull);
        pull.abort.abort(new Error('nobody waits for this pull any more'));
      }
    }
  }

  #startPull(request: ImageRequest, tagged: string, onStart: () => void): SharedPull {
    const { images } = this.#parts;
    const abort = new AbortController();
    const work = async (): Promise<string> => {
      if (!this.#rate.tryTake()) throw new Error('pull QPS exceeded');
      onStart();
      const { sandboxConfig, label } = request;
      return images.pullImage(tagged, { signal: abort.signal, sandboxConfig, label });
    };
    const result = this.#gate.run(0, abort.signal, work).finally(() => this.#release(tagged, pull));
    result.catch(() => {});
    const pull: SharedPull = { result, abort, waiters: 0 };
    this.#pulls.set(tagged, pull);
    return pull;
  }

  #release(tagged: string, pull: SharedPull): void {
    if (this.#pulls.get(tagged) === pull) this.#pulls.delete(tagged);
  }

  #pullFailed(request: ImageRequest, image: string, text: string): ImageAnswer {
    const { clock } = this.#parts;
    const key = `${request.uid}_${image}`;
    const nowMs = clock.now();
    const entry = advanceBackOff(BACK_OFF, this.#backOff.get(key), nowMs, nowMs);
    this.#backOff.set(key, entry);
    this.#record(request, 'Warning', 'Failed', `Failed to pull image "${image}": ${text}`);
    const { reason, message } = classify(image, text);
    return { ok: false, reason, message, retryAtMs: nowMs + entry.delayMs };
  }

  #refused(reason: string, message: string): ImageAnswer {
    return { ok: false, reason, message, retryAtMs: this.#parts.clock.now() + BACK_OFF.initialMs };
  }

  #record(
    { pod, container }: ImageRequest,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    this.#parts.events.record({
      pod,
      fieldPath: toContainerFieldPath(pod, container.name),
      type,
      reason,
      message,
    });
  }
}

/** Some runtimes say by a prefix what kind of failure it was. */
function classify(image: string, text: string): { reason: string; message: string } {
  const kinds = [
    ['RegistryUnavailable', 'the registry is unavailable'],
    ['SignatureValidationFailed', 'the signature validation failed'],
  ] as const;
  for (const [reason, words] of kinds) {
    if (!text.startsWith(reason)) continue;
    return { reason, message: `image pull failed for ${image} because ${words}${text.slice(reason.length)}` };
  }
  return { reason: 'ErrImagePull', message: text };
}

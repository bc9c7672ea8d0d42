/**
 * Makes sure an image is on the machine, and that the pod may use it, before a
 * container is created. An image that is there is not pulled again if what is
 * remembered of its pulls allows the pod to use it; else the pod has to pull
 * it with credentials of its own, even if nothing then has to be transferred.
 */
import { AgentError, errorText } from '../../base/errors.ts';
import type { Outcome } from '../../base/outcome.ts';
import { renderGoDuration } from '../../base/text/go-duration.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { VerificationSettings } from '../../core/image/decide-image-access.ts';
import { classifyPullError } from '../../core/image/pull-error.ts';
import { toRecordedCredentials } from '../../core/image/pull-record.ts';
import type { PullCredential } from '../../core/image/registry-credential.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { SandboxConfig } from '../../core/model/sandbox-config.ts';
import { toTaggedImage } from '../../core/spec/image-name.ts';
import type { ImageMeter } from '../../ports/image-meter.ts';
import type { Kit } from '../../ports/kit.ts';
import type { ImageInfo, ImageService } from '../../ports/runtime/image-service.ts';
import { askImageAccess } from './image-access.ts';
import { computeCredentialHash, type ImageCredentials } from './image-credentials.ts';
import { PullBackOff } from './pull-back-off.ts';
import type { PullEnd, PullRecords } from './pull-records.ts';
import { type PullAnswer, type PullLimits, type PullState, SharedPulls } from './shared-pulls.ts';
import { watchLongPull } from './watch-long-pull.ts';

/** When what was refused without a pull is looked at again. */
const LOOK_AGAIN_MS = 10_000;
/** Errors after which it is unknown whether the runtime has the image. */
const UNHEARD: ReadonlySet<string> = new Set(['unavailable', 'deadline-exceeded', 'cancelled']);

export type ImageAnswer =
  | {
      readonly ok: true;
      readonly imageId: string;
      readonly info: ImageInfo | undefined;
      /** Why there is no `info`: the image is there, but it could not be inspected, so its user is unknown. */
      readonly inspectError?: string | undefined;
    }
  | { readonly ok: false; readonly reason: string; readonly message: string; readonly retryAtMs: number };

export interface ImageRequest {
  readonly uid: PodUid;
  readonly pod: Pod;
  /** As the user wrote it. */
  readonly image: string;
  /** `Always`, `IfNotPresent` or `Never`; anything else is `Always`. */
  readonly policy: string | undefined;
  /** The container that events are about; absent for the pod itself. */
  readonly container?: string;
  readonly sandboxConfig: SandboxConfig;
  /** The pod's handler, where the runtime takes it for images. */
  readonly runtimeHandler?: string;
  readonly signal: AbortSignal;
  readonly label: string;
}

export interface ImagePullerParts {
  readonly kit: Pick<Kit, 'clock' | 'logger' | 'events'>;
  readonly images: ImageService;
  readonly meter: Pick<ImageMeter, 'ensured' | 'accessAsked'>;
  readonly credentials: Pick<ImageCredentials, 'find' | 'forget'>;
  /** Who may use what is there; undefined and every pod may. */
  readonly verification:
    | { readonly records: PullRecords; readonly settings: VerificationSettings }
    | undefined;
  readonly limits: PullLimits;
}

/** What one call of `ensure` finds out on its way. */
interface Attempt extends ImageRequest {
  readonly tagged: string;
  readonly present: ImageInfo | undefined;
  /** Asked for once, and no earlier than needed. */
  readonly findCredentials: () => Promise<Outcome<readonly PullCredential[]>>;
}

/** What was found out, for metrics; absent fields were not checked. */
interface Sighting {
  isPresent?: boolean;
  mustPull?: boolean;
}

export class ImagePuller {
  readonly name = 'image puller';
  readonly #parts: ImagePullerParts;
  readonly #pulls: SharedPulls;
  readonly #backOff = new PullBackOff();

  constructor(parts: ImagePullerParts) {
    this.#parts = parts;
    this.#pulls = new SharedPulls({ ...parts, clock: parts.kit.clock });
  }

  /** Rejects only when `signal` aborted; everything else is an answer. */
  async ensure(request: ImageRequest): Promise<ImageAnswer> {
    const seen: Sighting = {};
    try {
      return await this.#ensure(request, seen);
    } finally {
      this.#parts.meter.ensured(request.policy ?? 'Always', seen.isPresent, seen.mustPull);
    }
  }

  async #ensure(request: ImageRequest, seen: Sighting): Promise<ImageAnswer> {
    const { pod, image, policy, signal } = request;
    const tagged = toTaggedImage(image);
    if (!tagged.ok) {
      this.#record(request, 'Warning', 'InspectFailed', tagged.message);
      return this.#refused('InvalidImageName', tagged.message);
    }
    const looksFirst = policy === 'IfNotPresent' || policy === 'Never';
    const present = await this.#readStatus(request, tagged.value, looksFirst);
    if (present !== undefined && 'ok' in present) return present;
    if (looksFirst) seen.isPresent = present !== undefined;
    let found: Promise<Outcome<readonly PullCredential[]>> | undefined;
    const findCredentials = (): Promise<Outcome<readonly PullCredential[]>> => {
      found ??= this.#parts.credentials.find(pod, image, signal);
      return found;
    };
    const attempt = { ...request, tagged: tagged.value, present, findCredentials };
    const had = looksFirst && present !== undefined ? await this.#usePresent(attempt, present) : undefined;
    if (had !== undefined) {
      if (had.ok) seen.mustPull = false;
      return had;
    }
    if (policy !== 'Never' || present !== undefined) seen.mustPull = true;
    if (policy !== 'Never') return this.#pull(attempt);
    // The same words for an image that is there but not for this pod: it must not learn that.
    const message = `Container image "${image}" is not present with pull policy of Never`;
    this.#record(request, 'Warning', 'ErrImageNeverPull', message);
    return this.#refused('ErrImageNeverPull', message);
  }

  /** The pull under way for the image as a container names it, for any pod. */
  pullState(image: string): PullState | undefined {
    const tagged = toTaggedImage(image);
    return tagged.ok ? this.#pulls.stateOf(tagged.value) : undefined;
  }

  /** The next pulls of the pod need not wait. */
  forgetWaits(uid: PodUid): void {
    this.#backOff.forget(uid);
  }

  /** Drops what is kept of a pod that is gone. */
  podGone({ uid }: { readonly uid: PodUid }): void {
    this.#backOff.forget(uid);
    this.#parts.credentials.forget(uid);
  }

  /** Of an image that is pulled anyway only what it was before matters, and only for the records. */
  async #readStatus(
    request: ImageRequest,
    tagged: string,
    mustKnow: boolean,
  ): Promise<ImageInfo | Extract<ImageAnswer, { ok: false }> | undefined> {
    const { images, verification } = this.#parts;
    if (!mustKnow && verification === undefined) return undefined;
    try {
      return await images.imageStatus(tagged, request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      if (!mustKnow) return undefined;
      const message = `Failed to inspect image "": ${errorText(error)}`;
      this.#record(request, 'Warning', 'InspectFailed', message);
      return this.#refused('ImageInspectError', message);
    }
  }

  /** Undefined when the pod has to pull the image itself. */
  async #usePresent(attempt: Attempt, info: ImageInfo): Promise<ImageAnswer | undefined> {
    const { verification } = this.#parts;
    const already = `Container image "${attempt.image}" already present on machine`;
    if (verification !== undefined) {
      const { meter } = this.#parts;
      const allowed = await askImageAccess({ ...verification, meter }, { ...attempt, info });
      // Such an error has no reason of its own: its text is the reason.
      if (!allowed.ok) return this.#refused(allowed.message, allowed.message);
      if (!allowed.value) return undefined;
    }
    const message = verification === undefined ? already : `${already} and can be accessed by the pod`;
    this.#record(attempt, 'Normal', 'Pulled', message);
    return { ok: true, imageId: info.id, info };
  }

  async #pull(attempt: Attempt): Promise<ImageAnswer> {
    const { kit, verification } = this.#parts;
    const { uid, image } = attempt;
    const wait = this.#backOff.waitOf(uid, image, kit.clock.now());
    if (wait !== undefined) {
      const message = `Back-off pulling image "${image}": ${wait.lastError}`;
      return { ok: false, reason: 'ImagePullBackOff', message, retryAtMs: wait.untilMs };
    }
    const credentials = await attempt.findCredentials();
    if (!credentials.ok) return this.#refused(credentials.message, credentials.message);
    try {
      await verification?.records.begin(image, attempt.present?.id);
    } catch (error) {
      const reason = `failed to record image pull intent: ${errorText(error)}`;
      return this.#refused(
        reason,
        `Failed to record image pull intent for container image "${image}": ${reason}`,
      );
    }
    return this.#pullNow(attempt, credentials.value);
  }

  async #pullNow(attempt: Attempt, credentials: readonly PullCredential[]): Promise<ImageAnswer> {
    const { kit, images, verification } = this.#parts;
    const { clock } = kit;
    const { image, tagged, signal } = attempt;
    const askedMs = clock.steady();
    this.#record(attempt, 'Normal', 'Pulling', `Pulling image "${image}"`);
    let answer: PullAnswer;
    let wasAsked = false;
    const onAsked = (): void => {
      wasAsked = true;
    };
    try {
      using _watch = this.#watchLong(attempt);
      answer = await this.#pulls.pull({ ...attempt, image: tagged, credentials, onAsked });
    } catch (error) {
      const isUnheard = signal.aborted ? wasAsked : error instanceof AgentError && UNHEARD.has(error.code);
      const ended = verification?.records.end(image, { kind: isUnheard ? 'unknown' : 'failed' });
      if (signal.aborted) throw error;
      await ended;
      return this.#pullFailed(attempt, errorText(error));
    }
    const endedMs = clock.steady();
    await verification?.records.end(image, toPullEnd(answer, credentials));
    let info: ImageInfo | undefined;
    let inspectError: string | undefined;
    try {
      info = await images.imageStatus(tagged, attempt);
    } catch (error) {
      inspectError = errorText(error);
    }
    const took = renderGoDuration(Math.trunc(endedMs - Math.max(askedMs, answer.startedMs)));
    const total = renderGoDuration(Math.trunc(endedMs - askedMs));
    const text = `Successfully pulled image "${image}" in ${took} (${total} including waiting).`;
    this.#record(attempt, 'Normal', 'Pulled', `${text} Image size: ${info?.sizeBytes ?? 0} bytes.`);
    return {
      ok: true,
      imageId: answer.imageId,
      info,
      inspectError,
    };
  }

  #pullFailed(attempt: Attempt, text: string): ImageAnswer {
    const { uid, image } = attempt;
    this.#record(attempt, 'Warning', 'Failed', `Failed to pull image "${image}": ${text}`);
    const { reason, message } = classifyPullError(image, text);
    const nowMs = this.#parts.kit.clock.now();
    const retryAtMs = this.#backOff.noteFailure(uid, image, nowMs, `${reason}: ${message}`);
    return { ok: false, reason, message, retryAtMs };
  }

  #watchLong(attempt: Attempt): Disposable {
    const { pod, image, tagged } = attempt;
    return watchLongPull(this.#parts.kit, {
      pod,
      image,
      readState: () => this.#pulls.stateOf(tagged),
      onLong: (message) => this.#record(attempt, 'Normal', 'Pulling', message),
    });
  }

  #refused(reason: string, message: string): Extract<ImageAnswer, { ok: false }> {
    return { ok: false, reason, message, retryAtMs: this.#parts.kit.clock.now() + LOOK_AGAIN_MS };
  }

  #record(
    { pod, container }: ImageRequest,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    this.#parts.kit.events.record({ about: { pod, container }, type, reason, message });
  }
}

/** Each who waited is remembered with its own secret, though all shared one pull. */
function toPullEnd(
  { imageId, credentialIndex }: PullAnswer,
  credentials: readonly PullCredential[],
): PullEnd {
  const used = credentialIndex === undefined ? undefined : credentials[credentialIndex];
  const hash = used === undefined ? '' : computeCredentialHash(used);
  return { kind: 'pulled', imageRef: imageId, credentials: toRecordedCredentials(used, hash) };
}

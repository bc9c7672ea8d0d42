/**
 * The pull records of this node: `<root>/image_manager/pulling` lists the pulls
 * begun, `pulled` the credentials each image was pulled with. Read once at
 * start; afterwards this is the only writer, so memory is as good as the disk.
 *
 * Invariants: an intent is on disk before its pull begins, and stays until the
 * record of the pull is, or the pull is known to have brought nothing. So an
 * image that may have been pulled with a pod's credentials is never taken for
 * one that was preloaded.
 */
import { hash } from 'node:crypto';
import { Mutex } from '../../base/async/mutex.ts';
import { errorText } from '../../base/errors.ts';
import { toFullReference, trimTagAndDigest } from '../../core/image/image-repository.ts';
import {
  type ImagePullCredentials,
  mergeIntoRecord,
  type PulledRecord,
  parsePulledRecord,
  parsePullIntent,
  renderPulledRecord,
  renderPullIntent,
} from '../../core/image/pull-record.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { ImageMeter } from '../../ports/image-meter.ts';
import type { Kit } from '../../ports/kit.ts';
import type { ImageInfo } from '../../ports/runtime/image-service.ts';

const OLD_VERSION = 'kubelet.config.k8s.io/v1alpha1';

export interface PullRecordsParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly files: Pick<
    HostFiles,
    'makeDirectory' | 'writeFile' | 'readFile' | 'listDirectory' | 'removeTree'
  >;
  readonly rootDir: string;
  /** The images on the machine; listed once, if there are pulls with an unknown outcome. */
  readonly listImages: (stop?: AbortSignal) => Promise<readonly ImageInfo[]>;
  readonly meter?: Pick<ImageMeter, 'recordsKept'>;
}

/** How a pull ended for one who waited for it. */
export type PullEnd =
  | { readonly kind: 'pulled'; readonly imageRef: string; readonly credentials: ImagePullCredentials }
  /** The runtime said that it has nothing. */
  | { readonly kind: 'failed' }
  /** Its outcome is unknown. */
  | { readonly kind: 'unknown' };

interface Intent {
  /** Pulls under way. */
  readonly count: number;
  /** An earlier one may have brought the image without a record. */
  readonly isOpen: boolean;
  /** What the name meant on this machine before: that image did not come by these pulls. */
  readonly hadRef: string | undefined;
}

export class PullRecords {
  readonly #parts: PullRecordsParts;
  readonly #pulling: string;
  readonly #pulled: string;
  readonly #intents = new Map<string, Intent>();
  /** By file name. */
  readonly #records = new Map<string, PulledRecord | 'unreadable'>();
  #isLoaded = false;
  #stop: AbortSignal | undefined;
  readonly #mutex = new Mutex();

  constructor(parts: PullRecordsParts) {
    this.#parts = parts;
    this.#pulling = `${parts.rootDir}/image_manager/pulling`;
    this.#pulled = `${parts.rootDir}/image_manager/pulled`;
  }

  /**
   * Reads the records of earlier runs and settles pulls with an unknown
   * outcome. Never rejects: what cannot be read now is read before the next pull,
   * and until then no image counts as verified. Makes no call once `stop` aborted.
   */
  async load(stop?: AbortSignal): Promise<void> {
    this.#stop = stop;
    try {
      await this.#inTurn(() => this.#loadOnce());
    } catch (error) {
      this.#parts.logger.warn('cannot read the pull records, retrying before the next pull', {
        err: errorText(error),
      });
    }
  }

  recordOf(imageRef: string): PulledRecord | 'none' | 'unreadable' {
    const known = this.#records.get(fileNameOf(imageRef));
    return known ?? (this.#isLoaded ? 'none' : 'unreadable');
  }

  /** Whether a pull under any of its names, however spelled, may have brought this image. */
  hasIntent(image: string, { id, repoTags, repoDigests }: ImageInfo): boolean {
    if (this.#intents.size === 0) return false;
    const names = new Set([image, ...repoTags, ...repoDigests].map(toFullReference));
    return [...this.#intents].some(
      ([other, { hadRef }]) => hadRef !== id && names.has(toFullReference(other)),
    );
  }

  /**
   * Before a pull; `hadRef` is the identity the name has on this machine now.
   * Rejects with AgentError when it cannot be remembered: then there must be
   * no pull.
   */
  begin(image: string, hadRef: string | undefined): Promise<void> {
    return this.#inTurn(async () => {
      await this.#loadOnce();
      const before = this.#intents.get(image);
      if (before === undefined) await this.#write(this.#pulling, fileNameOf(image), renderPullIntent(image));
      const { count, isOpen, hadRef: known } = before ?? { count: 0, isOpen: false, hadRef };
      this.#intents.set(image, { count: count + 1, isOpen, hadRef: known === hadRef ? hadRef : undefined });
    });
  }

  /** After a pull that was begun. Never rejects: what cannot be written leaves the intent. */
  end(image: string, end: PullEnd): Promise<void> {
    return this.#inTurn(async () => {
      const { count, isOpen, hadRef } = this.#intents.get(image) ?? {
        count: 1,
        isOpen: false,
        hadRef: undefined,
      };
      const isRecorded =
        end.kind === 'pulled' && (await this.#tryRecord(image, end.imageRef, end.credentials));
      const staysOpen = end.kind === 'pulled' ? !isRecorded : isOpen || end.kind === 'unknown';
      this.#intents.set(image, { count: count - 1, isOpen: staysOpen, hadRef });
      if (count <= 1 && !staysOpen) await this.#dropIntent(image);
    });
  }

  /** A credential is as good as one recorded. Never rejects. */
  async remember(image: string, imageRef: string, credentials: ImagePullCredentials): Promise<void> {
    await this.#inTurn(() => this.#tryRecord(image, imageRef, credentials));
  }

  /** Drops records of images that were removed: all but `kept`, unless newer than `beforeMs`. Never rejects. */
  async prune(kept: ReadonlySet<string>, beforeMs: number): Promise<void> {
    await this.#inTurn(async () => {
      for (const [name, record] of [...this.#records]) {
        if (record === 'unreadable' || kept.has(record.imageRef)) continue;
        if (Date.parse(record.lastUpdatedTime) >= beforeMs) continue;
        await this.#tryRemove(`${this.#pulled}/${name}`);
        this.#records.delete(name);
      }
    });
  }

  /** One change at a time: each looks at what the one before it left. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    return this.#mutex.run(() =>
      change().finally(() => this.#parts.meter?.recordsKept(this.#intents.size, this.#records.size)),
    );
  }

  async #loadOnce(): Promise<void> {
    if (this.#isLoaded) return;
    const { listImages } = this.#parts;
    for (const [, text] of await this.#readAll(this.#pulling)) this.#takeIntent(text);
    for (const [name, text] of await this.#readAll(this.#pulled)) await this.#takeRecord(name, text);
    if (this.#intents.size > 0) await this.#settle(await listImages(this.#stop));
    this.#isLoaded = true;
  }

  async #write(directory: string, name: string, content: string): Promise<void> {
    const { files } = this.#parts;
    await files.makeDirectory(directory, 0o700);
    await files.writeFile(`${directory}/${name}`, content, 0o600);
  }

  async #readAll(directory: string): Promise<[name: string, text: string][]> {
    const { files } = this.#parts;
    const found: [string, string][] = [];
    for (const name of await files.listDirectory(directory)) {
      // Anything else is a file that was being written.
      if (!name.startsWith('sha256-')) continue;
      const text = await files.readFile(`${directory}/${name}`);
      if (text !== undefined) found.push([name, text]);
    }
    return found;
  }

  #takeIntent(text: string): void {
    const intent = parsePullIntent(text);
    if (intent.ok) this.#intents.set(intent.value, { count: 0, isOpen: true, hadRef: undefined });
    else this.#parts.logger.warn('cannot read pull intent', { err: intent.message });
  }

  async #takeRecord(name: string, text: string): Promise<void> {
    const record = parsePulledRecord(text);
    const isRight = record.ok && fileNameOf(record.value.imageRef) === name;
    this.#records.set(name, isRight ? record.value : 'unreadable');
    if (!isRight)
      this.#parts.logger.warn('cannot read pull record', {
        file: name,
        err: record.ok ? 'it is of another image' : record.message,
      });
    else if (text.includes(OLD_VERSION))
      await this.#write(this.#pulled, name, renderPulledRecord(record.value));
  }

  /** An image that is present and whose pull was begun was pulled by us, with unknown credentials. */
  async #settle(images: readonly ImageInfo[]): Promise<void> {
    for (const image of [...this.#intents.keys()]) {
      const wanted = toFullReference(image);
      const found = images.find(({ repoTags, repoDigests }) =>
        [...repoTags, ...repoDigests].some((name) => toFullReference(name) === wanted),
      );
      if (found !== undefined && (await this.#tryRecord(image, found.id, undefined)))
        await this.#dropIntent(image);
    }
  }

  async #tryRecord(
    image: string,
    imageRef: string,
    credentials: ImagePullCredentials | undefined,
  ): Promise<boolean> {
    const { clock, logger } = this.#parts;
    const name = fileNameOf(imageRef);
    const known = this.#records.get(name);
    const before = known === 'unreadable' ? undefined : known;
    const after = mergeIntoRecord(before, imageRef, trimTagAndDigest(image), credentials, clock.now());
    if (after === before) return true;
    try {
      await this.#write(this.#pulled, name, renderPulledRecord(after));
    } catch (error) {
      logger.warn('cannot write pull record, the next pod pulls the image again', {
        image,
        err: errorText(error),
      });
      return false;
    }
    this.#records.set(name, after);
    return true;
  }

  async #dropIntent(image: string): Promise<void> {
    if (await this.#tryRemove(`${this.#pulling}/${fileNameOf(image)}`)) this.#intents.delete(image);
    else this.#intents.set(image, { count: 0, isOpen: true, hadRef: undefined });
  }

  async #tryRemove(path: string): Promise<boolean> {
    try {
      await this.#parts.files.removeTree(path);
      return true;
    } catch (error) {
      this.#parts.logger.warn('cannot remove pull record', { path, err: errorText(error) });
      return false;
    }
  }
}

function fileNameOf(text: string): string {
  return `sha256-${hash('sha256', text)}`;
}

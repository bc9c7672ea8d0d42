/**
 * The last words of ended containers: the file they were given for it, or the
 * end of their log when they failed and left the file empty. Both places can
 * be written by the container, so they are opened without following links and
 * only their tail is read. An ended container does not change: read once.
 */
import { errorText } from '../../base/errors.ts';
import {
  TERMINATION_MESSAGE_PATH_ANNOTATION,
  TERMINATION_MESSAGE_POLICY_ANNOTATION,
} from '../../core/model/container-labels.ts';
import type { ContainerId } from '../../core/model/ids.ts';
import type { ObservedContainer, ObservedPod } from '../../core/model/observed-pod.ts';
import { exitCodeOf } from '../../core/model/restart.ts';
import { parseLogTail } from '../../core/spec/container-log.ts';
import {
  renderFileError,
  renderLogError,
  TERMINATION_FILE_BYTES,
  toFileText,
  toLogText,
  wantsLogFallback,
} from '../../core/status/termination-message.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';

/** Enough of a log for its last lines; longer lines are cut from the front. */
const LOG_TAIL_BYTES = 64 * 1024;

export class TerminationMessages {
  readonly #files: HostFiles;
  readonly #read = new Map<ContainerId, string>();

  constructor(files: HostFiles) {
    this.#files = files;
  }

  /** Texts by container id; containers without any are missing. Never rejects. */
  async read(observed: ObservedPod): Promise<ReadonlyMap<ContainerId, string>> {
    const ended = observed.containers.filter(({ state }) => state === 'exited');
    await Promise.all(ended.map((container) => this.#readOnce(container)));
    const texts = ended.map(({ id }) => [id, this.#read.get(id) ?? ''] as const);
    return new Map(texts.filter(([, text]) => text !== ''));
  }

  /** Drops what is remembered of a container that was removed. */
  forget(id: ContainerId): void {
    this.#read.delete(id);
  }

  async #readOnce(container: ObservedContainer): Promise<void> {
    if (this.#read.has(container.id)) return;
    const fileText = await this.#readFile(container);
    const ended = {
      policy: container.annotations[TERMINATION_MESSAGE_POLICY_ANNOTATION],
      exitCode: exitCodeOf(container),
      reason: container.details?.reason ?? '',
    };
    const text = wantsLogFallback(ended, fileText) ? await this.#readLog(container) : fileText;
    this.#read.set(container.id, text);
  }

  async #readFile(container: ObservedContainer): Promise<string> {
    const path = container.annotations[TERMINATION_MESSAGE_PATH_ANNOTATION];
    const mount = container.details?.mounts.find(({ containerPath }) => containerPath === path);
    if (path === undefined || path === '' || mount === undefined) return '';
    try {
      const tail = await this.#files.readTail(mount.hostPath, TERMINATION_FILE_BYTES);
      return tail === undefined ? '' : toFileText(tail);
    } catch (error) {
      return renderFileError(path, errorText(error));
    }
  }

  async #readLog(container: ObservedContainer): Promise<string> {
    try {
      const tail = await this.#files.readTail(container.details?.logPath ?? '', LOG_TAIL_BYTES);
      return tail === undefined ? '' : toLogText(parseLogTail(tail));
    } catch (error) {
      return renderLogError(errorText(error));
    }
  }
}

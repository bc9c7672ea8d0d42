/** When the last shutdown of the node began and ended, kept in upstream's file over the reboot. */
import { errorText } from '../../base/errors.ts';
import {
  parseShutdownTimes,
  renderShutdownTimes,
  type ShutdownTimes,
} from '../../core/shutdown/shutdown-times.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Kit } from '../../ports/kit.ts';

const MODE = 0o644;

export interface ShutdownRecordParts {
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly files: Pick<HostFiles, 'readFile' | 'writeFile'>;
  readonly path: string;
}

/** A file that cannot be read or written is logged: the shutdown goes on without it. */
export class ShutdownRecord {
  readonly #parts: ShutdownRecordParts;
  #times: ShutdownTimes = { startMs: undefined, endMs: undefined };

  constructor(parts: ShutdownRecordParts) {
    this.#parts = parts;
  }

  get times(): ShutdownTimes {
    return this.#times;
  }

  async load(): Promise<void> {
    const { kit, files, path } = this.#parts;
    try {
      const text = await files.readFile(path);
      const times = text === undefined ? undefined : parseShutdownTimes(text);
      if (times !== undefined) this.#times = times;
      else if (text !== undefined) kit.logger.warn('the file of the last shutdown is damaged', { path });
    } catch (error) {
      kit.logger.warn('cannot read the file of the last shutdown', { path, err: errorText(error) });
    }
  }

  begin(): Promise<void> {
    return this.#save({ startMs: this.#parts.kit.clock.now(), endMs: undefined });
  }

  end(): Promise<void> {
    return this.#save({ ...this.#times, endMs: this.#parts.kit.clock.now() });
  }

  async #save(times: ShutdownTimes): Promise<void> {
    const { kit, files, path } = this.#parts;
    this.#times = times;
    try {
      await files.writeFile(path, renderShutdownTimes(times), MODE);
    } catch (error) {
      kit.logger.warn('cannot write the file of the last shutdown', { path, err: errorText(error) });
    }
  }
}

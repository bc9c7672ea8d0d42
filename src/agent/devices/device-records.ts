/**
 * `kubelet_internal_checkpoint`: who has which devices, and which resources
 * were registered. Written after every change; an allocation waits until it is
 * on disk. A damaged file is not fatal: the agent begins without it and says so.
 * One that cannot be read is: it may be whole, and devices in use would be given
 * to others.
 *
 * Invariant: nothing is written before the file has been read.
 */
import { ConflatingWriter } from '../../base/async/conflating-writer.ts';
import { errorText } from '../../base/errors.ts';
import {
  type DeviceCheckpoint,
  parseDeviceCheckpoint,
  renderDeviceCheckpoint,
} from '../../core/devices/device-checkpoint.ts';
import type { DevicePluginHost } from '../../ports/devices/device-plugin.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Kit } from '../../ports/kit.ts';

const FILE = 'kubelet_internal_checkpoint';
const DIRECTORY_MODE = 0o750;
const WRITE_DELAY_MS = 200;

export interface DeviceRecordsParts extends Pick<Kit, 'clock' | 'logger'> {
  /** `<root>/device-plugins`. */
  readonly directory: string;
  readonly files: Pick<HostFiles, 'readFile' | 'writeFile' | 'makeDirectory'>;
  readonly host: Pick<DevicePluginHost, 'decodeResponse'>;
}

export class DeviceRecords {
  readonly #parts: DeviceRecordsParts;
  readonly #writer: ConflatingWriter;
  /** Undefined until the file has been read. */
  #read: (() => DeviceCheckpoint) | undefined;
  #changedBefore = false;
  #written = '';

  constructor(parts: DeviceRecordsParts) {
    this.#parts = parts;
    const { clock, logger } = parts;
    this.#writer = new ConflatingWriter({
      write: () => this.#write(),
      clock,
      delayMs: () => WRITE_DELAY_MS,
      onFailure: (error) =>
        logger.warn('cannot write device checkpoint, retrying', {
          err: errorText(error),
        }),
    });
  }

  /**
   * What the file says: nothing when it is damaged, undefined when there is none. Rejects with AgentError when it
   * cannot be read. `read` is what is written from now on.
   */
  async load(read: () => DeviceCheckpoint): Promise<DeviceCheckpoint | undefined> {
    const saved = await this.#readFile();
    this.#read = read;
    if (this.#changedBefore) this.schedule();
    return saved;
  }

  schedule(): void {
    if (this.#read === undefined) this.#changedBefore = true;
    else this.#writer.schedule();
  }

  /** Why it could not be written, in upstream's words; undefined when it is on disk. */
  async store(): Promise<string | undefined> {
    try {
      await this.#writer.writeNow();
      return undefined;
    } catch (error) {
      return `failed to write checkpoint file ${JSON.stringify(FILE)}: ${errorText(error)}`;
    }
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  get #path(): string {
    return `${this.#parts.directory}/${FILE}`;
  }

  async #readFile(): Promise<DeviceCheckpoint | undefined> {
    const { files, host, logger } = this.#parts;
    const path = this.#path;
    const text = await files.readFile(path);
    if (text === undefined) return undefined;
    const parsed = parseDeviceCheckpoint(text, (encoded) => host.decodeResponse(encoded));
    if ('problem' in parsed) {
      logger.warn('device checkpoint cannot be used, beginning without it', { path, why: parsed.problem });
      return { assignments: [], registered: new Map() };
    }
    for (const { why, ...entry } of parsed.skipped)
      logger.warn('entry of the device checkpoint left out', { path, ...entry, why });
    return parsed;
  }

  async #write(): Promise<void> {
    if (this.#read === undefined) throw new Error('the device checkpoint has not been read yet');
    const text = renderDeviceCheckpoint(this.#read());
    if (text === this.#written) return;
    const { files, directory } = this.#parts;
    await files.makeDirectory(directory, DIRECTORY_MODE);
    await files.writeFile(this.#path, text, 0o600);
    this.#written = text;
  }
}

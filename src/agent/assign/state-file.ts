/**
 * The file of what was assigned, as the upstream kubelet has it. Changes are
 * written at once, several that come together in one write; a container starts
 * only after what it was given is on disk (`stored`), so that a crash cannot
 * give it away twice.
 */
import type { Clock } from '../../base/async/clock.ts';
import { ConflatingWriter } from '../../base/async/conflating-writer.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';

export interface StateFileParts {
  readonly files: Pick<HostFiles, 'readFile' | 'writeFile' | 'makeDirectory'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class StateFile {
  readonly #parts: StateFileParts;
  readonly #directory: string;
  readonly #path: string;
  readonly #render: () => string;
  readonly #writer: ConflatingWriter;
  #written: string | undefined;

  constructor(directory: string, name: string, render: () => string, parts: StateFileParts) {
    const path = `${directory}/${name}`;
    this.#directory = directory;
    this.#path = path;
    this.#render = render;
    this.#parts = parts;
    this.#writer = new ConflatingWriter({
      clock: parts.clock,
      write: () => this.#write(),
      onFailure: (error) =>
        parts.logger.warn('cannot write assignments, retrying', {
          path,
          err: errorText(error),
        }),
    });
  }

  /** Undefined when there is none yet. Rejects with AgentError when it cannot be read. */
  async read(): Promise<string | undefined> {
    this.#written = await this.#parts.files.readFile(this.#path);
    return this.#written;
  }

  /** What an agent says that finds the file unusable; `owner` is `CPU` or `memory`. */
  refuse(owner: string, problem: string): AgentError {
    const advice = `please drain this node and delete the ${owner} manager checkpoint file ${JSON.stringify(this.#path)} before restarting Kubelet`;
    const message = `could not restore state from checkpoint: ${problem}, ${advice}`;
    return new AgentError('failed-precondition', message);
  }

  /** Something has changed; returns at once. */
  changed(): void {
    this.#writer.schedule();
  }

  /** Rejects with AgentError when the file cannot be written; the next call tries again. */
  async stored(): Promise<void> {
    if (this.#render() !== this.#written) await this.#writer.writeNow();
  }

  async flush(): Promise<void> {
    await this.#writer.flush();
  }

  async #write(): Promise<void> {
    const text = this.#render();
    if (text === this.#written) return;
    if (this.#written === undefined) await this.#parts.files.makeDirectory(this.#directory, 0o755);
    await this.#parts.files.writeFile(this.#path, text, 0o600);
    this.#written = text;
  }
}

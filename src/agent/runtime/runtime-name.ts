/** How the runtime calls itself, asked once before any pod: the ids in statuses begin with it. */
import type { RuntimeReader } from '../../ports/runtime/container-runtime.ts';

export class RuntimeName {
  readonly name = 'runtime name';
  readonly #reader: Pick<RuntimeReader, 'version'>;
  #current = '';

  constructor(reader: Pick<RuntimeReader, 'version'>) {
    this.#reader = reader;
  }

  /** Such as `containerd`; empty before it was loaded. */
  get current(): string {
    return this.#current;
  }

  /** Rejects with AgentError when the runtime does not answer. */
  async load(stop: AbortSignal): Promise<void> {
    const { runtimeName } = await this.#reader.version({ signal: stop, label: 'start' });
    this.#current = runtimeName;
  }
}

/**
 * The CSIDriver objects of the cluster, kept current: what each storage
 * driver asks of nodes. Callers wait until the list was read once.
 */
import { abortable } from '../../base/abortable.ts';
import type { CsiDriverObject, CsiDriverSpec } from '../../core/api/storage.ts';
import { CSI_DRIVERS } from '../../ports/api-resource.ts';
import type { ApiServer } from '../../ports/api-server.ts';
import type { ListWatch } from '../../ports/list-watch.ts';

export class CsiDriverList {
  readonly #watch: ListWatch<CsiDriverObject>;
  readonly #specs = new Map<string, CsiDriverSpec>();
  readonly #synced = Promise.withResolvers<void>();
  readonly #listeners = new Set<() => void>();

  constructor(api: Pick<ApiServer, 'follow'>) {
    this.#watch = api.follow<CsiDriverObject>({ resource: CSI_DRIVERS });
  }

  /** Undefined when there is no such object; rejects when `signal` aborts before that is known. */
  async get(name: string, signal: AbortSignal): Promise<CsiDriverSpec | undefined> {
    await abortable(this.#synced.promise, signal);
    return this.#specs.get(name);
  }

  /** What is known now. */
  peek(name: string): CsiDriverSpec | undefined {
    return this.#specs.get(name);
  }

  /** Calls `listener` after every change; dispose the result to stop. */
  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async run(stop: AbortSignal): Promise<void> {
    await this.#watch.run(stop, {
      onReplace: (drivers) => {
        this.#specs.clear();
        for (const { metadata, spec } of drivers) this.#specs.set(metadata.name, spec);
        this.#notify();
      },
      onEvent: (type, { metadata, spec }) => {
        if (type === 'DELETED') this.#specs.delete(metadata.name);
        else this.#specs.set(metadata.name, spec);
        this.#notify();
      },
      onSynced: () => this.#synced.resolve(),
    });
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/**
 * The CSIDriver objects of the cluster, kept current: what each storage
 * driver asks of nodes. Callers wait until the list was read once.
 */
import { abortable } from '../../base/async/abortable.ts';
import type { CsiDriverObject, CsiDriverSpec } from '../../core/api/storage.ts';
import { CSI_DRIVERS } from '../../ports/cluster/api-resource.ts';
import type { ApiServer } from '../../ports/cluster/api-server.ts';
import { FollowedList } from '../../ports/cluster/followed-list.ts';

export class CsiDriverList {
  readonly #specs: FollowedList<CsiDriverObject, CsiDriverSpec>;

  constructor(api: Pick<ApiServer, 'follow'>) {
    const watch = api.follow<CsiDriverObject>({ resource: CSI_DRIVERS });
    this.#specs = new FollowedList({ watch, toKept: ({ spec }) => spec });
  }

  /** Undefined when there is no such object; rejects when `signal` aborts before that is known. */
  async get(name: string, signal: AbortSignal): Promise<CsiDriverSpec | undefined> {
    await abortable(this.#specs.whenSynced(), signal);
    return this.#specs.get(name);
  }

  /** What is known now. */
  peek(name: string): CsiDriverSpec | undefined {
    return this.#specs.get(name);
  }

  /** Calls `listener` after every change; dispose the result to stop. */
  subscribe(listener: () => void): Disposable {
    return this.#specs.subscribe(listener);
  }

  run(stop: AbortSignal): Promise<void> {
    return this.#specs.run(stop);
  }
}

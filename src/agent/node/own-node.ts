/**
 * The node object of this machine as the API server has it, kept current.
 * Written by its own watch and by the answers to the reporter's writes, which
 * come sooner; everyone else reads.
 *
 * Invariant: an older version never replaces a newer one of the same object.
 */
import { orAborted } from '../../base/async/abortable.ts';
import type { Node } from '../../core/api/node.ts';
import { isOlderVersion } from '../../core/api/resource-version.ts';
import { NODES } from '../../ports/cluster/api-resource.ts';
import type { ApiServer } from '../../ports/cluster/api-server.ts';
import { FollowedList } from '../../ports/cluster/followed-list.ts';
import type { ListWatch, ListWatchHealth } from '../../ports/cluster/list-watch.ts';

/** Who waits for it has something else to fall back on. */
const REFRESH_TIMEOUT_MS = 5_000;

export class OwnNode {
  readonly #api: Pick<ApiServer, 'get'>;
  readonly #nodeName: string;
  readonly #watch: ListWatch<Node>;
  readonly #nodes: FollowedList<Node>;

  constructor(api: Pick<ApiServer, 'follow' | 'get'>, nodeName: string) {
    this.#api = api;
    this.#nodeName = nodeName;
    this.#watch = api.follow<Node>({ resource: NODES, fieldSelector: `metadata.name=${nodeName}` });
    this.#nodes = new FollowedList<Node>({
      watch: this.#watch,
      toKept: (node) => node,
      replaces: (next, current) => !isOlder(next, current),
    });
  }

  /** Undefined while it is not known, and when there is none. */
  get current(): Node | undefined {
    return this.#nodes.get(this.#nodeName);
  }

  health(): ListWatchHealth {
    return this.#watch.health();
  }

  /** Calls `listener` after every change; dispose the result to stop. */
  subscribe(listener: () => void): Disposable {
    return this.#nodes.subscribe(listener);
  }

  /** Resolves when the API server has said whether there is a node, or with `stop`. */
  async whenSynced(stop: AbortSignal): Promise<void> {
    await orAborted(this.#nodes.whenSynced(), stop);
  }

  /** Resolves when there is a node, or with `stop`. */
  async whenExists(stop: AbortSignal): Promise<void> {
    if (this.current !== undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    using _subscription = this.subscribe(() => this.current !== undefined && resolve());
    await orAborted(promise, stop);
  }

  /** Reads the node now, for what cannot wait for the watch. Rejects with AgentError when that fails. */
  async refresh(): Promise<void> {
    const ref = { resource: NODES, name: this.#nodeName };
    this.remember(await this.#api.get<Node>(ref, { timeoutMs: REFRESH_TIMEOUT_MS }));
  }

  /** Takes what the API server answered to a read or a write of the node; undefined when there is none. */
  remember(node: Node | undefined): void {
    if (node === undefined) this.#nodes.drop(this.#nodeName);
    else this.#nodes.take(node);
  }

  run(stop: AbortSignal): Promise<void> {
    return this.#nodes.run(stop);
  }
}

function isOlder({ metadata }: Node, than: Node): boolean {
  const { uid, resourceVersion } = than.metadata;
  return metadata.uid === uid && isOlderVersion(metadata.resourceVersion, resourceVersion);
}

/**
 * Shows the storage drivers of this node in the API: the CSINode object, and
 * on the Node their ids and topology. One change at a time; after a conflict
 * with another writer the change is recomputed.
 *
 * Invariant: the CSINode belongs to the node object that exists now; one that
 * an earlier node of the same name left is replaced.
 */
import type { Clock } from '../../base/async/clock.ts';
import { Mutex } from '../../base/async/mutex.ts';
import { retry, retryUntilStopped } from '../../base/async/retry.ts';
import type { RetryPolicy } from '../../base/async/retry-delay.ts';
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Node } from '../../core/api/node.ts';
import type { CsiNodeObject } from '../../core/api/storage.ts';
import {
  type CsiNodeInfo,
  isForeign,
  toCsiNode,
  toNodeChange,
  toNodeRemoval,
  withDriver,
  withMigration,
  withoutDriver,
} from '../../core/volume/csi/csi-node.ts';
import { CSI_NODES, NODES } from '../../ports/cluster/api-resource.ts';
import type { ApiServer } from '../../ports/cluster/api-server.ts';
import type { CsiNodeRecord } from './csi-registration.ts';

export const NOT_INITIALIZED = 'CSINode is not yet initialized';

const CHANGE_TRIES = 4;
const CHANGE_RETRY: RetryPolicy = { initialMs: 10, maxMs: 10_000, factor: 5 };
const INIT_RETRY: RetryPolicy = { initialMs: 1_000, maxMs: 30_000 };

export interface ApiCsiNodeRecordParts {
  readonly api: Pick<ApiServer, 'get' | 'create' | 'update' | 'patch' | 'delete'>;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Resolves when there is a node object, or with `stop`. */
  readonly whenNodeExists: (stop: AbortSignal) => Promise<void>;
  /** Whether the node counts as ready has changed. */
  readonly onInitialized: () => void;
}

type Change = (current: CsiNodeObject) => CsiNodeObject | undefined;

export class ApiCsiNodeRecord implements CsiNodeRecord {
  readonly #parts: ApiCsiNodeRecordParts;
  readonly #mutex = new Mutex();
  #problem: string | undefined = NOT_INITIALIZED;

  constructor(parts: ApiCsiNodeRecordParts) {
    this.#parts = parts;
  }

  /** Why the node cannot use drivers yet; undefined when it can. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The same for a node that may have been ready before: that this run has not created the object yet is no reason to flip. */
  problemFor(wasReady: boolean): string | undefined {
    return wasReady && this.#problem === NOT_INITIALIZED ? undefined : this.#problem;
  }

  /** Creates the CSINode object; retries until it exists or `stop` aborts. */
  async run(stop: AbortSignal): Promise<void> {
    const { clock, logger, onInitialized, whenNodeExists } = this.#parts;
    await whenNodeExists(stop);
    const initialize = async (): Promise<void> => {
      await this.#mutex.run(() => this.#change(withMigration, stop));
      this.#problem = undefined;
      onInitialized();
    };
    const onFailure = (error: unknown): void => {
      this.#problem = `failed to initialize CSINode: ${errorText(error)}`;
      logger.error('cannot initialize the CSINode object', error);
    };
    await retryUntilStopped(initialize, { clock, policy: INIT_RETRY, stop, onFailure });
  }

  add(info: CsiNodeInfo, signal: AbortSignal): Promise<void> {
    return this.#mutex.run(async () => {
      await this.#again(() => this.#showOnNode(info, signal), signal);
      await this.#again(() => this.#change((current) => withDriver(current, info), signal), signal);
    });
  }

  remove(driver: string): Promise<void> {
    return this.#mutex.run(async () => {
      await this.#again(() => this.#change((current) => withoutDriver(current, driver)));
      await this.#again(() => this.#hideOnNode(driver));
    });
  }

  async #showOnNode(info: CsiNodeInfo, signal: AbortSignal): Promise<void> {
    const { api } = this.#parts;
    const change = toNodeChange(await this.#readNode(signal), info);
    if (!change.ok) throw new AgentError('failed-precondition', change.message);
    if (change.value !== undefined)
      await api.patch(this.#node(), change.value, { kind: 'strategic', signal });
  }

  async #hideOnNode(driver: string): Promise<void> {
    const change = toNodeRemoval(await this.#readNode(), driver);
    if (change !== undefined) await this.#parts.api.patch(this.#node(), change, { kind: 'strategic' });
  }

  /** Creates the object when there is none, or replaces that of an earlier node. */
  async #change(change: Change, signal?: AbortSignal): Promise<void> {
    const { api, nodeName } = this.#parts;
    const ref = { resource: CSI_NODES, name: nodeName };
    const options = signal === undefined ? {} : { signal };
    const node = await this.#readNode(signal);
    const found = await api.get<CsiNodeObject>(ref, options);
    if (found !== undefined && !isForeign(found, node)) {
      const next = change({ ...found, spec: { ...found.spec, drivers: found.spec.drivers ?? [] } });
      if (next !== undefined) await api.update(ref, next, options);
      return;
    }
    if (found !== undefined) await api.delete(ref, { ...options, ...uidOf(found) });
    const fresh = toCsiNode(node);
    await api.create(CSI_NODES, change(fresh) ?? fresh, options);
  }

  async #readNode(signal?: AbortSignal): Promise<Node> {
    const node = await this.#parts.api.get<Node>(this.#node(), signal === undefined ? {} : { signal });
    if (node === undefined)
      throw new AgentError('not-found', `error getting node "${this.#parts.nodeName}": there is none`);
    return node;
  }

  #node(): { readonly resource: typeof NODES; readonly name: string } {
    return { resource: NODES, name: this.#parts.nodeName };
  }

  /** Others write these objects too. */
  #again(work: () => Promise<void>, signal?: AbortSignal): Promise<void> {
    const mayRetry = (error: unknown, failures: number): boolean =>
      failures < CHANGE_TRIES && !hasCode(error, 'failed-precondition');
    return retry(work, { clock: this.#parts.clock, policy: CHANGE_RETRY, signal, mayRetry });
  }
}

function uidOf({ metadata: { uid } }: CsiNodeObject): { readonly uid?: string } {
  return uid === undefined ? {} : { uid };
}

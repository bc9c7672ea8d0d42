/**
 * The heartbeat: renews this node's lease several times within its duration.
 * Independent of the node status, so that nothing that status waits for can
 * make the node look dead.
 *
 *   no lease in hand ──get, or create──► in hand ──update──► in hand (rest, update again)
 *        ▲                                          └─conflict: get again, then update
 *        └───────────────every try failed───────────┘
 *
 * The lease is never deleted: when the agent ends, it simply runs out.
 */
import { sleep } from '../../base/async/clock.ts';
import { retryUntilStopped } from '../../base/async/retry.ts';
import type { RetryPolicy } from '../../base/async/retry-delay.ts';
import { AgentError, hasCode } from '../../base/errors.ts';
import type { Lease } from '../../core/api/lease.ts';
import type { Node } from '../../core/api/node.ts';
import { hasOwner, LEASE_NAMESPACE, toNewLease, toRenewedLease } from '../../core/node-status/node-lease.ts';
import { LEASES, NODES } from '../../ports/cluster/api-resource.ts';
import type { ApiCallOptions, ApiServer, ObjectRef } from '../../ports/cluster/api-server.ts';
import type { Kit } from '../../ports/kit.ts';

const TRIES = 5;
/** Of the lease duration. */
const RENEW_FRACTION = 0.25;
const JITTER = 0.04;
const RETRY: RetryPolicy = { initialMs: 200, maxMs: 7_000 };

export interface NodeLeaseParts extends Pick<Kit, 'clock' | 'logger' | 'random'> {
  readonly api: Pick<ApiServer, 'get' | 'create' | 'update'>;
  readonly nodeName: string;
  readonly durationSeconds: number;
  /** Of one call. */
  readonly timeoutMs: number;
  /** Updates fail again and again: the connection may be a dead one. */
  readonly onRepeatedFailure?: (error: unknown) => void;
}

export class NodeLease {
  readonly #parts: NodeLeaseParts;
  readonly #ref: ObjectRef;
  #held: Lease | undefined;
  #renewedAtMs: number | undefined;

  constructor(parts: NodeLeaseParts) {
    this.#parts = parts;
    this.#ref = { resource: LEASES, namespace: LEASE_NAMESPACE, name: parts.nodeName };
  }

  /** When the API server last took a heartbeat, in steady time; undefined before the first. */
  get renewedAtMs(): number | undefined {
    return this.#renewedAtMs;
  }

  async run(stop: AbortSignal): Promise<void> {
    const { clock, random, durationSeconds } = this.#parts;
    const periodMs = durationSeconds * 1000 * RENEW_FRACTION;
    while (!stop.aborted) {
      await this.#beat(stop);
      await sleep(clock, periodMs * (1 + random() * JITTER), stop);
    }
  }

  async #beat(stop: AbortSignal): Promise<void> {
    if (this.#held !== undefined && (await this.#renew(stop))) return;
    const { lease, created } = await this.#obtain(stop);
    this.#held = lease;
    if (lease === undefined || stop.aborted) return;
    if (created) this.#renewedAtMs = this.#parts.clock.steady();
    else await this.#renew(stop);
  }

  /** False when no try succeeded; at once one after the other, because time is short. */
  async #renew(stop: AbortSignal): Promise<boolean> {
    const { api, clock, logger, onRepeatedFailure } = this.#parts;
    for (let attempt = 1; attempt <= TRIES && this.#held !== undefined && !stop.aborted; attempt++) {
      try {
        const nodeUid = hasOwner(this.#held) ? undefined : await this.#readNodeUid(stop);
        const renewed = toRenewedLease(this.#held, this.#parts, nodeUid, clock.now());
        this.#held = await api.update<Lease>(this.#ref, renewed, this.#options(stop));
        this.#renewedAtMs = clock.steady();
        return true;
      } catch (error) {
        if (stop.aborted) return false;
        logger.error('cannot renew the node lease', error, { attempt });
        if (hasCode(error, 'conflict')) this.#held = (await this.#obtain(stop)).lease;
        else if (attempt > 1) onRepeatedFailure?.(error);
      }
    }
    return false;
  }

  /** Tries until it has the lease, or is stopped. None is created for a node that does not exist. */
  async #obtain(stop: AbortSignal): Promise<{ lease: Lease | undefined; created: boolean }> {
    const { api, clock, logger } = this.#parts;
    const getOrCreate = async (): Promise<{ lease: Lease | undefined; created: boolean }> => {
      const lease = await api.get<Lease>(this.#ref, this.#options(stop));
      return lease === undefined
        ? { lease: await this.#create(stop), created: true }
        : { lease, created: false };
    };
    const onFailure = (error: unknown, delayMs: number): void =>
      logger.error('cannot get the node lease', error, { retryInMs: delayMs });
    const obtained = await retryUntilStopped(getOrCreate, { clock, policy: RETRY, stop, onFailure });
    return obtained ?? { lease: undefined, created: false };
  }

  async #create(stop: AbortSignal): Promise<Lease | undefined> {
    const { api, clock, logger } = this.#parts;
    let nodeUid: string;
    try {
      nodeUid = await this.#readNodeUid(stop);
    } catch (error) {
      logger.debug({ file: 'node-lease', level: 2 }, 'no node to create a lease for', { err: error });
      return undefined;
    }
    return api.create<Lease>(LEASES, toNewLease(this.#parts, nodeUid, clock.now()), this.#options(stop));
  }

  async #readNodeUid(stop: AbortSignal): Promise<string> {
    const { api, nodeName } = this.#parts;
    const node = await api.get<Node>({ resource: NODES, name: nodeName }, this.#options(stop));
    if (node?.metadata.uid !== undefined) return node.metadata.uid;
    throw new AgentError('not-found', `cannot find node "${nodeName}"`);
  }

  #options(signal: AbortSignal): ApiCallOptions {
    return { signal, priority: 'heartbeat', timeoutMs: this.#parts.timeoutMs };
  }
}

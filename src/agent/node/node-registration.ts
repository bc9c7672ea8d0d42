/**
 * Introduces the node to the cluster, once per life of the agent: creates its
 * object, or corrects one that is already there. Tries until it succeeds;
 * everything that does not need the cluster runs meanwhile.
 */

import { retryUntilStopped } from '../../base/async/retry.ts';
import type { RetryPolicy } from '../../base/async/retry-delay.ts';
import { AgentError, hasCode } from '../../base/errors.ts';
import type { Node } from '../../core/api/node.ts';
import type { EventText } from '../../core/model/event-text.ts';
import { computeNodePatch } from '../../core/node-status/node-patch.ts';
import {
  type RegistrationSettings,
  reconcileNode,
  toInitialNode,
} from '../../core/node-status/node-registration.ts';
import { NODES } from '../../ports/cluster/api-resource.ts';
import type { ApiServer, ObjectRef } from '../../ports/cluster/api-server.ts';
import type { Kit } from '../../ports/kit.ts';
import type { NodeFactReader } from './node-fact-reader.ts';

const RETRY: RetryPolicy = { initialMs: 100, maxMs: 7_000 };

export interface NodeRegistrationParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly api: Pick<ApiServer, 'get' | 'create' | 'patch'>;
  readonly facts: Pick<NodeFactReader, 'read'>;
  readonly settings: RegistrationSettings;
  /** Retry a refused create; otherwise look for a node that exists already. */
  readonly onlyWhenExists: boolean;
  /** Whether no device plugin has left anything on this machine. */
  readonly readIsRecreated: () => Promise<boolean>;
}

export interface Registered {
  readonly node: Node;
  /** False when the node was there before; its status is then still the old one. */
  readonly created: boolean;
  readonly events: readonly EventText[];
}

export class NodeRegistration {
  readonly #parts: NodeRegistrationParts;

  constructor(parts: NodeRegistrationParts) {
    this.#parts = parts;
  }

  /** Undefined when stopped before it succeeded. The first try is made at once. */
  async run(stop: AbortSignal): Promise<Registered | undefined> {
    const { clock, logger } = this.#parts;
    const onFailure = (error: unknown, delayMs: number): void =>
      logger.error('cannot register the node', error, { retryInMs: delayMs });
    const settings = { clock, policy: RETRY, stop, onFailure };
    const registered = await retryUntilStopped(() => this.#try(stop), settings);
    if (registered !== undefined)
      logger.info('node registered', {
        node: registered.node.metadata.name,
        existedBefore: !registered.created,
      });
    return registered;
  }

  async #try(signal: AbortSignal): Promise<Registered> {
    const { api, clock, facts, settings, onlyWhenExists } = this.#parts;
    const { node, events } = toInitialNode(settings, await facts.read(signal), clock.now());
    try {
      return { node: await api.create<Node>(NODES, node, { signal }), created: true, events };
    } catch (error) {
      const mayExist =
        hasCode(error, 'already-exists') || (hasCode(error, 'permission-denied') && !onlyWhenExists);
      if (!mayExist) throw error;
      return { node: await this.#reconcile(node, signal), created: false, events: [] };
    }
  }

  async #reconcile(initial: Node, signal: AbortSignal): Promise<Node> {
    const { api, readIsRecreated } = this.#parts;
    const ref: ObjectRef = { resource: NODES, name: initial.metadata.name };
    const isRecreated = await readIsRecreated();
    const existing = await api.get<Node>(ref, { signal });
    if (existing === undefined)
      throw new AgentError('not-found', `cannot create node "${ref.name}", and there is none`);
    const patch = computeNodePatch(existing, reconcileNode(existing, initial, isRecreated));
    if (patch === undefined) return existing;
    return api.patch<Node>(ref, patch, { kind: 'strategic', subresource: 'status', signal });
  }
}

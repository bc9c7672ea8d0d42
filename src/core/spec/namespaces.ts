/**
 * Which kernel namespaces a pod shares with the node, and the user mapping of
 * a pod that does not share users.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { quote } from '../../base/text/quote.ts';
import type { Pod } from '../api/pod.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import type { IdMapping, NamespaceOptions } from '../model/sandbox-config.ts';

/** The namespaces of the pod's sandbox; `mapping` counts only when the pod has users of its own. */
export function toNamespaces(pod: Pod, mapping: IdMapping | undefined): NamespaceOptions {
  const { hostNetwork, hostIPC, hostPID, shareProcessNamespace, hostUsers } = pod.spec;
  const own = hostUsers === false && mapping !== undefined;
  return {
    network: hostNetwork === true ? 'node' : 'pod',
    ipc: hostIPC === true ? 'node' : 'pod',
    pid: hostPID === true ? 'node' : shareProcessNamespace === true ? 'pod' : 'container',
    user: own ? { uids: [mapping], gids: [mapping] } : 'node',
  };
}

/**
 * Refuses a pod that wants users of its own from a runtime that cannot give
 * them. `handler` is the runtime handler of the pod's RuntimeClass, '' for
 * the default one.
 */
export function checkUserNamespace(
  pod: Pod,
  handler: string,
  facts: Pick<NodeProfile, 'runtimeHandlers'>,
): Outcome<void> {
  if (pod.spec.hostUsers !== false) return accept(undefined);
  const handlers = facts.runtimeHandlers();
  const known = handlers.find(({ name }) => name === handler);
  if (known === undefined && handlers.length > 0) return refuse(`the handler ${quote(handler)} is not known`);
  if (known?.userNamespaces === true) return accept(undefined);
  const who = handler === '' ? 'runtime' : `RuntimeClass handler ${quote(handler)}`;
  return refuse(`can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces`);
}

/** Refuses a pod that wants users of its own and has got none: it must never run with the node's. */
export function checkUserMapping(
  pod: Pod,
  mapping: IdMapping | undefined,
  handler: string,
  facts: Pick<NodeProfile, 'runtimeHandlers'>,
): Outcome<void> {
  const able = checkUserNamespace(pod, handler, facts);
  if (!able.ok || pod.spec.hostUsers !== false || mapping !== undefined) return able;
  return refuse('could not find an empty slot to allocate a user namespace');
}

/**
 * Whether the pod's newest sandbox can be kept or a new one is needed, and
 * with which attempt number. Both the plan and the condition
 * PodReadyToStartContainers are derived from this one answer.
 */
import type { Pod } from '../api/pod.ts';
import type { SandboxId } from '../model/ids.ts';
import type { ObservedPod, ObservedSandbox } from '../model/observed-pod.ts';

export type SandboxNeed =
  | { readonly kind: 'keep'; readonly sandbox: ObservedSandbox }
  | {
      readonly kind: 'create';
      readonly attempt: number;
      /** The sandbox that is replaced, when an event must report it. */
      readonly replaces?: SandboxId;
    };

/** First match wins; sandboxes are newest first. */
export function decideSandbox(pod: Pod, observed: ObservedPod): SandboxNeed {
  const newest = observed.sandboxes[0];
  if (newest === undefined) return { kind: 'create', attempt: 0 };
  const attempt = newest.attempt + 1;
  const ready = observed.sandboxes.filter((sandbox) => sandbox.ready);
  if (ready.length > 1 || !newest.ready) return { kind: 'create', attempt, replaces: newest.id };
  const hostNetwork = pod.spec.hostNetwork === true;
  const network = newest.network;
  if (network !== undefined && (network.mode === 'node') !== hostNetwork) return { kind: 'create', attempt };
  const lostItsAddress = network?.reported === true && network.ips.length === 0;
  if (!hostNetwork && lostItsAddress) return { kind: 'create', attempt, replaces: newest.id };
  return { kind: 'keep', sandbox: newest };
}

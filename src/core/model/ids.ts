/**
 * Identities that must not be mixed up. Those of sandboxes and containers are
 * opaque: only the runtime reads them. A pod's UID names directories and
 * cgroups, so there is none that was not checked: `..` is no UID.
 */
import type { Brand } from '../../base/brand.ts';
import { AgentError } from '../../base/errors.ts';
import { quote } from '../../base/text/quote.ts';

export type PodUid = Brand<string, 'PodUid'>;
export type SandboxId = Brand<string, 'SandboxId'>;
export type ContainerId = Brand<string, 'ContainerId'>;

/** Without `_`, which separates it from the names in the directory of a pod's logs. */
const POD_UID = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,126}[A-Za-z0-9])?$/;

/** Undefined for text that is no UID; for what was found on disk or in the runtime. */
export function parsePodUid(text: string): PodUid | undefined {
  return POD_UID.test(text) ? (text as PodUid) : undefined;
}

/** Throws AgentError for text that is no UID; for pods that were let in already. */
export function toPodUid(text: string): PodUid {
  const uid = parsePodUid(text);
  if (uid === undefined)
    throw new AgentError('invalid-argument', `cannot use ${quote(text)} as the UID of a pod`);
  return uid;
}

export const toSandboxId = (text: string): SandboxId => text as SandboxId;
export const toContainerId = (text: string): ContainerId => text as ContainerId;

/** Identities that must not be mixed up. All are opaque text. */
import type { Brand } from '../../base/brand.ts';

export type PodUid = Brand<string, 'PodUid'>;
export type SandboxId = Brand<string, 'SandboxId'>;
export type ContainerId = Brand<string, 'ContainerId'>;

export const toPodUid = (text: string): PodUid => text as PodUid;
export const toSandboxId = (text: string): SandboxId => text as SandboxId;
export const toContainerId = (text: string): ContainerId => text as ContainerId;

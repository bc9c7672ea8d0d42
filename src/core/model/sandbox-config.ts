/**
 * What the runtime needs to know to make a pod sandbox. Plain data in our
 * words; the CRI adapter turns it into the wire message. Built by
 * to-sandbox-config.ts.
 */
import type { StringMap } from '../api/meta.ts';
import type { SeLinuxOptions } from '../api/pod.ts';
import type { LinuxResources } from './observed-pod.ts';

export interface SandboxConfig {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly attempt: number;
  readonly hostname: string;
  readonly logDirectory: string;
  readonly dns: DnsConfig;
  readonly portMappings: readonly PortMapping[];
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly cgroupParent: string;
  readonly sysctls: StringMap;
  readonly overhead: LinuxResources;
  readonly resources: LinuxResources;
  readonly security: SandboxSecurity;
}

export interface DnsConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

export interface PortMapping {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIp: string;
}

export interface SandboxSecurity {
  readonly namespaces: NamespaceOptions;
  readonly privileged: boolean;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly supplementalGroups: readonly number[];
  readonly supplementalGroupsPolicy: 'Merge' | 'Strict';
  readonly selinux?: SeLinuxOptions;
  readonly seccomp: SecurityProfile;
}

export type SecurityProfile =
  | { readonly type: 'RuntimeDefault' }
  | { readonly type: 'Unconfined' }
  | { readonly type: 'Localhost'; readonly ref: string };

export interface IdMapping {
  readonly hostId: number;
  readonly containerId: number;
  readonly length: number;
}

export interface NamespaceOptions {
  readonly network: 'pod' | 'node';
  readonly ipc: 'pod' | 'node';
  readonly pid: 'pod' | 'container' | 'node' | 'target';
  /** The container whose process namespace is shared, when pid is `target`. */
  readonly pidTargetId?: string;
  /** `node` shares the host's users; otherwise the mappings of the pod. */
  readonly user: 'node' | { readonly uids: readonly IdMapping[]; readonly gids: readonly IdMapping[] };
}

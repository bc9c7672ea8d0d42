/**
 * The flags that are not part of KubeletConfiguration: where files are, who the node is, GC leftovers.
 * `PROCESS_FLAGS` is the table; `ProcessFlags` is what the rest of the program receives.
 * Invariant: the keys of both are the same (checked by the compiler).
 */

import type { StringMap } from '../../core/api/meta.ts';
import type { FlagType } from './flag-values.ts';
import type { JsonValue } from './json-value.ts';
import type { Duration } from './parse-duration.ts';

export interface ProcessFlags {
  readonly config: string;
  readonly configDir: string;
  /** Empty means standalone: no API server. */
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig: string;
  readonly hostnameOverride: string;
  /** Raw text; `parseNodeIPs` of `validate-flags.ts` reads it. */
  readonly nodeIP: string;
  readonly certDir: string;
  readonly cloudProvider: string;
  readonly rootDir: string;
  readonly seccompDefault: boolean;
  readonly nodeLabels: StringMap;
  readonly runtimeCgroups: string;
  readonly imageCredentialProviderConfig: string;
  readonly imageCredentialProviderBinDir: string;
  readonly lockFile: string;
  readonly exitOnLockContention: boolean;
  readonly minimumContainerTTLDuration: Duration;
  readonly maximumDeadContainersPerContainer: number;
  readonly maximumDeadContainers: number;
  readonly experimentalMounterPath: string;
  readonly experimentalAllocatableIgnoreEviction: boolean;
  readonly housekeepingInterval: Duration;
  /** Ours alone. */
  readonly enableHeapSnapshots: boolean;
  readonly collectUnpullableImages: boolean;
  readonly evictionSparesPageCache: boolean;
  /** Negative: by mode. */
  readonly pagePort: number;
}

export interface ProcessFlagSpec {
  readonly flag: string;
  readonly type: FlagType;
  readonly default: JsonValue;
  readonly about: string;
  readonly deprecated?: string;
}

const EVICTION_INSTEAD =
  'Use --eviction-hard or --eviction-soft instead. Will be removed in a future version.';

export const PROCESS_FLAGS = {
  config: { flag: 'config', type: 'string', default: '', about: 'file with the KubeletConfiguration' },
  configDir: { flag: 'config-dir', type: 'string', default: '', about: 'directory of drop-in *.conf files' },
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'string',
    default: '',
    about: 'credentials for the API server; empty means standalone',
  },
  bootstrapKubeconfig: {
    flag: 'bootstrap-kubeconfig',
    type: 'string',
    default: '',
    about: 'credentials used once, to obtain a client certificate',
  },
  hostnameOverride: {
    flag: 'hostname-override',
    type: 'string',
    default: '',
    about: 'node name source instead of the host name',
  },
  nodeIP: { flag: 'node-ip', type: 'string', default: '', about: 'IP of the node, or a dual-stack pair' },
  certDir: {
    flag: 'cert-dir',
    type: 'string',
    default: '/var/lib/kubelet/pki',
    about: 'directory of TLS certificates',
  },
  cloudProvider: {
    flag: 'cloud-provider',
    type: 'string',
    default: '',
    about: 'empty, or "external" for a cloud controller manager',
  },
  rootDir: { flag: 'root-dir', type: 'string', default: '/var/lib/kubelet', about: 'state directory' },
  seccompDefault: {
    flag: 'seccomp-default',
    type: 'bool',
    default: false,
    about: 'use RuntimeDefault as the default seccomp profile',
  },
  nodeLabels: {
    flag: 'node-labels',
    type: 'labels',
    default: {},
    about: 'labels set when the node registers',
  },
  runtimeCgroups: {
    flag: 'runtime-cgroups',
    type: 'string',
    default: '',
    about: 'cgroup of the container runtime, for statistics',
  },
  imageCredentialProviderConfig: {
    flag: 'image-credential-provider-config',
    type: 'string',
    default: '',
    about: 'credential provider configuration, file or directory',
  },
  imageCredentialProviderBinDir: {
    flag: 'image-credential-provider-bin-dir',
    type: 'string',
    default: '',
    about: 'directory of the credential provider executables',
  },
  lockFile: { flag: 'lock-file', type: 'string', default: '', about: 'file the process locks while it runs' },
  exitOnLockContention: {
    flag: 'exit-on-lock-contention',
    type: 'bool',
    default: false,
    about: 'exit when another process opens the lock file',
  },
  minimumContainerTTLDuration: {
    flag: 'minimum-container-ttl-duration',
    type: 'duration',
    default: '0s',
    about: 'least age of a dead container before it is removed',
    deprecated: EVICTION_INSTEAD,
  },
  maximumDeadContainersPerContainer: {
    flag: 'maximum-dead-containers-per-container',
    type: 'int32',
    default: 1,
    about: 'dead instances kept per container',
    deprecated: EVICTION_INSTEAD,
  },
  maximumDeadContainers: {
    flag: 'maximum-dead-containers',
    type: 'int32',
    default: -1,
    about: 'dead containers kept on the node; negative means no limit',
    deprecated: EVICTION_INSTEAD,
  },
  experimentalMounterPath: {
    flag: 'experimental-mounter-path',
    type: 'string',
    default: '',
    about: 'alternate mount binary',
    deprecated: 'Will be removed in a future version.',
  },
  experimentalAllocatableIgnoreEviction: {
    flag: 'experimental-allocatable-ignore-eviction',
    type: 'bool',
    default: false,
    about: 'leave hard eviction thresholds out of allocatable',
    deprecated: 'Will be removed in a future version.',
  },
  housekeepingInterval: {
    flag: 'housekeeping-interval',
    type: 'duration',
    default: '10s',
    about: 'interval between container housekeepings',
  },
  enableHeapSnapshots: {
    flag: 'enable-heap-snapshots',
    type: 'bool',
    default: false,
    about:
      'serve the memory of the kubelet, Secrets and keys included, at /heapsnapshot to callers with the right get nodes/heapsnapshot',
  },
  collectUnpullableImages: {
    flag: 'collect-unpullable-images',
    type: 'bool',
    default: false,
    about:
      'let image collection delete unused images that may not be had again: imported ones, and those of a registry on this machine',
  },
  evictionSparesPageCache: {
    flag: 'eviction-spares-page-cache',
    type: 'bool',
    default: false,
    about:
      'let eviction count page cache that the kernel can take back (active_file) as free memory, of the node and of each pod',
  },
  pagePort: {
    flag: 'page-port',
    type: 'int32',
    default: -1,
    about:
      'port of the page for people on the loopback address, whose address "kubelet page" prints; 0 turns it off; -1 means 4194 without an API server and off with one',
  },
} as const satisfies Record<keyof ProcessFlags, ProcessFlagSpec>;

/** Flags that leaked from cAdvisor into the upstream binary: accepted and ignored, by name and default. */
export const IGNORED_FLAGS: ReadonlyArray<readonly [name: string, type: FlagType, value: JsonValue]> = [
  ['application-metrics-count-limit', 'int32', 100],
  ['boot-id-file', 'string', '/proc/sys/kernel/random/boot_id'],
  ['container-hints', 'string', '/etc/cadvisor/container_hints.json'],
  ['containerd', 'string', '/run/containerd/containerd.sock'],
  ['containerd-namespace', 'string', 'k8s.io'],
  ['enable-load-reader', 'bool', false],
  ['event-storage-age-limit', 'string', 'default=0'],
  ['event-storage-event-limit', 'string', 'default=0'],
  ['global-housekeeping-interval', 'duration', '1m0s'],
  ['log-cadvisor-usage', 'bool', false],
  ['machine-id-file', 'string', '/etc/machine-id,/var/lib/dbus/machine-id'],
  ['storage-driver-user', 'string', 'root'],
  ['storage-driver-password', 'string', 'root'],
  ['storage-driver-host', 'string', 'localhost:8086'],
  ['storage-driver-db', 'string', 'cadvisor'],
  ['storage-driver-table', 'string', 'stats'],
  ['storage-driver-secure', 'bool', false],
  ['storage-driver-buffer-duration', 'duration', '1m0s'],
];

export const IGNORED_FLAG_NOTICE =
  'This is a cadvisor flag that was mistakenly registered with the Kubelet. It has no effect here.';

/**
 * What the runtime needs to know to make a container. Plain data in our
 * words; the CRI adapter turns it into the wire message. Built by
 * to-container-config.ts.
 */
import type { StringMap } from '../api/meta.ts';
import type { SeLinuxOptions } from '../api/pod.ts';
import type { LinuxResources } from './observed-pod.ts';
import type { IdMapping, NamespaceOptions, SecurityProfile } from './sandbox-config.ts';

export interface ContainerConfig {
  readonly name: string;
  /** Equals the restart count. */
  readonly attempt: number;
  /** The resolved image identity, and what the user wrote. */
  readonly image: string;
  readonly userSpecifiedImage: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly env: readonly EnvironmentVariable[];
  readonly mounts: readonly Mount[];
  readonly devices: readonly {
    readonly containerPath: string;
    readonly hostPath: string;
    readonly permissions: string;
  }[];
  readonly cdiDevices: readonly string[];
  readonly labels: StringMap;
  readonly annotations: StringMap;
  /** Relative to the sandbox's log directory. */
  readonly logPath: string;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  /** A name such as `SIGUSR1`; absent lets the runtime choose. */
  readonly stopSignal?: string;
  readonly resources: LinuxResources;
  readonly security: ContainerSecurity;
}

/** An image that is mounted as a volume. */
export interface MountedImage {
  /** Its resolved identity. */
  readonly ref: string;
  readonly userSpecified: string;
  readonly runtimeHandler: string;
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value: string;
  /** The exact value where it is not text; `value` is then what can be read of it. */
  readonly bytes?: Uint8Array;
}

export interface Mount {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly readOnly: boolean;
  readonly recursiveReadOnly: boolean;
  readonly selinuxRelabel: boolean;
  readonly propagation: 'private' | 'host-to-container' | 'bidirectional';
  readonly uidMappings: readonly IdMapping[];
  readonly gidMappings: readonly IdMapping[];
  /** An image volume: the image to mount instead of a host path. */
  readonly image?: MountedImage;
  readonly imageSubPath?: string;
}

export interface ContainerSecurity {
  readonly capabilities?: { readonly add: readonly string[]; readonly drop: readonly string[] };
  readonly privileged: boolean;
  readonly namespaces: NamespaceOptions;
  readonly selinux?: SeLinuxOptions;
  readonly runAsUser?: number;
  readonly runAsUsername?: string;
  readonly runAsGroup?: number;
  readonly readOnlyRootFilesystem: boolean;
  readonly supplementalGroups: readonly number[];
  readonly supplementalGroupsPolicy: 'Merge' | 'Strict';
  readonly noNewPrivileges: boolean;
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
  readonly seccomp: SecurityProfile;
  readonly apparmor?: SecurityProfile;
}

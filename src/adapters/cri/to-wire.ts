/** Our words for sandboxes, containers and pulls, as runtime interface messages. Pure. */

import type { RegistryCredential } from '../../core/image/registry-credential.ts';
import type {
  ContainerConfig,
  ContainerSecurity,
  Mount,
  MountedImage,
} from '../../core/model/container-config.ts';
import type { LinuxResources } from '../../core/model/observed-pod.ts';
import type {
  NamespaceOptions,
  SandboxConfig,
  SandboxSecurity,
  SecurityProfile,
} from '../../core/model/sandbox-config.ts';
import * as wire from '../../gen/cri.ts';
import type { Init } from '../../gen/wire.ts';

const NAMESPACE_MODES = {
  pod: wire.NamespaceMode.POD,
  container: wire.NamespaceMode.CONTAINER,
  node: wire.NamespaceMode.NODE,
  target: wire.NamespaceMode.TARGET,
} as const;

const PROPAGATIONS = {
  private: wire.MountPropagation.PROPAGATION_PRIVATE,
  'host-to-container': wire.MountPropagation.PROPAGATION_HOST_TO_CONTAINER,
  bidirectional: wire.MountPropagation.PROPAGATION_BIDIRECTIONAL,
} as const;

export function toWireSandbox(config: SandboxConfig): Init<wire.PodSandboxConfig> {
  const { name, namespace, uid, attempt } = config;
  return {
    metadata: { name, namespace, uid, attempt },
    hostname: config.hostname,
    logDirectory: config.logDirectory,
    dnsConfig: config.dns,
    portMappings: config.portMappings.map(({ protocol, ...port }) => ({
      ...port,
      protocol: wire.Protocol[protocol],
    })),
    labels: config.labels,
    annotations: config.annotations,
    linux: {
      cgroupParent: config.cgroupParent,
      securityContext: toWireSandboxSecurity(config.security),
      sysctls: config.sysctls,
      overhead: toWireResources(config.overhead),
      resources: toWireResources(config.resources),
    },
  };
}

/** `sandbox` gives the pod's annotations to the images that are mounted as volumes. */
export function toWireContainer(config: ContainerConfig, sandbox: SandboxConfig): Init<wire.ContainerConfig> {
  return {
    metadata: { name: config.name, attempt: config.attempt },
    image: { image: config.image, userSpecifiedImage: config.userSpecifiedImage },
    command: config.command,
    args: config.args,
    workingDir: config.workingDir,
    envs: config.env.map(({ name, value, bytes }) => ({ key: name, value: bytes ?? Buffer.from(value) })),
    mounts: config.mounts.map((mount) => toWireMount(mount, sandbox)),
    devices: config.devices,
    CDIDevices: config.cdiDevices.map((name) => ({ name })),
    labels: config.labels,
    annotations: config.annotations,
    logPath: config.logPath,
    stdin: config.stdin,
    stdinOnce: config.stdinOnce,
    tty: config.tty,
    linux: {
      resources: toWireResources(config.resources),
      securityContext: toWireContainerSecurity(config.security),
    },
    stopSignal: toWireSignal(config.stopSignal),
  };
}

/** Absent settings stay unset, which leaves a running container's value alone. */
export function toWireResources(resources: LinuxResources): Init<wire.LinuxContainerResources> {
  const { memoryLimitBytes, memorySwapLimitBytes, hugepageLimits, ...same } = resources;
  return {
    ...same,
    memoryLimitInBytes: memoryLimitBytes,
    memorySwapLimitInBytes: memorySwapLimitBytes,
    hugepageLimits: hugepageLimits?.map(({ pageSize, limitBytes }) => ({ pageSize, limit: limitBytes })),
  };
}

export function toWireCredential(credential: RegistryCredential): Init<wire.AuthConfig> {
  return credential;
}

/** The ordinal of a signal by its Pod API name; a name this interface does not have means the runtime's choice. */
export function toWireSignal(name: string | undefined): number {
  if (name === undefined) return wire.Signal.RUNTIME_DEFAULT;
  const key = name.replace('+', 'PLUS').replace('-', 'MINUS');
  return (wire.Signal as Readonly<Record<string, number>>)[key] ?? wire.Signal.RUNTIME_DEFAULT;
}

function toWireMount(mount: Mount, sandbox: SandboxConfig): Init<wire.Mount> {
  return {
    containerPath: mount.containerPath,
    hostPath: mount.hostPath,
    readonly: mount.readOnly,
    selinuxRelabel: mount.selinuxRelabel,
    propagation: PROPAGATIONS[mount.propagation],
    uidMappings: mount.uidMappings,
    gidMappings: mount.gidMappings,
    recursiveReadOnly: mount.recursiveReadOnly,
    image: mount.image === undefined ? undefined : toWireMountedImage(mount.image, sandbox),
    imageSubPath: mount.imageSubPath,
  };
}

function toWireMountedImage(image: MountedImage, { annotations }: SandboxConfig): Init<wire.ImageSpec> {
  const { ref, userSpecified, runtimeHandler } = image;
  return { image: ref, userSpecifiedImage: userSpecified, runtimeHandler, annotations };
}

function toWireSandboxSecurity(security: SandboxSecurity): Init<wire.LinuxSandboxSecurityContext> {
  return {
    namespaceOptions: toWireNamespaces(security.namespaces),
    selinuxOptions: security.selinux,
    runAsUser: toWireInteger(security.runAsUser),
    runAsGroup: toWireInteger(security.runAsGroup),
    supplementalGroups: security.supplementalGroups,
    supplementalGroupsPolicy: wire.SupplementalGroupsPolicy[security.supplementalGroupsPolicy],
    privileged: security.privileged,
    seccomp: toWireProfile(security.seccomp),
  };
}

function toWireContainerSecurity(security: ContainerSecurity): Init<wire.LinuxContainerSecurityContext> {
  const { capabilities, apparmor } = security;
  return {
    capabilities: capabilities && { addCapabilities: capabilities.add, dropCapabilities: capabilities.drop },
    privileged: security.privileged,
    namespaceOptions: toWireNamespaces(security.namespaces),
    selinuxOptions: security.selinux,
    runAsUser: toWireInteger(security.runAsUser),
    runAsGroup: toWireInteger(security.runAsGroup),
    runAsUsername: security.runAsUsername,
    readonlyRootfs: security.readOnlyRootFilesystem,
    supplementalGroups: security.supplementalGroups,
    supplementalGroupsPolicy: wire.SupplementalGroupsPolicy[security.supplementalGroupsPolicy],
    noNewPrivs: security.noNewPrivileges,
    maskedPaths: security.maskedPaths,
    readonlyPaths: security.readonlyPaths,
    seccomp: toWireProfile(security.seccomp),
    apparmor: apparmor && toWireProfile(apparmor),
    // Runtimes from before the typed field read this one.
    apparmorProfile: apparmor && toAppArmorText(apparmor),
  };
}

function toWireNamespaces(namespaces: NamespaceOptions): Init<wire.NamespaceOption> {
  const { user } = namespaces;
  return {
    network: NAMESPACE_MODES[namespaces.network],
    ipc: NAMESPACE_MODES[namespaces.ipc],
    pid: NAMESPACE_MODES[namespaces.pid],
    targetId: namespaces.pidTargetId,
    usernsOptions:
      user === 'node'
        ? { mode: wire.NamespaceMode.NODE }
        : { mode: wire.NamespaceMode.POD, uids: user.uids, gids: user.gids },
  };
}

function toWireProfile(profile: SecurityProfile): Init<wire.SecurityProfile> {
  return {
    profileType: wire.SecurityProfile_ProfileType[profile.type],
    localhostRef: profile.type === 'Localhost' ? profile.ref : '',
  };
}

function toAppArmorText(profile: SecurityProfile): string {
  switch (profile.type) {
    case 'RuntimeDefault':
      return 'runtime/default';
    case 'Unconfined':
      return 'unconfined';
    case 'Localhost':
      return `localhost/${profile.ref}`;
  }
}

/** Presence distinguishes unset from 0. */
function toWireInteger(value: number | undefined): Init<wire.Int64Value> | undefined {
  return value === undefined ? undefined : { value };
}

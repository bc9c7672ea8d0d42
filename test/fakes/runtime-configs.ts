/** Complete sandbox and container configs for tests that talk to a runtime directly. */
import type { ContainerConfig } from '../../src/core/model/container-config.ts';
import type { SandboxConfig } from '../../src/core/model/sandbox-config.ts';

const NAMESPACES = { network: 'pod', ipc: 'pod', pid: 'container', user: 'node' } as const;

export function makeSandboxConfig(uid: string, changes: Partial<SandboxConfig> = {}): SandboxConfig {
  return {
    name: `pod-${uid}`,
    namespace: 'test',
    uid,
    attempt: 0,
    hostname: `pod-${uid}`,
    logDirectory: `/var/log/pods/test_pod-${uid}_${uid}`,
    dns: { servers: [], searches: [], options: [] },
    portMappings: [],
    labels: {},
    annotations: {},
    cgroupParent: '',
    sysctls: {},
    overhead: {},
    resources: {},
    security: {
      namespaces: NAMESPACES,
      privileged: false,
      supplementalGroups: [],
      supplementalGroupsPolicy: 'Merge',
      seccomp: { type: 'RuntimeDefault' },
    },
    ...changes,
  };
}

export function makeContainerConfig(
  name: string,
  image: string,
  changes: Partial<ContainerConfig> = {},
): ContainerConfig {
  return {
    name,
    attempt: 0,
    image,
    userSpecifiedImage: image,
    command: [],
    args: [],
    workingDir: '',
    env: [],
    mounts: [],
    devices: [],
    cdiDevices: [],
    labels: {},
    annotations: {},
    logPath: `${name}/0.log`,
    stdin: false,
    stdinOnce: false,
    tty: false,
    resources: {},
    security: {
      privileged: false,
      namespaces: NAMESPACES,
      readOnlyRootFilesystem: false,
      supplementalGroups: [],
      supplementalGroupsPolicy: 'Merge',
      noNewPrivileges: false,
      maskedPaths: [],
      readonlyPaths: [],
      seccomp: { type: 'RuntimeDefault' },
    },
    ...changes,
  };
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerConfig, ContainerSecurity } from '../../core/model/container-config.ts';
import type { NamespaceOptions, SandboxConfig } from '../../core/model/sandbox-config.ts';
import * as wire from '../../gen/cri.ts';
import { toWireContainer, toWireResources, toWireSandbox, toWireSignal } from './to-wire.ts';

const NAMESPACES: NamespaceOptions = { network: 'pod', ipc: 'pod', pid: 'container', user: 'node' };

const SANDBOX: SandboxConfig = {
  name: 'web',
  namespace: 'default',
  uid: 'u',
  attempt: 3,
  hostname: 'web',
  logDirectory: '/var/log/pods/x',
  dns: { servers: ['10.0.0.1'], searches: ['svc'], options: ['ndots:5'] },
  portMappings: [{ protocol: 'UDP', containerPort: 53, hostPort: 0, hostIp: '' }],
  labels: { a: 'b' },
  annotations: { c: 'd' },
  cgroupParent: '/kubepods/podu',
  sysctls: { 'net.core.somaxconn': '1' },
  overhead: {},
  resources: { cpuShares: 2 },
  security: {
    namespaces: NAMESPACES,
    privileged: false,
    runAsUser: 0,
    supplementalGroups: [5],
    supplementalGroupsPolicy: 'Strict',
    seccomp: { type: 'RuntimeDefault' },
  },
};

const SECURITY: ContainerSecurity = {
  privileged: false,
  namespaces: NAMESPACES,
  readOnlyRootFilesystem: false,
  supplementalGroups: [],
  supplementalGroupsPolicy: 'Merge',
  noNewPrivileges: false,
  maskedPaths: ['/proc/kcore'],
  readonlyPaths: ['/proc/sys'],
  seccomp: { type: 'Unconfined' },
};

const CONTAINER: ContainerConfig = {
  name: 'app',
  attempt: 1,
  image: 'sha256:1',
  userSpecifiedImage: 'app:1',
  command: ['run'],
  args: ['x'],
  workingDir: '/w',
  env: [{ name: 'K', value: 'ü' }],
  mounts: [],
  devices: [],
  cdiDevices: ['vendor.com/gpu=0'],
  labels: {},
  annotations: {},
  logPath: 'app/1.log',
  stdin: true,
  stdinOnce: true,
  tty: true,
  resources: {},
  security: SECURITY,
};

/** What a runtime would read. */
function sentSandbox(change: Partial<SandboxConfig> = {}): wire.PodSandboxConfig {
  return wire.decodePodSandboxConfig(wire.encodePodSandboxConfig(toWireSandbox({ ...SANDBOX, ...change })));
}

function sentContainer(change: Partial<ContainerConfig> = {}): wire.ContainerConfig {
  return wire.decodeContainerConfig(
    wire.encodeContainerConfig(toWireContainer({ ...CONTAINER, ...change }, SANDBOX)),
  );
}

function sentSecurity(change: Partial<ContainerSecurity>): wire.LinuxContainerSecurityContext | undefined {
  return sentContainer({ security: { ...SECURITY, ...change } }).linux?.securityContext;
}

describe('toWireSandbox', () => {
  it('carries every setting', () => {
    const sent = sentSandbox();
    assert.deepEqual(sent.metadata, { name: 'web', namespace: 'default', uid: 'u', attempt: 3 });
    assert.equal(sent.hostname, 'web');
    assert.equal(sent.logDirectory, '/var/log/pods/x');
    assert.deepEqual(sent.dnsConfig, SANDBOX.dns);
    assert.deepEqual(sent.portMappings, [{ protocol: 1, containerPort: 53, hostPort: 0, hostIp: '' }]);
    assert.deepEqual(sent.labels, { a: 'b' });
    assert.deepEqual(sent.annotations, { c: 'd' });
    assert.equal(sent.linux?.cgroupParent, '/kubepods/podu');
    assert.deepEqual(sent.linux.sysctls, SANDBOX.sysctls);
    assert.ok(sent.linux.overhead);
    assert.equal(sent.linux.resources?.cpuShares, 2);
  });

  it('distinguishes user 0 from no user', () => {
    const security = sentSandbox().linux?.securityContext;
    assert.deepEqual(security?.runAsUser, { value: 0 });
    assert.equal(security.runAsGroup, undefined);
    assert.equal(security.supplementalGroupsPolicy, wire.SupplementalGroupsPolicy.Strict);
    assert.deepEqual(security.supplementalGroups, [5]);
  });

  it('sets the namespace modes', () => {
    const map = { hostId: 65536, containerId: 0, length: 65536 };
    const cases = [
      [
        NAMESPACES,
        { network: 0, pid: 1, ipc: 0, targetId: '', usernsOptions: { mode: 2, uids: [], gids: [] } },
      ],
      [
        { network: 'node', ipc: 'node', pid: 'node', user: { uids: [map], gids: [map] } },
        { network: 2, pid: 2, ipc: 2, targetId: '', usernsOptions: { mode: 0, uids: [map], gids: [map] } },
      ],
      [
        { ...NAMESPACES, pid: 'target', pidTargetId: 'c1' },
        { network: 0, pid: 3, ipc: 0, targetId: 'c1', usernsOptions: { mode: 2, uids: [], gids: [] } },
      ],
    ] as const;
    for (const [namespaces, expected] of cases) {
      const sent = sentSandbox({ security: { ...SANDBOX.security, namespaces } });
      assert.deepEqual(sent.linux?.securityContext?.namespaceOptions, expected);
    }
  });
});

describe('toWireContainer', () => {
  it('carries every setting', () => {
    const sent = sentContainer({ stopSignal: 'SIGRTMIN+3' });
    assert.deepEqual(sent.metadata, { name: 'app', attempt: 1 });
    assert.equal(sent.image?.image, 'sha256:1');
    assert.equal(sent.image.userSpecifiedImage, 'app:1');
    assert.deepEqual(sent.command, ['run']);
    assert.deepEqual(sent.args, ['x']);
    assert.equal(sent.workingDir, '/w');
    assert.deepEqual(sent.envs, [{ key: 'K', value: new Uint8Array([0xc3, 0xbc]) }]);
    const bytes = new Uint8Array([0xff, 0]);
    assert.deepEqual(sentContainer({ env: [{ name: 'K', value: '?', bytes }] }).envs, [
      { key: 'K', value: bytes },
    ]);
    assert.deepEqual(sent.CDIDevices, [{ name: 'vendor.com/gpu=0' }]);
    assert.equal(sent.logPath, 'app/1.log');
    assert.deepEqual([sent.stdin, sent.stdinOnce, sent.tty], [true, true, true]);
    assert.equal(sent.stopSignal, wire.Signal.SIGRTMINPLUS3);
    assert.deepEqual(sent.linux?.securityContext?.maskedPaths, ['/proc/kcore']);
    assert.deepEqual(sent.linux.securityContext.readonlyPaths, ['/proc/sys']);
  });

  it('mounts host paths and images', () => {
    const mount = {
      containerPath: '/data',
      hostPath: '/host',
      readOnly: true,
      recursiveReadOnly: true,
      selinuxRelabel: true,
      propagation: 'bidirectional',
      uidMappings: [{ hostId: 1, containerId: 2, length: 3 }],
      gidMappings: [],
    } as const;
    const shown = { ref: 'sha256:2', userSpecified: 'files:2', runtimeHandler: 'gvisor' };
    const image = { ...mount, hostPath: '', image: shown, imageSubPath: 'sub' };
    const [host, volume] = sentContainer({ mounts: [mount, image] }).mounts;
    assert.deepEqual(host, {
      containerPath: '/data',
      hostPath: '/host',
      readonly: true,
      selinuxRelabel: true,
      propagation: 2,
      uidMappings: [{ hostId: 1, containerId: 2, length: 3 }],
      gidMappings: [],
      recursiveReadOnly: true,
      image: undefined,
      imageSubPath: '',
    });
    const all = (['private', 'host-to-container', 'bidirectional'] as const).map((propagation) => ({
      ...mount,
      propagation,
    }));
    assert.deepEqual(
      sentContainer({ mounts: all }).mounts.map(({ propagation }) => propagation),
      [0, 1, 2],
    );
    assert.equal(volume?.image?.image, 'sha256:2');
    assert.equal(volume.image.userSpecifiedImage, 'files:2');
    assert.equal(volume.image.runtimeHandler, 'gvisor');
    assert.deepEqual(volume.image.annotations, SANDBOX.annotations);
    assert.equal(volume.imageSubPath, 'sub');
  });

  it('writes both forms of an AppArmor profile, and neither without one', () => {
    const cases = [
      [{ type: 'RuntimeDefault' }, { profileType: 0, localhostRef: '' }, 'runtime/default'],
      [{ type: 'Unconfined' }, { profileType: 1, localhostRef: '' }, 'unconfined'],
      [{ type: 'Localhost', ref: 'p' }, { profileType: 2, localhostRef: 'p' }, 'localhost/p'],
    ] as const;
    for (const [apparmor, profile, text] of cases) {
      const sent = sentSecurity({ apparmor });
      assert.deepEqual(sent?.apparmor, profile);
      assert.equal(sent.apparmorProfile, text);
    }
    assert.equal(sentSecurity({})?.apparmor, undefined);
    assert.equal(sentSecurity({})?.apparmorProfile, '');
  });

  it('carries security settings', () => {
    const sent = sentSecurity({
      capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
      privileged: true,
      runAsUsername: 'www',
      runAsGroup: 0,
      readOnlyRootFilesystem: true,
      noNewPrivileges: true,
      selinux: { level: 's0' },
      seccomp: { type: 'Localhost', ref: '/profiles/a.json' },
    });
    assert.deepEqual(sent?.capabilities?.addCapabilities, ['NET_ADMIN']);
    assert.deepEqual(sent.capabilities.dropCapabilities, ['ALL']);
    assert.equal(sent.privileged, true);
    assert.equal(sent.runAsUsername, 'www');
    assert.equal(sent.runAsUser, undefined);
    assert.deepEqual(sent.runAsGroup, { value: 0 });
    assert.equal(sent.readonlyRootfs, true);
    assert.equal(sent.noNewPrivs, true);
    assert.equal(sent.selinuxOptions?.level, 's0');
    assert.deepEqual(sent.seccomp, { profileType: 2, localhostRef: '/profiles/a.json' });
  });
});

describe('toWireResources', () => {
  it('names limits as the wire does and leaves absent ones unset', () => {
    const resources = {
      cpuQuota: -1,
      memoryLimitBytes: 64,
      memorySwapLimitBytes: 128,
      oomScoreAdj: -997,
      hugepageLimits: [{ pageSize: '2MB', limitBytes: 0 }],
      unified: { 'memory.oom.group': '1' },
    };
    const sent = wire.decodeLinuxContainerResources(
      wire.encodeLinuxContainerResources(toWireResources(resources)),
    );
    assert.deepEqual(sent, {
      cpuPeriod: 0,
      cpuQuota: -1,
      cpuShares: 0,
      memoryLimitInBytes: 64,
      oomScoreAdj: -997,
      cpusetCpus: '',
      cpusetMems: '',
      hugepageLimits: [{ pageSize: '2MB', limit: 0 }],
      unified: { 'memory.oom.group': '1' },
      memorySwapLimitInBytes: 128,
    });
  });
});

describe('toWireSignal', () => {
  it('uses the ordinals of the interface', () => {
    assert.equal(toWireSignal('SIGTERM'), 23);
    assert.equal(toWireSignal('SIGRTMAX-1'), 64);
    assert.equal(toWireSignal(undefined), 0);
    assert.equal(toWireSignal('SIGNONE'), 0);
  });
});

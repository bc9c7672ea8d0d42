import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  emptyObjects,
  sampleContainer,
  sampleNode,
  samplePod,
  withGate,
} from '../../../test/samples/sample-pod.ts';
import type { EphemeralContainer, PodSpec } from '../api/pod.ts';
import { computeContainerHash } from '../model/container-hash.ts';
import { toContainerId } from '../model/ids.ts';
import { type ContainerInput, toContainerConfig } from './to-container-config.ts';

const input = (over: Partial<ContainerInput> = {}): ContainerInput => ({
  pod: samplePod(),
  container: sampleContainer(),
  restartCount: 0,
  imageId: 'sha256:1',
  imageUser: { uid: 7 },
  podIps: ['10.0.0.1'],
  node: sampleNode(),
  objects: emptyObjects(),
  volumes: new Map(),
  ...over,
});
function config(over: Partial<ContainerInput> = {}) {
  const result = toContainerConfig(input(over));
  assert.ok(result.ok, result.ok ? '' : result.message);
  return result.config;
}
function refusal(over: Partial<ContainerInput>): string {
  const result = toContainerConfig(input(over));
  return result.ok ? '' : result.message;
}

describe('toContainerConfig', () => {
  it('builds the whole of a plain container', () => {
    const made = config({ restartCount: 3 });
    const { security, resources, ...rest } = made;
    assert.deepEqual(rest, {
      name: 'web',
      attempt: 3,
      image: 'sha256:1',
      userSpecifiedImage: 'example/web:1',
      command: [],
      args: [],
      workingDir: '',
      env: [],
      mounts: [],
      devices: [],
      cdiDevices: [],
      labels: {
        'io.kubernetes.pod.name': 'shop',
        'io.kubernetes.pod.namespace': 'market',
        'io.kubernetes.pod.uid': '0a1b-2c3d',
        'io.kubernetes.container.name': 'web',
      },
      annotations: {
        'io.kubernetes.container.hash': computeContainerHash(sampleContainer()),
        'io.kubernetes.container.restartCount': '3',
        'io.kubernetes.container.terminationMessagePath': '',
        'io.kubernetes.container.terminationMessagePolicy': 'File',
      },
      logPath: 'web/3.log',
      stdin: false,
      stdinOnce: false,
      tty: false,
    });
    assert.equal(security.runAsUser, 7);
    assert.deepEqual(security.supplementalGroups, []);
    assert.deepEqual(config({ volumeGroups: [9] }).security.supplementalGroups, [9]);
    assert.equal(resources.oomScoreAdj, 1000);
  });

  it('expands command and arguments with the final environment, and nothing else', () => {
    const made = config({
      container: sampleContainer({
        command: ['run', '$(A)'],
        args: ['$(UNKNOWN)', '$$(A)', '$(D)'],
        workingDir: '/$(A)',
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
      hardware: { env: [{ name: 'D', value: 'device' }] },
    });
    assert.deepEqual(made.command, ['run', '2']);
    assert.deepEqual(made.args, ['$(UNKNOWN)', '$(A)', 'device']);
    assert.equal(made.workingDir, '/$(A)');
  });

  it('mounts prepared sub-paths, the hosts file and the termination log', () => {
    const made = config({
      container: sampleContainer({
        env: [{ name: 'DIR', value: 'd' }],
        volumeMounts: [{ name: 'data', mountPath: '/data', subPathExpr: '$(DIR)' }],
        terminationMessagePath: '/dev/log',
      }),
      volumes: new Map([['data', { hostPath: '/v', readOnly: false, selinuxRelabel: false }]]),
      subPaths: new Map([[0, { hostPath: '/sub/0' }]]),
      hostsFilePath: '/hosts',
      terminationLogPath: '/log',
    });
    assert.deepEqual(
      made.mounts.map((mount) => [mount.hostPath, mount.containerPath]),
      [
        ['/sub/0', '/data'],
        ['/hosts', '/etc/hosts'],
        ['/log', '/dev/log'],
      ],
    );
  });

  it('asks the handler of the pod about recursive read-only mounts', () => {
    const node = sampleNode({
      runtimeHandlers: () => [{ name: 'kata', recursiveReadOnlyMounts: true, userNamespaces: false }],
    });
    const over: Partial<ContainerInput> = {
      node,
      container: sampleContainer({
        volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'IfPossible' }],
      }),
      volumes: new Map([['v', { hostPath: '/v', readOnly: false, selinuxRelabel: false }]]),
    };
    assert.equal(config({ ...over, runtimeHandler: 'kata' }).mounts[0]?.recursiveReadOnly, true);
    assert.equal(config(over).mounts[0]?.recursiveReadOnly, false);
  });

  it('takes over what the resource managers gave', () => {
    const gpu = { containerPath: '/dev/gpu', hostPath: '/dev/gpu0', permissions: 'mrw' };
    const made = config({
      hardware: {
        devices: [gpu],
        mounts: [{ containerPath: '/lib/gpu', hostPath: '/opt/gpu', readOnly: true }],
        annotations: { 'example.com/gpu': '1' },
        cdiDevices: ['example.com/gpu=0'],
        cpusetCpus: '2-3',
      },
    });
    assert.deepEqual(made.devices, [gpu]);
    assert.equal(made.mounts[0]?.containerPath, '/lib/gpu');
    assert.equal(made.annotations['example.com/gpu'], '1');
    assert.deepEqual(made.cdiDevices, ['example.com/gpu=0']);
    assert.equal(made.resources.cpusetCpus, '2-3');
  });

  it('sets a stop signal only behind its gate', () => {
    const container = sampleContainer({ lifecycle: { stopSignal: 'SIGUSR1' } });
    assert.equal(config({ container }).stopSignal, undefined);
    assert.equal(config({ container, node: withGate('ContainerStopSignals') }).stopSignal, 'SIGUSR1');
  });

  it('gives the user mapping of the pod to namespaces and mounts', () => {
    const userMapping = { hostId: 65_536, containerId: 0, length: 65_536 };
    const made = config({ pod: samplePod({ hostUsers: false }), userMapping, hostsFilePath: '/hosts' });
    assert.deepEqual(made.security.namespaces.user, { uids: [userMapping], gids: [userMapping] });
    assert.deepEqual(made.mounts[0]?.uidMappings, [userMapping]);
  });

  it('never gives the users of the node to a pod that wants its own', () => {
    const pod = samplePod({ hostUsers: false });
    const handlers = [{ name: '', recursiveReadOnlyMounts: true, userNamespaces: false }];
    assert.match(refusal({ pod }), /^could not find an empty slot/);
    const userMapping = { hostId: 65_536, containerId: 0, length: 65_536 };
    const node = sampleNode({ runtimeHandlers: () => handlers });
    assert.match(refusal({ pod, userMapping, node }), /does not support user namespaces$/);
  });
});

describe('the process namespace of an ephemeral container', () => {
  const debug: EphemeralContainer = { ...sampleContainer({ name: 'debug' }), targetContainerName: 'web' };
  const targetContainerId = toContainerId('abc');
  const cases: [spec: Partial<PodSpec>, pid: string, target: string | undefined][] = [
    [{}, 'target', 'abc'],
    [{ shareProcessNamespace: true }, 'pod', undefined],
    [{ hostPID: true }, 'node', undefined],
  ];
  for (const [spec, pid, target] of cases) {
    it(`is "${pid}" for ${JSON.stringify(spec)}`, () => {
      const { namespaces } = config({ pod: samplePod(spec), container: debug, targetContainerId }).security;
      assert.deepEqual([namespaces.pid, namespaces.pidTargetId], [pid, target]);
    });
  }

  it('is refused when the target does not run', () => {
    assert.deepEqual(toContainerConfig(input({ container: debug })), {
      ok: false,
      reason: 'CreateContainerConfigError',
      message: 'unable to find target container web',
    });
  });
});

describe('toContainerConfig refusals', () => {
  const cases: [message: string, over: Partial<ContainerInput>][] = [
    ['secret "s" not found', { container: sampleContainer({ envFrom: [{ secretRef: { name: 's' } }] }) }],
    [
      'cannot find volume "v" to mount into container "web"',
      { container: sampleContainer({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }) },
    ],
    [
      'missing value for X',
      { container: sampleContainer({ volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr: '$(X)' }] }) },
    ],
    [
      'cannot find volume "b" to pass into container "web"',
      { container: sampleContainer({ volumeDevices: [{ name: 'b', devicePath: '/dev/b' }] }) },
    ],
    [
      'container has runAsNonRoot and image will run as root (pod: "shop_market(0a1b-2c3d)", container: web)',
      { imageUser: {}, container: sampleContainer({ securityContext: { runAsNonRoot: true } }) },
    ],
  ];
  for (const [message, over] of cases) {
    it(message, () => {
      assert.deepEqual(toContainerConfig(input(over)), {
        ok: false,
        reason: 'CreateContainerConfigError',
        message,
      });
    });
  }
});

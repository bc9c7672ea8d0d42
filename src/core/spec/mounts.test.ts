import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, samplePod } from '../../../test/samples/sample-pod.ts';
import type { VolumeMount } from '../api/pod.ts';
import type { Mount } from '../model/container-config.ts';
import { type MountInput, type PreparedVolume, toMounts } from './mounts.ts';
import { toSubPaths } from './sub-paths.ts';

const IMAGE = { ref: 'sha256:1', userSpecified: 'files:1', runtimeHandler: '' };
const volumes = new Map<string, PreparedVolume>([
  ['data', { hostPath: '/v/data', readOnly: false, selinuxRelabel: true }],
  ['fixed', { hostPath: '/v/fixed', readOnly: true, selinuxRelabel: false }],
  ['img', { hostPath: '', readOnly: true, selinuxRelabel: false, image: IMAGE }],
]);
const plain: Mount = {
  containerPath: '/data',
  hostPath: '/v/data',
  readOnly: false,
  recursiveReadOnly: false,
  selinuxRelabel: false,
  propagation: 'private',
  uidMappings: [],
  gidMappings: [],
};

function mount(volumeMounts: readonly VolumeMount[], over: Partial<MountInput> = {}) {
  const container = sampleContainer({ volumeMounts });
  const subPaths = toSubPaths(container, [
    { name: 'DIR', value: 'logs' },
    { name: 'EMPTY', value: '' },
  ]);
  if (!subPaths.ok) return subPaths;
  return toMounts({
    pod: samplePod(),
    container,
    podIps: [],
    volumes,
    subPaths: subPaths.value,
    preparedSubPaths: new Map([[0, { hostPath: '/sub/0' }]]),
    deviceMounts: [],
    hostsFilePath: undefined,
    terminationLogPath: undefined,
    user: 'node',
    selinuxEnabled: false,
    recursiveReadOnlySupported: true,
    ...over,
  });
}

const data = { name: 'data', mountPath: '/data' };
const cases: [name: string, mount: VolumeMount, expected: Partial<Mount>, over?: Partial<MountInput>][] = [
  ['a plain mount', data, {}],
  ['a relative path', { ...data, mountPath: 'data' }, {}],
  ['read-only by the mount', { ...data, readOnly: true }, { readOnly: true }],
  ['read-only by the volume', { ...data, name: 'fixed' }, { hostPath: '/v/fixed', readOnly: true }],
  ['propagation None', { ...data, mountPropagation: 'None' }, {}],
  [
    'propagation from the host',
    { ...data, mountPropagation: 'HostToContainer' },
    { propagation: 'host-to-container' },
  ],
  ['propagation both ways', { ...data, mountPropagation: 'Bidirectional' }, { propagation: 'bidirectional' }],
  ['a sub-path', { ...data, subPath: 'a/b' }, { hostPath: '/sub/0' }],
  ['a sub-path expression', { ...data, subPathExpr: '$(DIR)' }, { hostPath: '/sub/0' }],
  ['recursive read-only off', { ...data, readOnly: true, recursiveReadOnly: 'Disabled' }, { readOnly: true }],
  [
    'recursive read-only on',
    { ...data, readOnly: true, recursiveReadOnly: 'Enabled' },
    { readOnly: true, recursiveReadOnly: true },
  ],
  [
    'recursive read-only with no propagation',
    { ...data, readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'None' },
    { readOnly: true, recursiveReadOnly: true },
  ],
  [
    'recursive read-only if possible',
    { ...data, readOnly: true, recursiveReadOnly: 'IfPossible' },
    { readOnly: true, recursiveReadOnly: true },
  ],
  [
    'recursive read-only not possible',
    { ...data, readOnly: true, recursiveReadOnly: 'IfPossible' },
    { readOnly: true },
    { recursiveReadOnlySupported: false },
  ],
  ['a label on an SELinux host', data, { selinuxRelabel: true }, { selinuxEnabled: true }],
  [
    'no label for a volume that has one',
    { ...data, name: 'fixed' },
    { hostPath: '/v/fixed', readOnly: true },
    { selinuxEnabled: true },
  ],
  ['an image', { ...data, name: 'img' }, { hostPath: '', readOnly: true, image: IMAGE }],
  [
    'a part of an image',
    { ...data, name: 'img', subPath: 'a' },
    { hostPath: '', readOnly: true, image: IMAGE, imageSubPath: 'a' },
  ],
];

describe('toMounts', () => {
  for (const [name, volumeMount, expected, over] of cases) {
    it(`makes ${name}`, () =>
      assert.deepEqual(mount([volumeMount], over), { ok: true, value: [{ ...plain, ...expected }] }));
  }

  const recursive =
    'failed to resolve recursive read-only mode: volume "data" requested recursive read-only mode';
  const refusals: [message: string, mount: VolumeMount, over?: Partial<MountInput>][] = [
    ['cannot find volume "gone" to mount into container "web"', { ...data, name: 'gone' }],
    ['error SubPath `/etc` must not be an absolute path', { ...data, subPath: '/etc' }],
    ["unable to provision SubPath `a/../b`: must not contain '..'", { ...data, subPath: 'a/../b' }],
    ['missing value for A, EMPTY, Z', { ...data, subPathExpr: '$(Z)$(DIR)$(A)$(EMPTY)$(A)' }],
    [
      'failed to prepare subPath for volumeMount "data" of container "web"',
      { ...data, subPath: 'a' },
      { preparedSubPaths: new Map([[0, { failed: 'prepare' }]]) },
    ],
    [
      'failed to prepare subPath for volumeMount "data" of container "web"',
      { ...data, subPath: 'b' },
      { preparedSubPaths: new Map() },
    ],
    [
      'failed to create subPath directory for volumeMount "data" of container "web"',
      { ...data, subPath: 'a' },
      { preparedSubPaths: new Map([[0, { failed: 'create' }]]) },
    ],
    ['invalid MountPropagation mode: "Both"', { ...data, mountPropagation: 'Both' as 'None' }],
    [`${recursive}, but it is not read-only`, { ...data, recursiveReadOnly: 'Enabled' }],
    [
      `${recursive}, but it is not compatible with propagation "Bidirectional"`,
      { ...data, readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'Bidirectional' },
    ],
    [
      `${recursive}, but it is not supported by the runtime`,
      { ...data, readOnly: true, recursiveReadOnly: 'Enabled' },
      { recursiveReadOnlySupported: false },
    ],
  ];
  for (const [message, volumeMount, over] of refusals) {
    it(`refuses ${JSON.stringify(volumeMount)}`, () =>
      assert.deepEqual(mount([volumeMount], over), { ok: false, message }));
  }

  it('orders devices, volumes, hosts file and termination log', () => {
    const result = mount([data], {
      container: sampleContainer({ volumeMounts: [data], terminationMessagePath: 'dev/log' }),
      podIps: ['10.0.0.1'],
      deviceMounts: [{ containerPath: '/dev/x', hostPath: '/host/x', readOnly: true }],
      hostsFilePath: '/pods/etc-hosts',
      terminationLogPath: '/pods/log',
      selinuxEnabled: true,
    });
    assert.ok(result.ok);
    assert.deepEqual(
      result.value.map((made) => [made.containerPath, made.hostPath, made.readOnly, made.selinuxRelabel]),
      [
        ['/dev/x', '/host/x', true, false],
        ['/data', '/v/data', false, true],
        ['/etc/hosts', '/pods/etc-hosts', false, true],
        ['/dev/log', '/pods/log', false, true],
      ],
    );
    for (const made of result.value)
      assert.deepEqual([made.propagation, made.recursiveReadOnly], ['private', false]);
  });

  it('leaves out the hosts file when the user mounts one, and the log when none is wanted', () => {
    const own = { name: 'data', mountPath: '/etc/hosts' };
    const result = mount([own], {
      container: sampleContainer({ volumeMounts: [own], terminationMessagePath: '' }),
      podIps: ['10.0.0.1'],
      hostsFilePath: '/pods/etc-hosts',
      terminationLogPath: '/pods/log',
    });
    assert.deepEqual(result, { ok: true, value: [{ ...plain, containerPath: '/etc/hosts' }] });
  });

  it('gives every mount the user mapping of the pod', () => {
    const mapping = { hostId: 65_536, containerId: 0, length: 65_536 };
    const result = mount([data], {
      podIps: ['10.0.0.1'],
      hostsFilePath: '/pods/etc-hosts',
      user: { uids: [mapping], gids: [mapping] },
    });
    assert.ok(result.ok);
    assert.equal(result.value.length, 2);
    for (const made of result.value)
      assert.deepEqual([made.uidMappings, made.gidMappings], [[mapping], [mapping]]);
  });
});

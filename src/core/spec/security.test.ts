import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import type { PodSecurityContext, SecurityContext } from '../api/pod.ts';
import type { ContainerSecurity } from '../model/container-config.ts';
import { toNamespaces } from './namespaces.ts';
import { type SecurityInput, toContainerSecurity } from './security.ts';

function build(pod: PodSecurityContext, own?: SecurityContext, over: Partial<SecurityInput> = {}) {
  const sample = samplePod({ securityContext: pod });
  return toContainerSecurity({
    pod: sample,
    container: sampleContainer(own ? { securityContext: own } : {}),
    namespaces: toNamespaces(sample, undefined),
    imageUser: {},
    volumeGroups: [],
    node: sampleNode(),
    ...over,
  });
}
function security(...input: Parameters<typeof build>): ContainerSecurity {
  const result = build(...input);
  assert.ok(result.ok, result.ok ? '' : result.message);
  return result.value;
}

describe('toContainerSecurity', () => {
  it('gives the defaults', () => {
    assert.deepEqual(security({}), {
      privileged: false,
      namespaces: { network: 'pod', ipc: 'pod', pid: 'container', user: 'node' },
      runAsUser: 0,
      readOnlyRootFilesystem: false,
      supplementalGroups: [],
      supplementalGroupsPolicy: 'Merge',
      noNewPrivileges: false,
      maskedPaths: [
        '/proc/asound',
        '/proc/acpi',
        '/proc/interrupts',
        '/proc/kcore',
        '/proc/keys',
        '/proc/latency_stats',
        '/proc/timer_list',
        '/proc/timer_stats',
        '/proc/sched_debug',
        '/proc/scsi',
        '/sys/firmware',
        '/sys/devices/virtual/powercap',
        '/sys/devices/system/cpu/cpu0/thermal_throttle',
      ],
      readonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
      seccomp: { type: 'Unconfined' },
    });
  });

  const overlays: [
    name: string,
    pod: PodSecurityContext,
    own: SecurityContext,
    expected: Partial<ContainerSecurity>,
  ][] = [
    ['user and group of the pod', { runAsUser: 1, runAsGroup: 2 }, {}, { runAsUser: 1, runAsGroup: 2 }],
    [
      'own user before the pod',
      { runAsUser: 1, runAsGroup: 2 },
      { runAsUser: 3 },
      { runAsUser: 3, runAsGroup: 2 },
    ],
    ['own root before the pod', { runAsUser: 1 }, { runAsUser: 0 }, { runAsUser: 0 }],
    [
      'SELinux options replaced whole',
      { seLinuxOptions: { level: 'a', user: 'u' } },
      { seLinuxOptions: { level: 'b' } },
      { selinux: { level: 'b' } },
    ],
    ['SELinux options of the pod', { seLinuxOptions: { level: 'a' } }, {}, { selinux: { level: 'a' } }],
    [
      'capabilities as written',
      {},
      { capabilities: { add: ['NET_ADMIN'] } },
      { capabilities: { add: ['NET_ADMIN'], drop: [] } },
    ],
    ['no new privileges', {}, { allowPrivilegeEscalation: false }, { noNewPrivileges: true }],
    ['escalation allowed', {}, { allowPrivilegeEscalation: true }, { noNewPrivileges: false }],
    ['a read-only root', {}, { readOnlyRootFilesystem: true }, { readOnlyRootFilesystem: true }],
    [
      'hidden paths for privileged ones too',
      {},
      { privileged: true },
      { privileged: true, maskedPaths: security({}).maskedPaths },
    ],
    ['nothing hidden when unmasked', {}, { procMount: 'Unmasked' }, { maskedPaths: [], readonlyPaths: [] }],
    [
      'a merging group policy',
      { supplementalGroupsPolicy: 'Merge' },
      {},
      { supplementalGroupsPolicy: 'Merge' },
    ],
    [
      'a strict group policy',
      { supplementalGroupsPolicy: 'Strict' },
      {},
      { supplementalGroupsPolicy: 'Strict' },
    ],
  ];
  for (const [name, pod, own, expected] of overlays) {
    it(`gives ${name}`, () => {
      const made = security(pod, own);
      assert.deepEqual({ ...made, ...expected }, made);
    });
  }

  it('takes the user of the image when the spec sets none', () => {
    assert.equal(security({}, {}, { imageUser: { uid: 7 } }).runAsUser, 7);
    const named = security({}, {}, { imageUser: { username: 'app' } });
    assert.deepEqual([named.runAsUser, named.runAsUsername], [undefined, 'app']);
    assert.equal(security({ runAsUser: 5 }, {}, { imageUser: { username: 'app' } }).runAsUsername, undefined);
  });

  it('orders groups: fsGroup, the list of the pod, volumes without doubles', () => {
    const made = security({ fsGroup: 1, supplementalGroups: [2, 3] }, {}, { volumeGroups: [3, 4, 4] });
    assert.deepEqual(made.supplementalGroups, [1, 2, 3, 4]);
  });

  it('refuses an unknown group policy', () => {
    assert.deepEqual(build({ supplementalGroupsPolicy: 'Odd' }), {
      ok: false,
      message: 'unsupported supplementalGroupsPolicy: Odd',
    });
  });
});

describe('runAsNonRoot', () => {
  const where = '(pod: "shop_market(0a1b-2c3d)", container: web)';
  const cases: [name: string, own: SecurityContext, image: SecurityInput['imageUser'], message?: string][] = [
    ['a user other than root', { runAsUser: 1 }, { uid: 0 }],
    ['root chosen', { runAsUser: 0 }, { uid: 1 }, `container's runAsUser breaks non-root policy ${where}`],
    [
      'an image with a named user',
      {},
      { username: 'app' },
      `container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root ${where}`,
    ],
    ['an image with a numeric user', {}, { uid: 1000 }],
    ['an image with the lowest user', {}, { uid: 1 }],
    ['an image of root', {}, { uid: 0 }, `container has runAsNonRoot and image will run as root ${where}`],
    ['an image without a user', {}, {}, `container has runAsNonRoot and image will run as root ${where}`],
    ['the largest id', {}, { uid: 2_147_483_647 }],
    [
      'an id out of range',
      {},
      { uid: 2_147_483_648 },
      `container has runAsNonRoot and image has an invalid user id (2147483648). (Must be 1-(2147483647)): [must be between 0 and 2147483647, inclusive] ${where}`,
    ],
  ];
  for (const [name, own, imageUser, message] of cases) {
    it(`${message === undefined ? 'accepts' : 'refuses'} ${name}`, () => {
      const result = build({ runAsNonRoot: true }, own, { imageUser });
      assert.equal(result.ok ? undefined : result.message, message);
    });
  }

  it('follows the container before the pod', () => {
    assert.ok(build({ runAsNonRoot: true }, { runAsNonRoot: false }).ok);
    assert.ok(!build({ runAsNonRoot: false }, { runAsNonRoot: true }).ok);
  });
});

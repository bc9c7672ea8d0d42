import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import type { SecurityProfileRef } from '../api/pod.ts';
import type { SecurityProfile } from '../model/sandbox-config.ts';
import { toAppArmorProfile, toSeccompProfile } from './security-profiles.ts';

const local: SecurityProfileRef = { type: 'Localhost', localhostProfile: 'my/p.json' };
const unconfined: SecurityProfileRef = { type: 'Unconfined' };
const runtime: SecurityProfileRef = { type: 'RuntimeDefault' };

function pair(
  field: 'seccompProfile' | 'appArmorProfile',
  pod?: SecurityProfileRef,
  own?: SecurityProfileRef,
  annotation?: string,
) {
  return [
    samplePod(
      pod ? { securityContext: { [field]: pod } } : {},
      annotation ? { annotations: { 'container.apparmor.security.beta.kubernetes.io/web': annotation } } : {},
    ),
    sampleContainer(own ? { securityContext: { [field]: own } } : {}),
  ] as const;
}

describe('toSeccompProfile', () => {
  const ref = '/var/lib/kubelet/seccomp/my/p.json';
  const cases: [
    pod: SecurityProfileRef | undefined,
    own: SecurityProfileRef | undefined,
    byDefault: boolean,
    expected: SecurityProfile,
  ][] = [
    [undefined, undefined, false, { type: 'Unconfined' }],
    [undefined, undefined, true, { type: 'RuntimeDefault' }],
    [unconfined, undefined, true, { type: 'Unconfined' }],
    [unconfined, runtime, false, { type: 'RuntimeDefault' }],
    [local, undefined, false, { type: 'Localhost', ref }],
    [runtime, local, false, { type: 'Localhost', ref }],
  ];
  for (const [pod, own, seccompDefault, expected] of cases) {
    it(`pod ${pod?.type}, container ${own?.type}, default ${seccompDefault}: ${expected.type}`, () => {
      const result = toSeccompProfile(...pair('seccompProfile', pod, own), sampleNode({ seccompDefault }));
      assert.deepEqual(result, { ok: true, value: expected });
    });
  }

  it('CVE-2023-2431: refuses a local profile without a name, also an empty one', () => {
    for (const profile of [{ type: 'Localhost' }, { type: 'Localhost', localhostProfile: '' }] as const)
      assert.deepEqual(toSeccompProfile(...pair('seccompProfile', profile), sampleNode()), {
        ok: false,
        message: 'localhostProfile must be set if seccompProfile type is Localhost.',
      });
  });

  it('refuses a local profile outside of its directory', () => {
    for (const localhostProfile of ['../../etc/passwd', '/etc/passwd', 'a/../../b', '..']) {
      const profile = { type: 'Localhost', localhostProfile } as const;
      assert.equal(toSeccompProfile(...pair('seccompProfile', profile), sampleNode()).ok, false);
    }
  });
});

describe('toAppArmorProfile', () => {
  const cases: [
    pod: SecurityProfileRef | undefined,
    annotation: string | undefined,
    own: SecurityProfileRef | undefined,
    expected: SecurityProfile | undefined,
  ][] = [
    [undefined, undefined, undefined, undefined],
    [runtime, undefined, undefined, { type: 'RuntimeDefault' }],
    [runtime, 'unconfined', undefined, { type: 'Unconfined' }],
    [unconfined, 'runtime/default', undefined, { type: 'RuntimeDefault' }],
    [runtime, 'localhost/a/b', undefined, { type: 'Localhost', ref: 'a/b' }],
    [runtime, 'unconfined', local, { type: 'Localhost', ref: 'my/p.json' }],
    [runtime, 'nonsense', undefined, { type: 'RuntimeDefault' }],
  ];
  for (const [pod, annotation, own, expected] of cases) {
    it(`pod ${pod?.type}, annotation ${annotation}, container ${own?.type}: ${expected?.type}`, () => {
      assert.deepEqual(toAppArmorProfile(...pair('appArmorProfile', pod, own, annotation)), {
        ok: true,
        value: expected,
      });
    });
  }

  it('refuses a local profile without a name', () => {
    assert.ok(!toAppArmorProfile(...pair('appArmorProfile', undefined, undefined, 'localhost/')).ok);
  });
});

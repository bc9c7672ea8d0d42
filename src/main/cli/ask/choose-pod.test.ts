import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CliPod, choosePod } from './choose-pod.ts';

const pod = (namespace: string, name: string, source: 'file' | 'api' = 'file'): CliPod => ({
  metadata: {
    namespace,
    name,
    uid: `${namespace}/${name}`,
    annotations: { 'kubernetes.io/config.source': source },
  },
  spec: { nodeName: 'n1', containers: [] },
});
const pods = [
  pod('default', 'web-n1'),
  pod('default', 'web', 'api'),
  pod('default', 'job-n1', 'api'),
  pod('kube-system', 'proxy-n1'),
  pod('kube-system', 'dns-n1'),
  pod('other', 'dns-n1'),
];

describe('choosePod', () => {
  const rows: readonly (readonly [string, string | undefined, string])[] = [
    ['web', undefined, 'default/web'],
    ['web-n1', undefined, 'default/web-n1'],
    ['default/web', undefined, 'default/web'],
    ['proxy', undefined, 'kube-system/proxy-n1'],
    ['proxy-n1', undefined, 'kube-system/proxy-n1'],
    ['proxy', 'kube-system', 'kube-system/proxy-n1'],
    ['kube-system/dns', 'other', 'kube-system/dns-n1'],
    ['dns', 'other', 'other/dns-n1'],
  ];
  for (const [reference, namespace, uid] of rows)
    it(`takes ${reference} in ${namespace ?? 'no namespace'} for ${uid}`, () => {
      const choice = choosePod(pods, reference, namespace);
      assert.ok('pod' in choice, JSON.stringify(choice));
      assert.equal(choice.pod.metadata.uid, uid);
    });

  const old = { ...pod('default', 'web-n1'), metadata: { ...pod('default', 'web-n1').metadata, uid: 'old' } };
  const deleted = { ...old, metadata: { ...old.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const edits: readonly (readonly [string, readonly CliPod[], string, string])[] = [
    ['the pod that stays, after it', [deleted, pod('default', 'web-n1')], 'web', 'default/web-n1'],
    ['the pod that stays, before it', [pod('default', 'web-n1'), deleted], 'web-n1', 'default/web-n1'],
    [
      'the newer of two that go',
      [deleted, { ...deleted, metadata: { ...deleted.metadata, uid: 'new' } }],
      'web',
      'new',
    ],
    ['a pod that goes by its UID', [deleted, pod('default', 'web-n1')], 'old', 'old'],
  ];
  for (const [what, both, reference, uid] of edits)
    it(`finds ${what}`, () => {
      const choice = choosePod(both, reference, undefined);
      assert.ok('pod' in choice, JSON.stringify(choice));
      assert.equal(choice.pod.metadata.uid, uid);
    });

  const refusals: readonly (readonly [string, string | undefined, string])[] = [
    ['nope', undefined, 'pods "nope" not found on this node'],
    ['proxy', 'default', 'pods "proxy" not found in namespace "default"'],
    ['default/proxy', undefined, 'pods "proxy" not found in namespace "default"'],
    ['job', undefined, 'pods "job" not found on this node'],
    [
      'dns',
      undefined,
      '"dns" may be one of several pods: kube-system/dns-n1, other/dns-n1; name the namespace or a UID',
    ],
  ];
  for (const [reference, namespace, problem] of refusals)
    it(`refuses ${reference} in ${namespace ?? 'no namespace'}`, () =>
      assert.deepEqual(choosePod(pods, reference, namespace), { problem }));
});

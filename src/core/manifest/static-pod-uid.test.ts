import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { dumpPod } from './dump-pod.ts';
import { parseManifest } from './parse-manifest.ts';
import { readStaticPods, toStaticPod } from './static-pod.ts';
import { toHashedPod } from './static-pod-uid.ts';

interface Vector {
  readonly path: string;
  readonly uid: string;
  readonly manifest: string;
}

/** Manifests and the UIDs the upstream kubelet 1.36.4 gave them on a node called node-1. */
const VECTORS: readonly Vector[] = JSON.parse(
  readFileSync(new URL('./static-pod-uid.vectors.json', import.meta.url), 'utf8'),
);

for (const { path, uid, manifest } of VECTORS) {
  test(`readStaticPods gives ${path} the UID of the upstream kubelet`, () => {
    const { pods, problems } = readStaticPods(manifest, path, 'node-1');
    assert.deepEqual(problems, []);
    assert.equal(pods[0]?.metadata.uid, uid);
  });
}

function dump(fields: string): string {
  const text = `{"apiVersion": "v1", "kind": "Pod", ${fields}}`;
  const { pod } = parseManifest(text, '/f').pods[0]!;
  let out = '';
  dumpPod(toHashedPod(pod), (piece) => {
    out += piece;
  });
  return out;
}

const MINIMAL = '"metadata": {"name": "a"}, "spec": {"containers": []}';

const SHOWN: readonly (readonly [what: string, fields: string, shown: string])[] = [
  [
    'neither kind nor version',
    MINIMAL,
    '(*core.Pod){TypeMeta:(v1.TypeMeta){Kind:(string) APIVersion:(string)} ',
  ],
  ['an absent map as nil', MINIMAL, ' Labels:(map[string]string)<nil> '],
  ['an empty map as empty', '"metadata": {"labels": {}}', ' Labels:(map[string]string)map[] '],
  [
    'keys in the order of their bytes',
    '"metadata": {"labels": {"z\\ud83d\\ude00": "1", "z\\ue000": "2", "a": "3", "B": "4"}}',
    'map[B:4 a:3 z\ue000:2 z\u{1f600}:1] ',
  ],
  [
    'namespaces of the host in the security context',
    '"spec": {"hostPID": true, "hostUsers": false}',
    ' SecurityContext:(*core.PodSecurityContext){HostNetwork:(bool)false HostPID:(bool)true HostIPC:(bool)false ShareProcessNamespace:(*bool)<nil> HostUsers:(*bool)false ',
  ],
  [
    'a divisor that is not written as unset',
    '"spec": {"containers": [{"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "r"}}}]}]}',
    'Dec:(*inf.Dec)<nil>} s:(string) Format:(resource.Format)}}',
  ],
  [
    'a JSON number to the letter',
    '"spec": {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": 1.50}}]}',
    '{value:(int64)150 scale:(resource.Scale)-2}',
  ],
  [
    'no annotation of old init containers',
    '"metadata": {"annotations": {"pod.beta.kubernetes.io/init-containers": "x"}}',
    ' Annotations:(map[string]string)map[] ',
  ],
  ['the single address as a list', '"status": {"podIP": "::1"}', ' PodIPs:([]core.PodIP)[{IP:(string)::1}] '],
  [
    'seconds since the year 1 for a time',
    '"metadata": {"creationTimestamp": "2024-01-02T05:04:05.5+02:00"}',
    '{Time:(time.Time){wall:(uint64)500000000 ext:(int64)63839761445 loc:(*time.Location){name:(string)Local ',
  ],
  [
    'a limit as the request too',
    '"spec": {"containers": [{"resources": {"limits": {"cpu": "1000m"}}}]}',
    ' Requests:(core.ResourceList)map[cpu:{i:(resource.int64Amount){value:(int64)1000 scale:(resource.Scale)-3}',
  ],
  [
    'the sum of the containers as the request of the pod',
    '"spec": {"resources": {"limits": {"cpu": "4"}}, "containers": [{"resources": {"requests": {"cpu": "1"}}}, {"resources": {"requests": {"cpu": "250m"}}}]}',
    ' Requests:(core.ResourceList)map[cpu:{i:(resource.int64Amount){value:(int64)1250 scale:(resource.Scale)-3}',
  ],
];

for (const [what, fields, shown] of SHOWN) {
  test(`dumpPod shows ${what}`, () => {
    const text = dump(fields);
    assert.ok(text.includes(shown), text);
  });
}

test('toStaticPod of a URL takes the URL, not the node, into the UID', () => {
  const { pod } = parseManifest('apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n', '/f').pods[0]!;
  const uid = (nodeName: string, url: string) =>
    toStaticPod(pod, { nodeName, source: { kind: 'url', url } }).metadata.uid;
  assert.equal(uid('a', 'http://x'), uid('b', 'http://x'));
  assert.notEqual(uid('a', 'http://x'), uid('a', 'http://y'));
});

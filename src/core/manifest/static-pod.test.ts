import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Pod } from '../api/pod.ts';
import { renderProblem } from './manifest-problem.ts';
import { findApiReference } from './reject-api-references.ts';
import { readStaticPods, toStaticPod } from './static-pod.ts';

const WEB = `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web, tier: front}
spec:
  containers:
  - name: web
    image: nginx:1.27
`;
const FILE = { nodeName: 'Node-1', source: { kind: 'file', path: '/m/web.yaml' } } as const;

function pod(spec: Partial<Pod['spec']> = {}, metadata: Partial<Pod['metadata']> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: '', uid: '', ...metadata },
    spec: { containers: [{ name: 'web', image: 'nginx' }], ...spec },
  };
}

function uidOf(text: string, path = '/m/web.yaml', node = 'node-1'): string {
  const { pods, problems } = readStaticPods(text, path, node);
  assert.deepEqual(problems, []);
  assert.equal(pods.length, 1);
  return pods[0]!.metadata.uid;
}

test('toStaticPod gives name, namespace, node, hash, toleration and phase', () => {
  const made = toStaticPod(pod(), FILE);
  assert.match(made.metadata.uid, /^[0-9a-f]{32}$/);
  assert.deepEqual(made.metadata, {
    name: 'web-node-1',
    namespace: 'default',
    uid: made.metadata.uid,
    annotations: { 'kubernetes.io/config.hash': made.metadata.uid },
  });
  assert.equal(made.spec.nodeName, 'Node-1');
  assert.deepEqual(made.spec.tolerations, [{ operator: 'Exists', effect: 'NoExecute' }]);
  assert.deepEqual(made.status, { phase: 'Pending' });
});

test('toStaticPod keeps a given uid, namespace and other tolerations', () => {
  const tolerations = [
    { key: 'a', operator: 'Exists' as const },
    { operator: 'Exists' as const, effect: 'NoExecute' as const, tolerationSeconds: 5 },
  ];
  const made = toStaticPod(pod({ tolerations }, { uid: 'mine', namespace: 'kube-system' }), FILE);
  assert.equal(made.metadata.uid, 'mine');
  assert.equal(made.metadata.annotations?.['kubernetes.io/config.hash'], 'mine');
  assert.equal(made.metadata.namespace, 'kube-system');
  assert.deepEqual(made.spec.tolerations, [
    { key: 'a', operator: 'Exists' },
    { operator: 'Exists', effect: 'NoExecute' },
  ]);
});

test('toStaticPod of a URL adds no toleration and does not depend on the node', () => {
  const source = { kind: 'url', url: 'http://x/pods' } as const;
  const one = toStaticPod(pod(), { nodeName: 'a', source });
  const two = toStaticPod(pod(), { nodeName: 'b', source });
  assert.equal(one.spec.tolerations, undefined);
  assert.equal(one.metadata.uid, two.metadata.uid);
});

test('readStaticPods gives the same uid for other layout, comments, key order and JSON', () => {
  const uid = uidOf(WEB);
  const json = {
    spec: { containers: [{ image: 'nginx:1.27', name: 'web' }] },
    metadata: { labels: { tier: 'front', app: 'web' }, name: 'web' },
    kind: 'Pod',
    apiVersion: 'v1',
  };
  assert.equal(uidOf(JSON.stringify(json)), uid);
  assert.equal(uidOf(`# why\n${WEB}\n\nstatus: {}\n`), uid);
});

test('readStaticPods gives another uid for another path or node', () => {
  const uids = [uidOf(WEB), uidOf(WEB, '/m/other.yaml'), uidOf(WEB, '/m/web.yaml', 'node-2')];
  assert.equal(new Set(uids).size, 3);
});

test('readStaticPods gives another uid for any other content', () => {
  const content = fc.record({
    image: fc.stringMatching(/^[a-z]{1,6}$/),
    args: fc.array(fc.string(), { maxLength: 3 }),
    label: fc.stringMatching(/^[a-z]{1,4}$/),
    hostNetwork: fc.boolean(),
    grace: fc.nat(100),
  });
  type Content = typeof content extends fc.Arbitrary<infer T> ? T : never;
  const uid = ({ image, args, label, hostNetwork, grace }: Content): string =>
    uidOf(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', labels: { l: label } },
        spec: { containers: [{ name: 'c', image, args }], hostNetwork, terminationGracePeriodSeconds: grace },
      }),
    );
  fc.assert(
    fc.property(content, content, (a, b) => {
      assert.equal(uid(a) === uid(b), JSON.stringify(a) === JSON.stringify(b));
      assert.equal(uid(a), uid({ ...a }));
    }),
    { numRuns: 100 },
  );
});

test('readStaticPods defaults the pods it returns', () => {
  const { pods } = readStaticPods(WEB, '/m/web.yaml', 'n');
  assert.equal(pods[0]?.spec.restartPolicy, 'Always');
  assert.equal(pods[0]?.spec.containers[0]?.imagePullPolicy, 'IfNotPresent');
});

test('readStaticPods returns the good pods and names file, line and field of every fault of the others', () => {
  const bad = WEB.replace('name: web\n  labels', 'name: bad\n  labels')
    .replace('- name: web', '- name: Web')
    .replace('nginx:1.27', 'nginx:1.27\n    imagePullpolicy: Always');
  const { pods, problems } = readStaticPods(`${WEB}---\n${bad}`, '/m/web.yaml', 'n');
  assert.deepEqual(
    pods.map(({ metadata }) => metadata.name),
    ['web-n'],
  );
  assert.deepEqual(
    problems.map((one) => renderProblem(one).slice(0, 80)),
    [
      '/m/web.yaml:20: spec.containers[0].imagePullpolicy: unknown field (did you mean ',
      '/m/web.yaml:18: spec.containers[0].name: Invalid value: "Web": a lowercase RFC 1',
    ],
  );
});

test('readStaticPods reports a wrong type once', () => {
  const { problems } = readStaticPods(WEB.replace('nginx:1.27', '7'), '/f', 'n');
  assert.equal(problems.length, 1, problems.map(renderProblem).join('\n'));
});

test('readStaticPods keeps the first of two documents with one name and names the line of the second', () => {
  const { pods, problems } = readStaticPods(`${WEB}---\n${WEB.replace('1.27', '1.28')}`, '/f', 'n');
  assert.deepEqual(
    pods.map(({ spec }) => spec.containers[0]?.image),
    ['nginx:1.27'],
  );
  assert.deepEqual(problems.map(renderProblem), ['/f:14: metadata.name: Duplicate value: "default/web-n"']);
});

test('readStaticPods requires a name', () => {
  const { problems } = readStaticPods(WEB.replace('  name: web\n', ''), '/f', 'n');
  assert.deepEqual(problems.map(renderProblem), ['/f:3: metadata.name: Required value']);
});

const REFERENCES: readonly (readonly [what: string, spec: Partial<Pod['spec']>, path: string])[] = [
  ['serviceaccounts', { serviceAccountName: 'sa' }, 'spec.serviceAccountName'],
  ['secrets', { imagePullSecrets: [{ name: 's' }] }, 'spec.imagePullSecrets[0].name'],
  [
    'secrets',
    {
      containers: [{ name: 'c', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }],
    },
    'spec.containers[0].env[0].valueFrom.secretKeyRef',
  ],
  [
    'configmaps',
    { containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'm' } }] }] },
    'spec.containers[0].envFrom[0].configMapRef',
  ],
  ['resourceclaims', { resourceClaims: [{ name: 'gpu' }] }, 'spec.resourceClaims'],
  ['secrets', { volumes: [{ name: 'v', secret: { secretName: 's' } }] }, 'spec.volumes[0]'],
  ['configmaps', { volumes: [{ name: 'v', configMap: { name: 'm' } }] }, 'spec.volumes[0]'],
  [
    'configmaps (via configmap volumes)',
    { volumes: [{ name: 'v', configMap: {} }] },
    'spec.volumes[0].configMap',
  ],
  ['secrets (via secret volumes)', { volumes: [{ name: 'v', secret: {} }] }, 'spec.volumes[0].secret'],
  ['csidrivers (via CSI volumes)', { volumes: [{ name: 'v', csi: { driver: 'd' } }] }, 'spec.volumes[0].csi'],
  [
    'endpoints (via glusterFS volumes)',
    { volumes: [{ name: 'v', glusterfs: {} }] },
    'spec.volumes[0].glusterfs',
  ],
  [
    'persistentvolumeclaims',
    { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'p' } }] },
    'spec.volumes[0].persistentVolumeClaim',
  ],
  [
    'persistentvolumeclaims (via ephemeral volumes)',
    { volumes: [{ name: 'v', ephemeral: {} }] },
    'spec.volumes[0].ephemeral',
  ],
  [
    'secrets (via azureFile volumes)',
    { volumes: [{ name: 'v', azureFile: {} }] },
    'spec.volumes[0].azureFile',
  ],
  [
    'configmaps (via projected volumes)',
    { volumes: [{ name: 'v', projected: { sources: [{ downwardAPI: {} }, { configMap: {} }] } }] },
    'spec.volumes[0].projected.sources[1].configMap',
  ],
  [
    'secrets (via projected volumes)',
    { volumes: [{ name: 'v', projected: { sources: [{ secret: {} }] } }] },
    'spec.volumes[0].projected.sources[0].secret',
  ],
  [
    'serviceaccounts (via projected volumes)',
    { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
    'spec.volumes[0].projected.sources[0].serviceAccountToken',
  ],
  [
    'clustertrustbundles',
    { volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 'ca' } }] } }] },
    'spec.volumes[0].projected.sources[0].clusterTrustBundle',
  ],
  [
    'podcertificates',
    {
      volumes: [
        { name: 'v', projected: { sources: [{ podCertificate: { keyType: 'k', signerName: 's' } }] } },
      ],
    },
    'spec.volumes[0].projected.sources[0].podCertificate',
  ],
];

for (const [what, spec, path] of REFERENCES) {
  test(`findApiReference refuses ${what} at ${path}`, () => {
    const found = findApiReference(pod(spec));
    assert.equal(found?.message, `static pods may not reference ${what}`);
    assert.equal(found?.path, path);
  });
}

test('findApiReference accepts what needs no API server', () => {
  const volumes = [
    { name: 'a', emptyDir: {} },
    { name: 'b', hostPath: { path: '/x' } },
    { name: 'c', downwardAPI: {} },
    { name: 'd', projected: { sources: [{ downwardAPI: {} }] } },
    { name: 'e', image: { reference: 'i' } },
  ];
  assert.equal(findApiReference(pod({ volumes, imagePullSecrets: [{}] })), undefined);
});

test('findApiReference refuses the API copy of a static pod', () => {
  const mirror = pod({}, { annotations: { 'kubernetes.io/config.mirror': 'x' } });
  assert.match(findApiReference(mirror)?.message ?? '', /^Forbidden: this is the API copy of a static pod/);
});

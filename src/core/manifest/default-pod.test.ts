import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Pod, PodSpec } from '../api/pod.ts';
import { decidePullPolicy } from './default-container.ts';
import { defaultPod } from './default-pod.ts';

function defaulted(spec: Partial<PodSpec>): PodSpec {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'default', uid: 'u' },
    spec: { containers: [{ name: 'c', image: 'nginx:1' }], ...spec },
  };
  const once = defaultPod(pod);
  assert.deepEqual(defaultPod(once), once, 'defaulting twice changes nothing');
  return once.spec;
}

function container(one: Partial<Container>, spec: Partial<PodSpec> = {}): Container {
  const first = defaulted({ ...spec, containers: [{ name: 'c', image: 'nginx:1', ...one }] }).containers[0];
  assert.ok(first);
  return first;
}

test('defaultPod fills the pod as the API server does', () => {
  assert.deepEqual(defaulted({}), {
    containers: [
      {
        name: 'c',
        image: 'nginx:1',
        imagePullPolicy: 'IfNotPresent',
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    ],
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    enableServiceLinks: true,
  });
});

test('defaultPod keeps what is set, zero grace included', () => {
  const spec = defaulted({
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 0,
    enableServiceLinks: false,
  });
  assert.equal(spec.restartPolicy, 'Never');
  assert.equal(spec.terminationGracePeriodSeconds, 0);
  assert.equal(spec.enableServiceLinks, false);
  assert.equal(defaulted({ terminationGracePeriodSeconds: -5 }).terminationGracePeriodSeconds, 1);
});

const IMAGES: readonly (readonly [image: string, policy: string])[] = [
  ['nginx', 'Always'],
  ['nginx:latest', 'Always'],
  ['nginx:1.27', 'IfNotPresent'],
  ['registry.example:5000/nginx', 'Always'],
  ['registry.example:5000/nginx:v1', 'IfNotPresent'],
  [`nginx@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
  [`nginx:latest@sha256:${'0'.repeat(64)}`, 'Always'],
];
for (const [image, policy] of IMAGES) {
  test(`decidePullPolicy of ${image.slice(0, 40)} is ${policy}`, () => {
    assert.equal(decidePullPolicy(image), policy);
  });
}

test('defaultPod fills ports, and host ports on the host network', () => {
  assert.deepEqual(container({ ports: [{ containerPort: 80 }] }).ports, [
    { containerPort: 80, protocol: 'TCP' },
  ]);
  const hosted = container({ ports: [{ containerPort: 80, protocol: 'UDP' }] }, { hostNetwork: true });
  assert.deepEqual(hosted.ports, [{ containerPort: 80, hostPort: 80, protocol: 'UDP' }]);
});

test('defaultPod fills probes and hooks', () => {
  const { livenessProbe, lifecycle } = container({
    livenessProbe: { httpGet: { port: 80 }, periodSeconds: 5 },
    lifecycle: { preStop: { httpGet: { port: 'web', path: '/bye', scheme: 'HTTPS' } } },
  });
  assert.deepEqual(livenessProbe, {
    httpGet: { port: 80, path: '/', scheme: 'HTTP' },
    timeoutSeconds: 1,
    periodSeconds: 5,
    successThreshold: 1,
    failureThreshold: 3,
  });
  assert.deepEqual(lifecycle?.preStop?.httpGet, { port: 'web', path: '/bye', scheme: 'HTTPS' });
});

test('defaultPod takes requests from limits, rounds to thousandths and prints canonically', () => {
  const { resources } = container({
    resources: { limits: { cpu: '0.5', memory: '1024Mi' }, requests: { memory: '0.0001' } },
  });
  assert.deepEqual(resources, {
    limits: { cpu: '500m', memory: '1Gi' },
    requests: { cpu: '500m', memory: '1m' },
  });
});

test('defaultPod fills pod-level requests from the containers, then from the limits', () => {
  const spec = defaulted({
    containers: [
      { name: 'a', image: 'i:1', resources: { requests: { cpu: '100m' } } },
      { name: 'b', image: 'i:1', resources: { requests: { cpu: '200m' } } },
    ],
    initContainers: [
      { name: 's', image: 'i:1', restartPolicy: 'Always', resources: { requests: { cpu: '50m' } } },
      { name: 'i', image: 'i:1', resources: { requests: { cpu: '400m' } } },
    ],
    resources: { limits: { cpu: '1', memory: '1Gi' } },
  });
  assert.deepEqual(spec.resources?.requests, { cpu: '450m', memory: '1Gi' });
});

test('defaultPod fills variables and volumes', () => {
  const { env } = container({
    env: [{ name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
  });
  assert.equal(env?.[0]?.valueFrom?.fieldRef?.apiVersion, 'v1');
  const { volumes } = defaulted({
    volumes: [
      { name: 'none' },
      { name: 'host', hostPath: { path: '/x' } },
      { name: 'map', configMap: { name: 'm' } },
      { name: 'mode', secret: { secretName: 's', defaultMode: 0o400 } },
      { name: 'all', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      { name: 'image', image: { reference: 'data' } },
    ],
  });
  assert.deepEqual(volumes, [
    { name: 'none', emptyDir: {} },
    { name: 'host', hostPath: { path: '/x', type: '' } },
    { name: 'map', configMap: { name: 'm', defaultMode: 420 } },
    { name: 'mode', secret: { secretName: 's', defaultMode: 0o400 } },
    {
      name: 'all',
      projected: {
        sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }],
        defaultMode: 420,
      },
    },
    { name: 'image', image: { reference: 'data', pullPolicy: 'Always' } },
  ]);
});

test('defaultPod keeps the two spellings of the service account equal', () => {
  assert.equal(defaulted({ serviceAccount: 'sa' }).serviceAccountName, 'sa');
});

test('defaultPod fills old volume sources and claim templates as the API server does', () => {
  const { volumes } = defaulted({
    volumes: [
      { name: 'a', rbd: { pool: '', user: 'me' } as object },
      { name: 'b', azureDisk: { fsType: '' } },
      { name: 'c', scaleIO: {} },
      { name: 'd', ephemeral: { volumeClaimTemplate: { spec: {} } } },
    ],
  });
  assert.deepEqual(volumes, [
    { name: 'a', rbd: { pool: 'rbd', user: 'me', keyring: '/etc/ceph/keyring' } },
    { name: 'b', azureDisk: { cachingMode: 'ReadWrite', fsType: '', readOnly: false, kind: 'Shared' } },
    { name: 'c', scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' } },
    { name: 'd', ephemeral: { volumeClaimTemplate: { spec: { volumeMode: 'Filesystem' } } } },
  ]);
});

test('defaultPod leaves quantities as written on request', () => {
  const resources = { limits: { cpu: '1000m' } };
  const valueFrom = { resourceFieldRef: { resource: 'limits.cpu' } };
  const spec: PodSpec = {
    containers: [{ name: 'c', resources, env: [{ name: 'A', valueFrom }] }],
    overhead: { cpu: '0.50' },
    resources: { limits: { cpu: '2.0' } },
  };
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: '', uid: '' }, spec };
  const { containers, overhead, resources: ofPod } = defaultPod(pod, 'as written').spec;
  assert.deepEqual(containers[0]?.resources, { limits: { cpu: '1000m' }, requests: { cpu: '1000m' } });
  assert.deepEqual(containers[0]?.env, [{ name: 'A', valueFrom }]);
  assert.deepEqual([overhead, ofPod], [{ cpu: '0.50' }, { limits: { cpu: '2.0' } }]);
});

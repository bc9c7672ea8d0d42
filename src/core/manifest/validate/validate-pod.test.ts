import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Pod, PodSpec } from '../../api/pod.ts';
import { defaultPod } from '../default-pod.ts';
import { validatePod } from './validate-pod.ts';

const GOOD: Container = { name: 'c', image: 'nginx:1' };

function faults(spec: Partial<PodSpec>, metadata: Partial<Pod['metadata']> = {}): readonly string[] {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'default', uid: 'u', ...metadata },
    spec: { containers: [GOOD], ...spec },
  };
  return validatePod(defaultPod(pod)).map(({ path, message }) => `${path}: ${message}`);
}

function containerFaults(one: Partial<Container>, spec: Partial<PodSpec> = {}): readonly string[] {
  return faults({ ...spec, containers: [{ ...GOOD, ...one }] });
}

test('validatePod accepts a pod that uses many fields rightly', () => {
  const spec: Partial<PodSpec> = {
    containers: [
      {
        ...GOOD,
        ports: [{ name: 'web', containerPort: 80 }],
        env: [{ name: 'my.var', value: 'x' }],
        volumeMounts: [{ name: 'data', mountPath: '/data', subPath: 'a/b' }],
        livenessProbe: { httpGet: { port: 'web' } },
        readinessProbe: { exec: { command: ['true'] }, successThreshold: 2 },
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
        resources: { limits: { cpu: '1', memory: '64Mi', 'example.com/gpu': '1' } },
        restartPolicy: 'Never',
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
        securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      },
    ],
    initContainers: [
      { name: 'side', image: 'i', restartPolicy: 'Always', startupProbe: { tcpSocket: { port: 1 } } },
    ],
    volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Gi' } }],
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['10.0.0.10', 'fd00::1'] },
    hostAliases: [{ ip: '127.0.0.1', hostnames: ['foo.local'] }],
    tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
  };
  assert.deepEqual(faults(spec, { labels: { 'app.kubernetes.io/name': 'x' }, annotations: { A: 'b' } }), []);
});

const POD_CASES: readonly (readonly [
  criterion: string,
  spec: Partial<PodSpec>,
  expected: readonly string[],
])[] = [
  ['no container', { containers: [] }, ['spec.containers: Required value']],
  [
    'a container name used twice',
    { containers: [GOOD], initContainers: [GOOD] },
    ['spec.initContainers[0].name: Duplicate value: "c"'],
  ],
  [
    'an unknown restart policy',
    { restartPolicy: 'Sometimes' as 'Always' },
    ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'],
  ],
  [
    'scheduling gates on a pod that has its node',
    { nodeName: 'n', schedulingGates: [{ name: 'x' }] },
    [
      'spec.schedulingGates: Forbidden: a pod that is on its node cannot wait to be scheduled: remove the gates',
    ],
  ],
  [
    'pod-level requests below those of the containers',
    {
      containers: [{ ...GOOD, resources: { requests: { cpu: '3' } } }],
      resources: { requests: { cpu: '2' } },
    },
    [
      'spec.resources.requests[cpu]: Invalid value: "2": must be greater than or equal to aggregate container requests of 3',
    ],
  ],
  [
    'DNS policy None without a nameserver',
    { dnsPolicy: 'None' },
    ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
  ],
  [
    'a nameserver that is no address',
    { dnsConfig: { nameservers: ['dns.example'] } },
    [
      'spec.dnsConfig.nameservers[0]: Invalid value: "dns.example": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  ],
  [
    'a volume name used twice',
    { volumes: [{ name: 'v' }, { name: 'v' }] },
    ['spec.volumes[1].name: Duplicate value: "v"'],
  ],
  [
    'two sources in one volume',
    { volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }] },
    ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    'a host path that climbs',
    { volumes: [{ name: 'v', hostPath: { path: '/a/../b' } }] },
    ['spec.volumes[0].hostPath.path: Invalid value: "/a/../b": must not contain \'..\''],
  ],
  [
    'user namespaces with host PIDs',
    { hostUsers: false, hostPID: true },
    ['spec.hostPID: Forbidden: when `hostUsers` is false'],
  ],
  [
    'ephemeral containers',
    { ephemeralContainers: [GOOD] },
    ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
  ],
  [
    'a probe on an init container that ends',
    { initContainers: [{ name: 'i', image: 'i', livenessProbe: { tcpSocket: { port: 1 } } }] },
    [
      'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
  ],
  [
    'a host port used twice',
    {
      containers: [
        { ...GOOD, ports: [{ containerPort: 80, hostPort: 8080 }] },
        { name: 'd', image: 'i', ports: [{ containerPort: 81, hostPort: 8080 }] },
      ],
    },
    ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//8080"'],
  ],
  [
    'an active deadline of zero',
    { activeDeadlineSeconds: 0 },
    ['spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
  ],
];

for (const [criterion, spec, expected] of POD_CASES) {
  test(`validatePod names ${criterion}`, () => assert.deepEqual(faults(spec), expected));
}

const CONTAINER_CASES: readonly (readonly [string, Partial<Container>, RegExp])[] = [
  [
    'a bad name',
    { name: 'A_b' },
    /^spec\.containers\[0\]\.name: Invalid value: "A_b": a lowercase RFC 1123 label/,
  ],
  ['an empty name', { name: '' }, /^spec\.containers\[0\]\.name: Required value$/],
  ['an empty image', { image: '' }, /^spec\.containers\[0\]\.image: Required value$/],
  [
    'an image with blanks around it',
    { image: ' nginx' },
    /^spec\.containers\[0\]\.image: Invalid value: " nginx": must not have leading or trailing whitespace$/,
  ],
  [
    'a mount of an unknown volume',
    { volumeMounts: [{ name: 'nope', mountPath: '/x' }] },
    /^spec\.containers\[0\]\.volumeMounts\[0\]\.name: Not found: "nope"$/,
  ],
  [
    'a port out of range',
    { ports: [{ containerPort: 70000 }] },
    /^spec\.containers\[0\]\.ports\[0\]\.containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive$/,
  ],
  [
    'a port name used twice',
    {
      ports: [
        { name: 'web', containerPort: 1 },
        { name: 'web', containerPort: 2 },
      ],
    },
    /^spec\.containers\[0\]\.ports\[1\]\.name: Duplicate value: "web"$/,
  ],
  [
    'a request above its limit',
    { resources: { limits: { cpu: '100m' }, requests: { cpu: '1' } } },
    /^spec\.containers\[0\]\.resources\.requests\[cpu\]: Invalid value: "1": must be less than or equal to cpu limit of 100m$/,
  ],
  [
    'an unknown resource',
    { resources: { requests: { ram: '1' } } },
    /^spec\.containers\[0\]\.resources\.requests\[ram\]: Invalid value: "ram": must be a standard resource for containers$/,
  ],
  [
    'a negative amount',
    { resources: { requests: { cpu: '-1' } } },
    /^spec\.containers\[0\]\.resources\.requests\[cpu\]: Invalid value: "-1": must be greater than or equal to 0$/,
  ],
  [
    'a device without a limit',
    { resources: { requests: { 'example.com/gpu': '1' } } },
    /limits\[example\.com\/gpu\]: Required value: Limit must be set for non overcommitable resources$/,
  ],
  [
    'a liveness success threshold above one',
    { livenessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } },
    /^spec\.containers\[0\]\.livenessProbe\.successThreshold: Invalid value: 2: must be 1$/,
  ],
  [
    'a negative probe period',
    { readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: -5 } },
    /^spec\.containers\[0\]\.readinessProbe\.periodSeconds: Invalid value: -5: must be greater/,
  ],
  [
    'a probe without a handler',
    { readinessProbe: {} },
    /^spec\.containers\[0\]\.readinessProbe: Required value: must specify a handler type$/,
  ],
  [
    'a hook with two handlers',
    { lifecycle: { postStart: { exec: { command: ['x'] }, sleep: { seconds: 1 } } } },
    /^spec\.containers\[0\]\.lifecycle\.postStart\.sleep: Forbidden: may not specify more than 1 handler type$/,
  ],
  [
    'a sleep longer than the grace period',
    { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
    /preStop\.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds \(30\)$/,
  ],
  [
    'restart rules without a policy',
    { restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }] },
    /^spec\.containers\[0\]\.restartPolicy: Required value: must specify restartPolicy when restart rules are used$/,
  ],
  [
    'a restart rule without exit codes',
    { restartPolicy: 'Never', restartPolicyRules: [{ action: 'Restart' }] },
    /^spec\.containers\[0\]\.restartPolicyRules\[0\]\.exitCodes: Required value: must be specified$/,
  ],
  [
    'a variable name with an equals sign',
    { env: [{ name: 'A=B', value: '' }] },
    /^spec\.containers\[0\]\.env\[0\]\.name: Invalid value: "A=B": a valid environment variable name/,
  ],
  [
    'a variable with value and source',
    { env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
    /^spec\.containers\[0\]\.env\[0\]\.valueFrom: Invalid value: "": may not be specified when `value` is not empty$/,
  ],
  [
    'a file variable of an unknown volume',
    { env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } } }] },
    /fileKeyRef\.volumeName: Not found: "v"$/,
  ],
  [
    'a divisor that does not fit',
    { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2' } } }] },
    /resourceFieldRef\.divisor: Invalid value: "2": only divisor's values 1m, 1 are supported$/,
  ],
  [
    'an unknown field path',
    { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.foo' } } }] },
    /fieldRef\.fieldPath: Unsupported value: "spec\.foo": supported values: "metadata\.name"/,
  ],
  [
    'privileged without privilege escalation',
    { securityContext: { privileged: true, allowPrivilegeEscalation: false } },
    /cannot set `allowPrivilegeEscalation` to false and `privileged` to true$/,
  ],
  [
    'a local seccomp profile without a file',
    { securityContext: { seccompProfile: { type: 'Localhost' } } },
    /seccompProfile\.localhostProfile: Required value: must be set when seccomp type is Localhost$/,
  ],
];

for (const [criterion, one, expected] of CONTAINER_CASES) {
  test(`validatePod names ${criterion}`, () => {
    const found = containerFaults(one);
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0] ?? '', expected);
  });
}

test('validatePod names huge pages in fractions of a page', () => {
  const fault = 'Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi';
  assert.deepEqual(containerFaults({ resources: { limits: { cpu: '1', 'hugepages-2Mi': '3Mi' } } }), [
    `spec.containers[0].resources.limits[hugepages-2Mi]: ${fault}`,
    `spec.containers[0].resources.requests[hugepages-2Mi]: ${fault}`,
  ]);
});

test('validatePod names mount paths used twice and bidirectional mounts without privilege', () => {
  const volumeMounts = [
    { name: 'v', mountPath: '/x' },
    { name: 'v', mountPath: '/x', mountPropagation: 'Bidirectional' as const },
  ];
  assert.deepEqual(containerFaults({ volumeMounts }, { volumes: [{ name: 'v' }] }), [
    'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/x": must be unique',
    'spec.containers[0].volumeMounts[1].mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
  ]);
});

test('validatePod gathers every violation, metadata first', () => {
  const found = faults({ containers: [{ name: 'C', image: '' }] }, { name: 'Web', labels: { 'a b': '!' } });
  assert.deepEqual(
    found.map((one) => one.slice(0, one.indexOf(': '))),
    [
      'metadata.name',
      'metadata.labels[a b]',
      'metadata.labels[a b]',
      'spec.containers[0].name',
      'spec.containers[0].image',
    ],
  );
});

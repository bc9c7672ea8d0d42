/**
 * Pods that between them use every setting that reaches the runtime, for
 * comparing what two kubelets ask of it. Their UIDs are written down so that
 * both kubelets use the same. Not all of them come to run, nor need they: a
 * container that was asked for is enough.
 */

type Fields = Readonly<Record<string, unknown>>;

export interface CriShape {
  readonly name: string;
  /** Of all its containers, init containers first. */
  readonly containers: readonly string[];
  readonly manifest: object;
}

const IMAGE = 'localhost/busybox:1';
const run = (name: string, more: Fields = {}): Fields => ({
  name,
  image: IMAGE,
  imagePullPolicy: 'IfNotPresent',
  command: ['/bin/tini', '--', 'sleep', 'infinity'],
  ...more,
});
const runOnce = (name: string, more: Fields = {}): Fields => run(name, { command: ['true'], ...more });
const one = (container: Fields, spec: Fields = {}): Fields => ({
  ...spec,
  containers: [run('a', container)],
});
const secure = (securityContext: Fields): Fields => one({ securityContext });
const resources = (requests: Fields, limits: Fields): Fields => one({ resources: { requests, limits } });
const field = (fieldPath: string): Fields => ({ valueFrom: { fieldRef: { fieldPath } } });
const amount = (resource: string, more: Fields = {}): Fields => ({
  valueFrom: { resourceFieldRef: { resource, ...more } },
});
const mounted = (volume: Fields, mount: Fields = {}): Fields =>
  one({ volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }] }, { volumes: [{ name: 'v', ...volume }] });

const SPECS: Readonly<Record<string, Fields>> = {
  plain: one({}),
  'image-command': { containers: [{ name: 'a', image: 'localhost/demo-web:1', imagePullPolicy: 'Never' }] },
  expansion: one({
    command: ['sh', '-c', '$(A) $$(A) $(NONE) $(', '$', '$$'],
    args: ['$(B)', '$(POD)'],
    workingDir: '/tmp',
    env: [
      { name: 'A', value: 'a' },
      { name: 'B', value: '$(A)-$(LATER)-$$(A)' },
      { name: 'LATER', value: '' },
      { name: 'POD', ...field('metadata.name') },
      { name: 'A', value: 'again $(A)' },
    ],
  }),
  fields: {
    ...one({
      env: [
        { name: 'NAME', ...field('metadata.name') },
        { name: 'NS', ...field('metadata.namespace') },
        { name: 'UID_', ...field('metadata.uid') },
        { name: 'LABEL', ...field("metadata.labels['app']") },
        { name: 'NOTE', ...field("metadata.annotations['example.com/note']") },
        { name: 'ABSENT', ...field("metadata.annotations['none']") },
        { name: 'NODE', ...field('spec.nodeName') },
        { name: 'ACCOUNT', ...field('spec.serviceAccountName') },
        { name: 'HOSTIP', ...field('status.hostIP') },
        { name: 'CPU', ...amount('limits.cpu') },
        { name: 'CPUM', ...amount('requests.cpu', { divisor: '1m' }) },
        { name: 'MEM', ...amount('limits.memory', { divisor: '1Mi' }) },
        { name: 'REQMEM', ...amount('requests.memory') },
        { name: 'DISK', ...amount('requests.ephemeral-storage') },
      ],
      resources: { requests: { cpu: '1500u', memory: '10M' }, limits: { memory: '33Mi' } },
    }),
  },
  guaranteed: resources({ cpu: '100m', memory: '64Mi' }, { cpu: '100m', memory: '64Mi' }),
  'tiny-cpu': resources({ cpu: '1m' }, { cpu: '5m' }),
  'limit-only': one({ resources: { limits: { cpu: '333m', memory: '70000001' } } }),
  'huge-request': resources({ cpu: '10m', memory: '3Gi' }, {}),
  'zero-request': resources({ cpu: '0', memory: '0' }, { cpu: '1' }),
  'pod-level': {
    ...one({ resources: { requests: { cpu: '20m' } } }),
    resources: { requests: { cpu: '150m', memory: '96Mi' }, limits: { cpu: '200m', memory: '128Mi' } },
  },
  'pod-level-two': {
    resources: { requests: { memory: '400Mi' }, limits: { memory: '500Mi' } },
    containers: [run('a', { resources: { requests: { memory: '64Mi' } } }), run('b')],
  },
  overhead: { ...one({}), overhead: { cpu: '50m', memory: '20Mi' } },
  critical: { ...one({}), priorityClassName: 'system-node-critical', priority: 2_000_001_000 },
  order: {
    initContainers: [
      runOnce('i', { resources: { requests: { cpu: '200m', memory: '96Mi' } } }),
      run('side', { restartPolicy: 'Always', resources: { requests: { memory: '8Mi' } } }),
    ],
    containers: [run('a', { resources: { requests: { cpu: '10m', memory: '32Mi' } } }), run('b')],
  },
  users: {
    securityContext: {
      runAsUser: 1000,
      runAsGroup: 1001,
      fsGroup: 1002,
      supplementalGroups: [1003, 1004],
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
      seLinuxOptions: { level: 's0:c1' },
      sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '80' }],
    },
    containers: [
      run('a'),
      run('b', {
        securityContext: { runAsUser: 5, runAsGroup: 6, seLinuxOptions: { role: 'r', type: 't' } },
      }),
      run('c', { securityContext: { seccompProfile: { type: 'Unconfined' } } }),
    ],
  },
  'user-root': secure({ runAsUser: 0 }),
  'groups-strict': { ...one({}), securityContext: { supplementalGroupsPolicy: 'Strict', runAsUser: 7 } },
  capabilities: secure({ capabilities: { add: ['NET_ADMIN', 'SYS_TIME'], drop: ['ALL'] } }),
  privileged: secure({ privileged: true }),
  'init-privileged': {
    initContainers: [runOnce('i', { securityContext: { privileged: true } })],
    containers: [run('a')],
  },
  locked: secure({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, procMount: 'Default' }),
  'escalation-true': secure({ allowPrivilegeEscalation: true }),
  'seccomp-default': secure({ seccompProfile: { type: 'RuntimeDefault' } }),
  'armor-off': secure({ appArmorProfile: { type: 'Unconfined' } }),
  'host-network': {
    ...one({ ports: [{ containerPort: 18_080 }, { containerPort: 18_081, name: 'b', protocol: 'UDP' }] }),
    hostNetwork: true,
  },
  'host-network-cluster-dns': { ...one({}), hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' },
  'host-pid-ipc': { ...one({}), hostPID: true, hostIPC: true },
  'shared-pid': { ...one({}), shareProcessNamespace: true },
  ports: one({
    ports: [
      { containerPort: 80 },
      { containerPort: 80, protocol: 'UDP' },
      { containerPort: 80 },
      { name: 'x', containerPort: 81, hostPort: 18_181, hostIP: '127.0.0.1' },
      { containerPort: 82, protocol: 'SCTP' },
    ],
  }),
  'dns-none': {
    ...one({}),
    dnsPolicy: 'None',
    dnsConfig: {
      nameservers: ['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.3', '192.0.2.4'].slice(0, 3),
      searches: ['a.example', 'b.example', 'a.example'],
      options: [{ name: 'ndots', value: '2' }, { name: 'rotate' }],
    },
  },
  'dns-more': {
    ...one({}),
    dnsConfig: {
      nameservers: ['192.0.2.1'],
      searches: ['z.example'],
      options: [{ name: 'ndots', value: '1' }],
    },
  },
  'dns-default': { ...one({}), dnsPolicy: 'Default' },
  names: {
    ...one({}),
    hostname: 'inner',
    subdomain: 'sub',
    setHostnameAsFQDN: true,
    hostAliases: [{ ip: '192.0.2.9', hostnames: ['one', 'two'] }],
  },
  'name-override': { ...one({}), hostname: 'inner', hostnameOverride: 'over.ridden' },
  'a-name-that-is-much-longer-than-any-host-name-may-be-so-that-it-is-cut': one({}),
  terminal: one({ stdin: true, stdinOnce: true, tty: true }),
  words: one({ terminationMessagePath: '/tmp/words', terminationMessagePolicy: 'FallbackToLogsOnError' }),
  hooks: {
    terminationGracePeriodSeconds: 7,
    containers: [
      run('a', {
        lifecycle: { preStop: { exec: { command: ['sh', '-c', 'true'] } } },
        ports: [{ name: 'web', containerPort: 80 }],
      }),
      run('b', { lifecycle: { preStop: { httpGet: { port: 'web', path: '/bye' } } } }),
      run('c', { lifecycle: { preStop: { sleep: { seconds: 1 } } } }),
    ],
  },
  'empty-dir': mounted({ emptyDir: {} }),
  'read-only-mount': mounted({ emptyDir: {} }, { readOnly: true }),
  'read-only-all': mounted({ emptyDir: {} }, { readOnly: true, recursiveReadOnly: 'IfPossible' }),
  'host-path': mounted(
    { hostPath: { path: '/etc', type: 'Directory' } },
    { mountPropagation: 'HostToContainer' },
  ),
  'sub-path': mounted({ emptyDir: {} }, { subPath: 'a/b' }),
  'sub-path-expression': {
    ...one(
      {
        env: [{ name: 'DIR', value: 'x' }],
        volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr: '$(DIR)/y' }],
      },
      { volumes: [{ name: 'v', emptyDir: {} }] },
    ),
  },
  bidirectional: {
    ...one(
      {
        securityContext: { privileged: true },
        volumeMounts: [{ name: 'v', mountPath: '/v', mountPropagation: 'Bidirectional' }],
      },
      { volumes: [{ name: 'v', emptyDir: {} }] },
    ),
  },
  downward: mounted({ downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] } }),
  'own-hosts': mounted({ hostPath: { path: '/etc/hostname', type: 'File' } }, { mountPath: '/etc/hosts' }),
  'image-volume': mounted(
    { image: { reference: 'localhost/demo-web:1', pullPolicy: 'Never' } },
    { subPath: 'www' },
  ),
};

export const CRI_SHAPES: readonly CriShape[] = Object.entries(SPECS).map(([name, spec], index) => {
  const members = [spec['initContainers'], spec['containers']].flatMap((list) => (list ?? []) as Fields[]);
  return {
    name,
    containers: members.map((container) => String(container['name'])),
    manifest: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        labels: { app: 'shape' },
        annotations: { 'example.com/note': 'a "note"' },
      },
      spec: { terminationGracePeriodSeconds: 1, ...spec },
    },
  };
});

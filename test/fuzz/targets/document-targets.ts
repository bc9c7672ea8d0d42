/** Whole documents: manifests of pods, kubeconfigs. */
import assert from 'node:assert/strict';
import { parseKubeconfig } from '../../../src/adapters/kube/credentials/kubeconfig.ts';
import { AgentError } from '../../../src/base/errors.ts';
import { readStaticPods } from '../../../src/core/manifest/static-pod.ts';
import { type FuzzTarget, fill } from '../fuzz-target.ts';

const POD = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers:
  - name: web
    image: nginx:1
    resources: {limits: {cpu: 100m, memory: 1Gi}}
    ports: [{containerPort: 80, hostPort: 8080}]
    env: [{name: A, value: "1"}, {name: B, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
    volumeMounts: [{name: data, mountPath: /data}]
    livenessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 5}
  volumes:
  - name: data
    emptyDir: {medium: Memory, sizeLimit: 1Mi}
`;
const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n';
const ALIASES = `apiVersion: v1
kind: Pod
metadata: &m {name: x}
spec: {containers: [&c {name: a, image: b}, *c], <<: *m}
`;

export const manifest: FuzzTarget = {
  name: 'manifest',
  isSlow: true,
  seeds: [POD, `${POD}---\n${MAP}`, ALIASES, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', spec: {} })],
  words: [
    ...[
      '\n---\n',
      ': ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '&a ',
      '*a',
      '<<: ',
      '!!str ',
      '|\n',
      '>\n',
      '"',
      "'",
      '#',
      '? ',
    ],
    ...['null', '~', 'yes', '0x1F', '0o17', '.inf', '1e999', '__proto__: ', 'constructor: ', '\t', '\u0085'],
    ...['initContainers: ', 'hostPath: ', 'securityContext: ', 'name: ', 'spec: ', '9223372036854775808'],
  ],
  check(input) {
    const text = input.toString();
    const lastLine = text.split(/\r\n|\r|\n/).length + 1;
    for (const isStandalone of [false, true]) {
      const { pods, problems } = readStaticPods(text, '/etc/pods/a.yaml', 'node-1', { isStandalone });
      for (const pod of pods) {
        assert.ok(pod.metadata.name.endsWith('-node-1'));
        assert.ok(pod.spec.containers.length > 0);
      }
      for (const { message, line } of problems) {
        assert.notEqual(message, '');
        assert.ok(line === undefined || (line >= 1 && line <= lastLine), `line ${line}`);
      }
    }
  },
  large: {
    containers: (size) => Buffer.from(`${POD}${listContainers(size)}`),
    'wrong fields': (size) => Buffer.from(`kind: Pod\napiVersion: v1\nspec:\n${listNames(size, '  wrong')}`),
    'nested lists': (size) => Buffer.from(`a: ${fill('[', size)}`),
    text: (size) => Buffer.from(`a: "${fill('\\n', size)}"`),
    documents: (size) => Buffer.from(fill('---\na: b\n', size)),
    comments: (size) => Buffer.from(fill('# x\n', size)),
  },
};

function listContainers(size: number): string {
  const names = Array.from({ length: Math.ceil(size / 40) }, (_, at) => `{name: c${at}, image: 7}`);
  return `  initContainers: [${names.join(', ')}]\n`;
}

function listNames(size: number, prefix: string): string {
  return Array.from({ length: Math.ceil(size / 16) }, (_, at) => `${prefix}${at}: 1`).join('\n');
}

const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: k, user: u, namespace: n}}]
clusters:
- name: k
  cluster: {server: "https://10.0.0.1:6443/x", certificate-authority-data: YQ==, tls-server-name: api}
users:
- name: u
  user:
    client-certificate: pki/c.pem
    client-key-data: Yg==
    exec: {apiVersion: client.authentication.k8s.io/v1, command: ./get, args: [a], interactiveMode: Never}
`;

export const kubeconfig: FuzzTarget = {
  name: 'kubeconfig',
  isSlow: true,
  seeds: [KUBECONFIG, KUBECONFIG.replace(/ {4}exec.*\n/, '    token: t\n    as: x\n    as-groups: [y]\n')],
  words: [
    ...[
      'token: ',
      'tokenFile: ',
      'username: ',
      'proxy-url: ',
      'insecure-skip-tls-verify: true',
      'as: ',
      '://',
    ],
    ...[
      'null',
      '[]',
      '{}',
      '\n',
      ': ',
      '- ',
      'http://[',
      '__proto__',
      'auth-provider: {}',
      '!!binary ',
      '..',
      '\0',
    ],
  ],
  check(input) {
    try {
      const { server, namespace } = parseKubeconfig(input.toString(), '/etc/kubernetes/kubelet.conf');
      assert.match(server.protocol, /^https?:$/);
      assert.notEqual(namespace, '');
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      assert.equal(error.code, 'invalid-argument', error.message);
    }
  },
  large: {
    contexts: (size) =>
      Buffer.from(KUBECONFIG.replace('contexts: [', `contexts: [${fill('{name: a}, ', size)}`)),
    data: (size) => Buffer.from(KUBECONFIG.replace('YQ==', fill('YWFh', size))),
  },
};

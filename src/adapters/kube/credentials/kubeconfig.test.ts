import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgentError, hasCode } from '../../../base/errors.ts';
import { loadKubeconfig, parseKubeconfig } from './kubeconfig.ts';

const PATH = '/etc/kubernetes/kubelet.conf';
const CONTEXTS = `current-context: c
contexts:
- {name: c, context: {cluster: k, user: u, namespace: apps}}
- {name: other, context: {cluster: absent}}
`;

/** A config whose cluster and user are given, each as one line of flow YAML. */
function config(cluster: string, user: string): string {
  return `apiVersion: v1
kind: Config
${CONTEXTS}clusters:
- name: k
  cluster: ${cluster}
users:
- name: u
  user: ${user}
`;
}

const SERVER = '{server: "https://10.0.0.1:6443"}';

describe('parseKubeconfig', () => {
  it('reads server, authority, user and namespace of the current context', () => {
    const cluster =
      '{server: "https://api:6443/p", certificate-authority: pki/ca.crt, tls-server-name: kube, proxy-url: "http://p:1"}';
    const user = '{client-certificate: /abs/c.pem, client-key: ../k.pem, token: secret}';
    const parsed = parseKubeconfig(config(cluster, user), PATH);
    assert.equal(parsed.server.href, 'https://api:6443/p');
    assert.deepEqual(parsed.ca, { kind: 'file', path: '/etc/kubernetes/pki/ca.crt' });
    assert.deepEqual(parsed.user.certificate, { kind: 'file', path: '/abs/c.pem' });
    assert.deepEqual(parsed.user.key, { kind: 'file', path: '/etc/k.pem' });
    assert.equal(parsed.tlsServerName, 'kube');
    assert.equal(parsed.proxyUrl?.href, 'http://p:1/');
    assert.deepEqual([parsed.insecure, parsed.namespace], [false, 'apps']);
    assert.equal(parsed.user.token?.kind === 'data' && parsed.user.token.text.reveal(), 'secret');
  });

  it('takes data before files and a token file before a token', () => {
    const cluster = `{server: "https://a", certificate-authority: ca.crt, certificate-authority-data: ${btoa('PEM')}}`;
    const { ca, user } = parseKubeconfig(config(cluster, '{token: old, tokenFile: t}'), PATH);
    assert.equal(ca?.kind === 'data' && ca.text.reveal(), 'PEM');
    assert.deepEqual(user.token, { kind: 'file', path: '/etc/kubernetes/t' });
  });

  it('takes a server without a scheme as https, and a context without a user as anonymous', () => {
    const text = config('{server: "10.0.0.1:6443"}', '{}').replace(', user: u', '');
    const parsed = parseKubeconfig(text, PATH);
    assert.equal(parsed.server.href, 'https://10.0.0.1:6443/');
    assert.deepEqual(parsed.user, {});
  });

  it('reads an exec plugin, a relative command relative to the file', () => {
    const exec =
      '{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./get-token, args: [a], env: [{name: X, value: "1"}], interactiveMode: Never}}';
    assert.deepEqual(parseKubeconfig(config(SERVER, exec), PATH).user.exec, {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/etc/kubernetes/get-token',
      args: ['a'],
      env: { X: '1' },
      installHint: '',
      provideClusterInfo: false,
    });
  });

  it('reads whom to act as', () => {
    const { impersonate } = parseKubeconfig(
      config(SERVER, '{as: x, as-groups: [g], as-uid: "7"}'),
      PATH,
    ).user;
    assert.deepEqual(impersonate, { user: 'x', groups: ['g'], uid: '7' });
  });

  it('does not show secrets when printed', () => {
    const parsed = parseKubeconfig(config(SERVER, '{token: secret, username: u, password: geheim}'), PATH);
    assert.equal(/secret|geheim/.test(JSON.stringify(parsed)), false);
  });

  const exec = (fields: string): string => config(SERVER, `{exec: {command: x, ${fields}}}`);
  const bad: readonly [name: string, text: string, message: string][] = [
    ['an empty file', '', `kubeconfig "${PATH}" is empty`],
    ['broken YAML', 'a: b\nc: [', `cannot parse kubeconfig "${PATH}", line 2: `],
    ['a list', '- a', `kubeconfig "${PATH}" must be a map`],
    ['another kind', 'kind: Pod', `kubeconfig "${PATH}", line 1: kind must be Config, not "Pod"`],
    ['no current-context', 'kind: Config', `kubeconfig "${PATH}" has no current-context: `],
    [
      'an unknown context',
      'current-context: x',
      `kubeconfig "${PATH}", line 1: current-context names context "x", which is not in contexts`,
    ],
    [
      'an unknown cluster',
      CONTEXTS,
      'line 3: contexts[0].context.cluster names cluster "k", which is not in clusters',
    ],
    [
      'an unknown user',
      config(SERVER, '{}').replace('- name: u\n', '- name: v\n'),
      'contexts[0].context.user names user "u", which is not in users',
    ],
    ['no server', config('{}', '{}'), 'line 9: clusters[0].cluster.server is missing'],
    [
      'a server that is no URL',
      config('{server: "https://"}', '{}'),
      'clusters[0].cluster.server is not a URL',
    ],
    [
      'another scheme',
      config('{server: "ftp://a"}', '{}'),
      'has scheme "ftp:"; only https:// or http:// is supported',
    ],
    ['a server with a query', config('{server: "https://a/?x"}', '{}'), 'must not have a query'],
    [
      'a proxy of another kind',
      config('{server: "https://a", proxy-url: "socks5://p"}', '{}'),
      'proxy-url has scheme "socks5:"',
    ],
    [
      'data that is not base64',
      config('{server: "https://a", certificate-authority-data: "%%"}', '{}'),
      'line 9: clusters[0].cluster.certificate-authority-data is not base64',
    ],
    [
      'an authority that would not be used',
      config('{server: "https://a", certificate-authority: x, insecure-skip-tls-verify: true}', '{}'),
      'insecure-skip-tls-verify is set together with',
    ],
    [
      'a certificate without its key',
      config(SERVER, '{client-certificate: x}'),
      'users[0].user has a client-certificate but no client-key',
    ],
    [
      'a key without its certificate',
      config(SERVER, '{client-key: x}'),
      'users[0].user has a client-key but no client-certificate',
    ],
    ['a token that is a number', config(SERVER, '{token: 5}'), 'line 12: users[0].user.token must be text'],
    [
      'an auth-provider',
      config(SERVER, '{auth-provider: {name: gcp}}'),
      'auth-provider is no longer supported',
    ],
    ['groups without a user to act as', config(SERVER, '{as-groups: [a]}'), 'users[0].user.as is missing'],
    [
      'a plugin of another version',
      exec('apiVersion: client.authentication.k8s.io/v1alpha1'),
      'exec.apiVersion is not supported',
    ],
    [
      'a plugin without a mode',
      exec('apiVersion: client.authentication.k8s.io/v1'),
      'exec.interactiveMode is missing',
    ],
    [
      'a plugin that needs a terminal',
      exec('apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always'),
      'an agent has no terminal',
    ],
  ];
  for (const [name, text, message] of bad)
    it(`names the place of ${name}`, () => {
      assert.throws(
        () => parseKubeconfig(text, PATH),
        (error: Error) => {
          assert.ok(error.message.includes(message), error.message);
          return hasCode(error, 'invalid-argument');
        },
      );
    });
});

describe('loadKubeconfig', () => {
  it('rejects when the file cannot be read', async () => {
    const read = (path: string, what: string): Promise<string> =>
      Promise.reject(new AgentError('not-found', `cannot read ${what} "${path}": no such file`));
    await assert.rejects(loadKubeconfig(PATH, { read }), {
      code: 'not-found',
      message: `cannot read kubeconfig "${PATH}": no such file`,
    });
  });
});

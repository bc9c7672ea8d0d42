import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createSelfSigned } from '../../tls/self-signed-certificate.ts';
import { checkNodeKubeconfig, renderNodeKubeconfig, writeNodeKubeconfig } from './bootstrap-kubeconfig.ts';
import { credentialFiles } from './credential-files.ts';
import { parseKubeconfig } from './kubeconfig.ts';

const NOW = Date.UTC(2026, 0, 2);
const BOOTSTRAP = `
apiVersion: v1
kind: Config
current-context: c
contexts: [{ name: c, context: { cluster: k, user: u } }]
clusters: [{ name: k, cluster: { server: "https://10.0.0.1:6443", certificate-authority-data: ${Buffer.from('authority').toString('base64')} } }]
users: [{ name: u, user: { token: secret-token } }]
`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('writeNodeKubeconfig', () => {
  it('keeps the cluster, names the certificate and forgets the bootstrap credentials', async () => {
    const path = join(directory, 'deep', 'kubelet.conf');
    await writeNodeKubeconfig(path, parseKubeconfig(BOOTSTRAP, '/b'), '/pki/kubelet-client-current.pem');
    const text = readFileSync(path, 'utf8');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.ok(!text.includes('secret-token'));
    const written = parseKubeconfig(text, path);
    assert.equal(written.server.href, 'https://10.0.0.1:6443/');
    assert.equal(written.ca?.kind === 'data' && written.ca.text.reveal(), 'authority');
    const pem = { kind: 'file', path: '/pki/kubelet-client-current.pem' };
    assert.deepEqual(written.user, { certificate: pem, key: pem });
    assert.match(text, /name: default-cluster[\s\S]*name: default-context[\s\S]*name: default-auth/);
  });

  it('keeps a CA file, a proxy and a server name', () => {
    const more = 'tls-server-name: api, proxy-url: "http://proxy:3128", certificate-authority: ca.crt';
    const text = BOOTSTRAP.replace(/certificate-authority-data: \S+/, more);
    const written = parseKubeconfig(renderNodeKubeconfig(parseKubeconfig(text, '/etc/b'), '/p.pem'), '/x/y');
    assert.deepEqual(written.ca, { kind: 'file', path: '/etc/ca.crt' });
    assert.equal(written.tlsServerName, 'api');
    assert.equal(written.proxyUrl?.href, 'http://proxy:3128/');
  });
});

describe('checkNodeKubeconfig', () => {
  const check = (path: string, nowMs = NOW) => checkNodeKubeconfig(path, credentialFiles, nowMs);

  it('is not usable when it is not there, has no certificate, or an expired or missing one', async () => {
    const path = join(directory, 'kubelet.conf');
    assert.deepEqual(await check(path), { usable: false });
    writeFileSync(path, BOOTSTRAP);
    assert.deepEqual(await check(path), { usable: false, problem: 'it has no client certificate' });
    const pem = join(directory, 'current.pem');
    await writeNodeKubeconfig(path, parseKubeconfig(BOOTSTRAP, '/b'), pem);
    assert.match((await check(path)).problem ?? '', /no such file/);
    const { certificate, key } = createSelfSigned('n1', NOW);
    writeFileSync(pem, certificate + key);
    assert.deepEqual(await check(path), { usable: true });
    const later = NOW + 366 * 24 * 3600_000;
    assert.deepEqual(await check(path, later), { usable: false, problem: 'its certificate has expired' });
    writeFileSync(path, 'no yaml: [');
    assert.equal((await check(path)).usable, false);
  });
});

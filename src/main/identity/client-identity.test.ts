import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { toCollection } from '../../../test/fakes/fake-api-path.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../test/fakes/memory-api-server.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { TestAuthority } from '../../../test/fakes/test-certificates.ts';
import type { ApiClient } from '../../adapters/kube/api-client.ts';
import type { Kubeconfig } from '../../adapters/kube/credentials/kubeconfig.ts';
import type { CertificateSigningRequest } from '../../core/certificate/signing-request.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../ports/cluster/api-resource.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load/load-configuration.ts';
import { createIdentity, type IdentityParts } from './client-identity.ts';

const PLACE = toCollection('certificates.k8s.io', 'v1', 'certificatesigningrequests');

function kubeconfig(user: string): string {
  return `apiVersion: v1
kind: Config
current-context: c
contexts: [{ name: c, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: "https://10.0.0.1:6443" } }]
users: [{ name: u, user: ${user} }]
`;
}

describe('createIdentity', () => {
  let authority: TestAuthority;
  let directory: string;
  let clock: FakeClock;
  let api: MemoryApiServer;
  /** Who called, by the credentials it had. */
  let connections: { kubeconfig: Kubeconfig; who: () => string; closed: boolean; reloads: number }[];

  before(async () => {
    authority = await TestAuthority.create();
  });
  after(() => authority.remove());
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'identity-'));
    // Certificates of the test authority are good from the time of the machine on.
    clock = new FakeClock({ startMs: Date.now() + 1_000, turns: 20 });
    api = new MemoryApiServer({ clock });
    connections = [];
    writeFileSync(join(directory, 'bootstrap.conf'), kubeconfig('{ token: boot }'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  function load(...flags: string[]): LoadedConfiguration {
    const files = { cwd: '/', readFile: () => assert.fail(), readDir: () => assert.fail() };
    const paths = [`--kubeconfig=${directory}/kubelet.conf`, `--cert-dir=${directory}/pki`];
    const outcome = loadConfiguration([...paths, ...flags], files);
    assert.ok(outcome.kind === 'loaded');
    return outcome;
  }

  const boot = (): string => `--bootstrap-kubeconfig=${directory}/bootstrap.conf`;

  function toParts(loaded: LoadedConfiguration): IdentityParts {
    const connect: IdentityParts['connect'] = (config, readClient) => {
      const made = {
        kubeconfig: config,
        who: () => (config.user.token === undefined ? (readClient?.()?.certificate ?? 'anonymous') : 'token'),
        closed: false,
        reloads: 0,
      };
      connections.push(made);
      return {
        api,
        checkCredentials: async () => {},
        reloadCredentials: async () => void made.reloads++,
        close: async () => {
          made.closed = true;
        },
      } as unknown as ApiClient;
    };
    return { loaded, nodeName: 'n1', clock, logger: new RecordingLogger(), hooks: undefined, connect };
  }

  const requests = (): CertificateSigningRequest[] =>
    api.store.list(PLACE) as unknown as CertificateSigningRequest[];

  /** Waits for a request that has no answer yet and signs it. */
  async function signNext(): Promise<CertificateSigningRequest> {
    let found: CertificateSigningRequest | undefined;
    while (found === undefined) {
      await clock.settle();
      found = requests().find(({ status }) => status === undefined);
    }
    const pem = await authority.sign(Buffer.from(found.spec.request, 'base64').toString());
    const certificate = Buffer.from(pem).toString('base64');
    api.put(CERTIFICATE_SIGNING_REQUESTS, {
      ...found,
      status: { conditions: [{ type: 'Approved' }], certificate },
    });
    return found;
  }

  it('is the kubeconfig as it is when nothing else is asked for', async () => {
    writeFileSync(join(directory, 'kubelet.conf'), kubeconfig('{ token: mine }'));
    const identity = await createIdentity(toParts(load()));
    await identity.whenReady(new AbortController().signal);
    assert.equal(await identity.run(new AbortController().signal), false);
    assert.equal(connections.length, 1);
    assert.equal(requests().length, 0);
  });

  it('gets one certificate without rotation, by the same request and key after a crash', async () => {
    const crash = new AbortController();
    const crashing = (await createIdentity(toParts(load(boot())))).run(crash.signal);
    while (requests().length === 0) await clock.settle();
    assert.equal(statSync(join(directory, 'pki', 'kubelet-client.key.tmp')).mode & 0o777, 0o600);
    crash.abort();
    assert.equal(await crashing, false);
    assert.equal(existsSync(join(directory, 'kubelet.conf')), false);
    const stop = new AbortController();
    const identity = await createIdentity(toParts(load(boot())));
    const running = identity.run(stop.signal);
    const request = await signNext();
    assert.match(request.metadata.name, /^node-csr-/);
    await identity.whenReady(stop.signal);
    assert.equal(await running, false);
    assert.equal(requests().length, 1);
    assert.deepEqual(readdirSync(join(directory, 'pki')).includes('kubelet-client.key.tmp'), false);
    const [, , own, bootstrap] = connections;
    assert.deepEqual([bootstrap?.closed, bootstrap?.who(), own?.reloads], [true, 'token', 1]);
    assert.equal(own?.kubeconfig.user.certificate?.kind, 'file');
    // The next start has what it needs.
    await createIdentity(toParts(load(boot())));
    assert.deepEqual([requests().length, clock.pendingTimers], [1, 0]);
  });

  it('ends the agent without rotation when the certificate is refused', async () => {
    const identity = await createIdentity(toParts(load(boot())));
    const running = identity.run(new AbortController().signal);
    while (requests().length === 0) await clock.settle();
    const [request] = requests();
    api.put(CERTIFICATE_SIGNING_REQUESTS, { ...request, status: { conditions: [{ type: 'Denied' }] } });
    await clock.settle();
    assert.equal(await running, true);
  });

  it('does not let the start wait with rotation: what needs the certificate waits', async () => {
    const stop = new AbortController();
    const identity = await createIdentity(toParts(load(boot(), '--rotate-certificates')));
    assert.match(readFileSync(join(directory, 'kubelet.conf'), 'utf8'), /kubelet-client-current\.pem/);
    let isReady = false;
    const ready = identity.whenReady(stop.signal).then(() => {
      isReady = true;
    });
    const running = identity.run(stop.signal);
    const request = await signNext();
    assert.match(request.metadata.name, /^csr-/);
    assert.equal(isReady, false);
    while (!isReady) await clock.settle();
    await ready;
    const [bootstrap, own] = connections;
    assert.equal(bootstrap?.who(), 'token');
    assert.match(own?.who() ?? '', /BEGIN CERTIFICATE/);
    assert.deepEqual([bootstrap?.closed, own?.reloads, own?.kubeconfig.user], [true, 1, {}]);
    stop.abort();
    assert.equal(await running, false);
    assert.equal(clock.pendingTimers, 0);
  });

  it('replaces the certificate in a kubeconfig at once when it is to be rotated', async () => {
    const { cert, key } = await authority.issue('system:node:n1', '');
    const data = (text: string): string => Buffer.from(text).toString('base64');
    const user = `{ client-certificate-data: ${data(cert)}, client-key-data: ${data(key)} }`;
    writeFileSync(join(directory, 'kubelet.conf'), kubeconfig(user));
    const stop = new AbortController();
    const identity = await createIdentity(toParts(load('--rotate-certificates')));
    await identity.whenReady(stop.signal);
    const [own] = connections;
    assert.equal(own?.who(), cert);
    const running = identity.run(stop.signal);
    await signNext();
    while (own?.who() === cert) await clock.settle();
    stop.abort();
    await running;
  });

  it('is lost when there is no certificate for five minutes although the API server answers', async () => {
    const stop = new AbortController();
    const identity = await createIdentity(toParts(load(boot(), '--rotate-certificates')));
    const running = identity.run(stop.signal);
    await clock.advance(320_000);
    assert.equal(await running, true);
    assert.equal(clock.pendingTimers, 0);
  });
});

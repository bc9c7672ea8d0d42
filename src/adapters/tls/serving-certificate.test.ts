import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createSecureContext } from 'node:tls';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { textLogger } from '../../../test/fakes/text-logger.ts';
import { createSelfSigned } from './self-signed-certificate.ts';
import { ServingCertificate, type ServingCertificateSettings } from './serving-certificate.ts';
import { toTlsParameters } from './tls-parameters.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
let directory: string;
let lines: string[];
let clock: FakeClock;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pki-'));
  lines = [];
  clock = new FakeClock({ startMs: NOW, turns: 20 });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function make(settings: Partial<ServingCertificateSettings> = {}): ServingCertificate {
  const log = textLogger((line) => lines.push(line));
  const reload = { certificate: true, authorities: true };
  return new ServingCertificate({ directory, host: 'n1', reload, clock, log, ...settings });
}

function store(name: string, { certificate, key }: { certificate: string; key: string }) {
  const files = { certificate: join(directory, `${name}.crt`), key: join(directory, `${name}.key`) };
  writeFileSync(files.certificate, certificate);
  writeFileSync(files.key, key);
  return files;
}

describe('createSelfSigned', () => {
  for (const [host, name] of [
    ['node-1', 'DNS:node-1'],
    ['10.1.2.3', 'IP Address:10.1.2.3'],
    ['fd00::1:2', 'IP Address:FD00:0:0:0:0:0:1:2'],
    ['::1', 'IP Address:0:0:0:0:0:0:0:1'],
  ] as const)
    it(`makes a certificate for ${host} that an authority of its own has signed`, () => {
      const { certificate, key } = createSelfSigned(host, NOW);
      const [leafPem = '', caPem = ''] = certificate.split(/(?<=-----END CERTIFICATE-----\n)/);
      const [leaf, ca] = [new X509Certificate(leafPem), new X509Certificate(caPem)];
      assert.equal(leaf.subjectAltName, name);
      assert.ok(leaf.subject.startsWith(`CN=${host}@`));
      assert.ok(leaf.verify(ca.publicKey) && leaf.checkIssued(ca) && ca.verify(ca.publicKey));
      assert.equal(ca.ca, true);
      assert.equal(leaf.ca, false);
      assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1']);
      assert.equal(leaf.validFromDate.getTime(), NOW - 3600_000);
      assert.equal(leaf.validToDate.getTime() - leaf.validFromDate.getTime(), 365 * 24 * 3600_000);
      createSecureContext({ cert: certificate, key });
    });

  it('writes times after 2049 in the long form', () => {
    const { certificate } = createSelfSigned('n', Date.UTC(2060, 5, 1));
    assert.equal(new X509Certificate(certificate).validFromDate.getUTCFullYear(), 2060);
  });
});

describe('ServingCertificate', () => {
  it('makes a pair when there is none, stores it, and uses it again', async () => {
    const first = make({ directory: join(directory, 'pki') });
    await first.load();
    assert.equal(statSync(join(directory, 'pki', 'kubelet.key')).mode & 0o777, 0o600);
    assert.equal(statSync(join(directory, 'pki', 'kubelet.crt')).mode & 0o777, 0o644);
    assert.equal(readFileSync(join(directory, 'pki', 'kubelet.crt'), 'utf8'), first.current().certificate);
    const second = make({ directory: join(directory, 'pki') });
    await second.load();
    assert.deepEqual(second.current(), first.current());
  });

  it('does not start with half a pair, or a key that does not match', async () => {
    const pair = createSelfSigned('a', NOW);
    writeFileSync(join(directory, 'kubelet.crt'), pair.certificate);
    await assert.rejects(make().load(), /cannot read ".*kubelet\.key": no such file/);
    await assert.rejects(make({ files: { certificate: '/none.crt', key: '/none.key' } }).load(), /none\.crt/);
    const mixed = store('mixed', { ...pair, key: createSelfSigned('b', NOW).key });
    await assert.rejects(make({ files: mixed }).load(), /does not belong/);
    const broken = store('broken', { certificate: 'x', key: 'secret' });
    await assert.rejects(make({ files: broken }).load(), (error) => !String(error).includes('secret'));
  });

  it('does not start with authorities it cannot read', async () => {
    const clientCaFile = join(directory, 'ca.crt');
    await assert.rejects(make({ clientCaFile }).load(), /ca\.crt/);
    writeFileSync(clientCaFile, 'nothing');
    await assert.rejects(make({ clientCaFile }).load(), /holds no certificate/);
  });

  it('follows its files, and keeps what it has when the new content is bad', async () => {
    const [one, two] = [createSelfSigned('one', NOW), createSelfSigned('two', NOW)];
    const files = store('own', one);
    const clientCaFile = join(directory, 'ca.crt');
    writeFileSync(clientCaFile, one.certificate);
    const serving = make({ files, clientCaFile });
    await serving.load();
    let changes = 0;
    using _subscription = serving.subscribe(() => changes++);
    const stop = new AbortController();
    const running = serving.run(stop.signal);
    const settle = async (done: () => boolean): Promise<void> => {
      while (!done()) await clock.advance(60_000);
    };
    store('own', { ...two, certificate: 'garbage' });
    await settle(() => lines.some((line) => line.includes('cannot reload the serving certificate')));
    assert.equal(serving.current().certificate, one.certificate);
    assert.equal(changes, 0);
    store('own', two);
    await settle(() => changes === 1);
    assert.equal(serving.current().certificate, two.certificate);
    writeFileSync(clientCaFile, two.certificate);
    await settle(() => changes === 2);
    assert.equal(serving.current().clientAuthorities, two.certificate);
    rmSync(clientCaFile);
    await settle(() => lines.some((line) => line.includes('cannot reload the client authorities')));
    assert.equal(serving.current().clientAuthorities, two.certificate);
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  });
});

describe('ServingCertificate with an issued pair', () => {
  it('has none until it is issued, makes none, and notifies subscribers of every new one', async () => {
    const listeners = new Set<() => void>();
    const issued = {
      current: undefined as { certificate: string; key: string } | undefined,
      subscribe: (listener: () => void): Disposable => {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
    };
    const clientCaFile = join(directory, 'ca.crt');
    writeFileSync(clientCaFile, createSelfSigned('ca', NOW).certificate);
    const serving = make({ issued, clientCaFile, directory: join(directory, 'pki') });
    await serving.load();
    assert.equal(existsSync(join(directory, 'pki')), false);
    assert.equal(serving.current().certificate, undefined);
    assert.ok(serving.current().clientAuthorities?.includes('CERTIFICATE'));
    let changes = 0;
    using _subscription = serving.subscribe(() => changes++);
    const stop = new AbortController();
    const running = serving.run(stop.signal);
    issued.current = createSelfSigned('n1', NOW);
    for (const listener of listeners) listener();
    assert.equal(changes, 1);
    assert.equal(serving.current().key, issued.current.key);
    stop.abort();
    await running;
    assert.equal(listeners.size, 0);
  });
});

describe('toTlsParameters', () => {
  it('defaults to TLS 1.2', () => {
    assert.deepEqual(toTlsParameters({ minVersion: '', cipherSuites: [], curves: [] }), {
      minVersion: 'TLSv1.2',
    });
  });

  it('names suites and curves so that OpenSSL takes them all', () => {
    const suites = [
      'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
      'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA',
      'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
      'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
      'TLS_RSA_WITH_AES_128_CBC_SHA256',
      'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256',
      'TLS_AES_128_GCM_SHA256',
      'TLS_ECDHE_RSA_WITH_RC4_128_SHA',
    ];
    const parameters = toTlsParameters({
      minVersion: 'VersionTLS13',
      cipherSuites: suites,
      curves: [29, 23],
    });
    assert.equal(parameters.minVersion, 'TLSv1.3');
    assert.equal(parameters.ecdhCurve, 'X25519:P-256');
    const [, , , ...older] = (parameters.ciphers ?? '').split(':');
    assert.deepEqual(older, [
      'ECDHE-ECDSA-AES128-GCM-SHA256',
      'ECDHE-RSA-AES256-SHA',
      'ECDHE-RSA-CHACHA20-POLY1305',
      'ECDHE-ECDSA-CHACHA20-POLY1305',
      'AES128-SHA256',
      'ECDHE-RSA-AES128-SHA256',
    ]);
    for (const suite of older) createSecureContext({ ciphers: suite });
    createSecureContext(parameters);
  });
});

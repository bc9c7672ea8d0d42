import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { TestAuthority } from '../../../test/fakes/test-certificates.ts';
import { toClientTemplate } from '../../core/certificate/certificate-template.ts';
import { CLIENT_USAGES } from '../../core/certificate/signing-request.ts';
import {
  computeRequestName,
  createKey,
  makeCertificateRequest,
  signCertificateRequest,
} from './certificate-request.ts';
import { parseCertificatePair } from './parse-certificate-pair.ts';

/** The public half of a key, and the name that the upstream kubelet 1.36.4 gave its request. */
const KNOWN_KEY = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeWWEaYIzykwctOQf2OF9JxKdInHX
/OGjObAP3XVgz5LY+hprzRCtweCoQMBn4CeLNgN03xhF6Y9YmUT6Mc2o3Q==
-----END PUBLIC KEY-----
`;
const KNOWN_NAME = 'node-csr-PBU0rbvHIp-vYG0Mafw07cZ9UVE6lFHUfbjmq9pPI0o';

let authority: TestAuthority;
before(async () => {
  authority = await TestAuthority.create();
});
after(() => authority.remove());

describe('makeCertificateRequest', () => {
  it('asks for the names of the template with a new key', async () => {
    const template = {
      ...toClientTemplate('n1'),
      dnsNames: ['n1', 'n1.example'],
      ipAddresses: ['10.0.0.1', 'fd00::1'],
    };
    const { request, key } = makeCertificateRequest(template);
    const pair = parseCertificatePair(await authority.sign(request), key, 'it');
    assert.equal(pair.commonName, 'system:node:n1');
    assert.deepEqual(pair.organizations, ['system:nodes']);
    assert.deepEqual(pair.dnsNames, ['n1', 'n1.example']);
    assert.deepEqual(pair.ipAddresses, ['10.0.0.1', 'FD00:0:0:0:0:0:0:1']);
    assert.notEqual(makeCertificateRequest(template).key, key);
  });

  it('IPv6 zones in names: asks for the address without its zone', async () => {
    const template = { ...toClientTemplate('n1'), ipAddresses: ['fe80::1%eth0'] };
    const { request, key } = makeCertificateRequest(template);
    const pair = parseCertificatePair(await authority.sign(request), key, 'it');
    assert.deepEqual(pair.ipAddresses, ['FE80:0:0:0:0:0:0:1']);
  });

  it('asks for no names where there are none', async () => {
    const { request } = makeCertificateRequest(toClientTemplate('n1'));
    assert.equal(new X509Certificate(await authority.sign(request)).subjectAltName, undefined);
  });
});

describe('signCertificateRequest', () => {
  it('refuses a key that it could not sign for, without quoting it', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const rsa = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    for (const key of [rsa, 'secret text'])
      assert.throws(
        () => signCertificateRequest(toClientTemplate('n1'), key),
        (error) => /no P-256 key/.test(String(error)) && !String(error).includes('secret'),
      );
  });
});

describe('computeRequestName', () => {
  it('is the name that upstream gives', () => {
    assert.equal(computeRequestName(toClientTemplate('kts-boot'), CLIENT_USAGES, KNOWN_KEY), KNOWN_NAME);
  });

  it('is the same for the same key and another for any other input', () => {
    const key = createKey();
    const name = computeRequestName(toClientTemplate('n1'), CLIENT_USAGES, key);
    assert.equal(computeRequestName(toClientTemplate('n1'), CLIENT_USAGES, key), name);
    const others = [
      computeRequestName(toClientTemplate('n2'), CLIENT_USAGES, key),
      computeRequestName(toClientTemplate('n1'), ['digital signature'], key),
      computeRequestName(toClientTemplate('n1'), CLIENT_USAGES, createKey()),
    ];
    assert.equal(new Set([name, ...others]).size, 4);
  });
});

import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { describe, it } from 'node:test';
import { toCollection } from '../../../../test/fakes/fake-api-path.ts';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../../test/fakes/memory-api-server.ts';
import { samplePod } from '../../../../test/samples/sample-pod.ts';
import type { PodCertificateSource } from '../../../core/api/volume.ts';
import type { StoredPodCertificateRequest } from '../../../core/certificate/pod-certificate-request.ts';
import { POD_CERTIFICATE_REQUESTS, SERVICE_ACCOUNTS } from '../../../ports/cluster/api-resource.ts';
import { createStubRequest } from '../../tls/stub-request.ts';
import { PodCertificates } from './pod-certificates.ts';

const CHAIN = '-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n';
const HOUR_MS = 3_600_000;
const pod = samplePod({ serviceAccountName: 'robot' });
const { namespace } = pod.metadata;

const STUBS = await Promise.all([1, 2, 3].map(() => createStubRequest('ECDSAP256')));

function setUp() {
  let stubs = 0;
  const clock = new FakeClock();
  const api = new MemoryApiServer({ clock });
  api.put(SERVICE_ACCOUNTS, { metadata: { name: 'robot', namespace, uid: 'account-1' } });
  const warnings: string[] = [];
  const certificates = new PodCertificates({
    api,
    clock,
    random: () => 0,
    nodeName: 'node-1',
    readNodeUid: () => 'node-uid',
    createStub: async (keyType) => (keyType === 'ECDSAP256' ? STUBS[stubs++] : undefined),
  });
  const ask = async (more: Partial<PodCertificateSource> = {}) =>
    clock.finish(
      certificates.certificate({
        pod,
        volume: 'id',
        index: 0,
        source: { keyType: 'ECDSAP256', signerName: 'example.com/s', maxExpirationSeconds: 3600, ...more },
        warn: (reason, message) => void warnings.push(`${reason}: ${message}`),
      }),
    );
  const requests = () => {
    const of = toCollection('certificates.k8s.io', 'v1beta1', 'podcertificaterequests', namespace);
    return api.store.list(of) as unknown as (StoredPodCertificateRequest & {
      spec: Record<string, unknown>;
    })[];
  };
  /** The signer answers the newest request. */
  const answer = async (type: string, more: object = {}): Promise<void> => {
    const newest = requests().at(-1);
    assert.ok(newest);
    const conditions = [{ type, status: 'True', reason: 'Because', message: 'of that' }];
    api.put(POD_CERTIFICATE_REQUESTS, { ...newest, status: { conditions, ...more } });
    await clock.advance(1_000);
  };
  const issue = () =>
    answer('Issued', {
      certificateChain: `words\n${CHAIN}`,
      beginRefreshAt: new Date(clock.now() + HOUR_MS).toISOString(),
      notAfter: new Date(clock.now() + 2 * HOUR_MS).toISOString(),
    });
  return { clock, api, certificates, ask, requests, answer, issue, warnings };
}

describe('PodCertificates', () => {
  it('asks once for a certificate of the pod and shows it when it is issued', async () => {
    const t = setUp();
    const waiting = { ok: false, message: 'credential bundle is not issued yet' };
    assert.deepEqual(await t.ask(), waiting);
    assert.deepEqual(await t.ask(), waiting);
    const [request, ...more] = t.requests();
    assert.equal(more.length, 0);
    const { stubPKCS10Request, ...spec } = request?.spec ?? {};
    assert.deepEqual(spec, {
      signerName: 'example.com/s',
      podName: pod.metadata.name,
      podUID: pod.metadata.uid,
      serviceAccountName: 'robot',
      serviceAccountUID: 'account-1',
      nodeName: 'node-1',
      nodeUID: 'node-uid',
      maxExpirationSeconds: 3600,
    });
    assert.ok(String(stubPKCS10Request).length > 0);
    let calls = 0;
    using _listening = t.certificates.subscribe(pod.metadata.uid, () => void calls++);
    await t.issue();
    assert.equal(calls, 1);
    const had = await t.ask();
    assert.ok(had.ok);
    assert.equal(had.value.chain, CHAIN);
    assert.equal(createPrivateKey(had.value.key).asymmetricKeyDetails?.namedCurve, 'prime256v1');
    t.certificates.close();
  });

  it('asks again in time, while the old one serves', async () => {
    const t = setUp();
    await t.ask();
    await t.issue();
    const first = await t.ask();
    assert.ok(first.ok);
    await t.clock.advance(first.value.refreshAtMs - t.clock.now());
    const meanwhile = await t.ask();
    assert.equal(meanwhile.ok && meanwhile.value.key, first.value.key);
    assert.equal(t.requests().length, 2);
    await t.issue();
    const second = await t.ask();
    assert.notEqual(second.ok && second.value.key, first.value.key);
    t.certificates.close();
  });

  it('warns once that a refresh is overdue and that the certificate has expired', async () => {
    const t = setUp();
    await t.ask();
    await t.issue();
    await t.clock.advance(HOUR_MS + 11 * 60_000);
    await t.ask();
    await t.ask();
    await t.clock.advance(HOUR_MS);
    await t.ask();
    assert.deepEqual(t.warnings, [
      'CertificateOverdueForRefresh: PodCertificate refresh overdue',
      'CertificateExpired: PodCertificate expired',
    ]);
    t.certificates.close();
  });

  for (const [type, text] of [
    ['Denied', 'was denied'],
    ['Failed', 'failed'],
  ] as const) {
    it(`gives up for good when the request is ${type}`, async () => {
      const t = setUp();
      await t.ask();
      await t.answer(type);
      const message = `PodCertificateRequest was permanently ${type.toLowerCase()}: reason="Because" message="of that"`;
      assert.deepEqual(await t.ask(), { ok: false, message });
      await t.ask();
      const name = `${namespace}/${t.requests()[0]?.metadata.name}`;
      assert.deepEqual(t.warnings, [
        `${type}: Because: PodCertificateRequest ${name} ${text}, reason="Because", message="of that"`,
      ]);
      assert.equal(t.requests().length, 1);
      assert.deepEqual(t.certificates.count(), [
        { signerName: 'example.com/s', state: type.toLowerCase(), count: 1 },
      ]);
      t.certificates.close();
    });
  }

  it('serves what it has when the refresh is denied, and says so', async () => {
    const t = setUp();
    await t.ask();
    await t.issue();
    const first = await t.ask();
    await t.clock.advance(HOUR_MS);
    await t.ask();
    await t.answer('Denied');
    const later = await t.ask();
    assert.equal(later.ok && later.value.key, first.ok && first.value.key);
    assert.match(t.warnings.join(), /^Denied: /);
    assert.equal(t.requests().length, 2);
    t.certificates.close();
  });

  it('takes an answer that came before its own request was known by name', async () => {
    const t = setUp();
    await t.ask();
    await t.issue();
    await t.ask();
    await t.clock.advance(HOUR_MS);
    // The signer sees the request, and we the answer, while the call that makes it is under way.
    const create = t.api.create.bind(t.api);
    t.api.create = async <T>(...args: Parameters<typeof create>): Promise<T> => {
      const made = await create<T>(...args);
      await t.issue();
      return made;
    };
    const first = await t.ask();
    assert.equal(t.requests().length, 2);
    assert.equal(first.ok && first.value.key, STUBS[1]?.key);
    t.certificates.close();
  });

  it('waits as long as its request is there, and asks again when it was deleted', async () => {
    const t = setUp();
    await t.ask();
    await t.clock.advance(60 * 60_000);
    await t.ask();
    const [request] = t.requests();
    assert.equal(t.requests().length, 1);
    assert.deepEqual(t.certificates.count(), [
      { signerName: 'example.com/s', state: 'not_yet_issued', count: 1 },
    ]);
    t.api.remove(POD_CERTIFICATE_REQUESTS, request?.metadata.name ?? '', namespace);
    await t.clock.advance(1_000);
    await t.ask();
    assert.notEqual(t.requests()[0]?.metadata.name, request?.metadata.name);
    t.certificates.close();
  });

  it('asks again when its request was never seen for long', async () => {
    const t = setUp();
    t.api.fail({ verb: 'list', plural: 'podcertificaterequests' }, 'unavailable', 1_000);
    await t.ask();
    await t.clock.advance(9 * 60_000);
    await t.ask();
    assert.equal(t.requests().length, 1);
    await t.clock.advance(2 * 60_000);
    await t.ask();
    assert.equal(t.requests().length, 2);
    t.certificates.close();
  });

  it('says what keeps it from asking', async () => {
    const refused = await setUp().ask({ keyType: 'DSA' });
    assert.deepEqual(refused, { ok: false, message: 'unknown key type "DSA"' });
  });
});

describe('createStubRequest', () => {
  for (const [keyType, digest] of [
    ['RSA3072', 'sha256'],
    ['ECDSAP256', 'sha256'],
    ['ECDSAP384', 'sha384'],
    ['ECDSAP521', 'sha512'],
    ['ED25519', null],
  ] as const)
    it(`proves with its signature that it has the ${keyType} key`, async () => {
      const stub = await createStubRequest(keyType);
      assert.ok(stub);
      // The outer sequence holds the body first and the signature last.
      const bytes = Buffer.from(stub.request);
      const header = (at: number): [start: number, length: number] => {
        const first = bytes[at + 1] ?? 0;
        if (first < 0x80) return [at + 2, first];
        const size = first & 0x7f;
        return [at + 2 + size, bytes.readUIntBE(at + 2, size)];
      };
      const [bodyAt] = header(0);
      const [bodyStart, bodyLength] = header(bodyAt);
      const body = bytes.subarray(bodyAt, bodyStart + bodyLength);
      const [algorithmStart, algorithmLength] = header(bodyStart + bodyLength);
      const [signatureStart, signatureLength] = header(algorithmStart + algorithmLength);
      const signature = bytes.subarray(signatureStart + 1, signatureStart + signatureLength);
      assert.ok(verify(digest, body, createPublicKey(stub.key), signature));
    });
});

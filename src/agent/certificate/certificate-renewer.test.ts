import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCollection } from '../../../test/fakes/fake-api-path.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../test/fakes/memory-api-server.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { AgentError } from '../../base/errors.ts';
import { type CertificateTemplate, toClientTemplate } from '../../core/certificate/certificate-template.ts';
import {
  type CertificateSigningRequest,
  CLIENT_SIGNER,
  CLIENT_USAGES,
} from '../../core/certificate/signing-request.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../ports/cluster/api-resource.ts';
import type { StoredCertificate } from '../../ports/cluster/certificate-store.ts';
import { CertificateRenewer } from './certificate-renewer.ts';

const CREATE = { verb: 'create', plural: 'certificatesigningrequests' } as const;
const LIFE_MS = 100 * 60_000;

function setUp({ stored }: { stored?: { notBeforeMs: number; notAfterMs: number } } = {}) {
  const clock = new FakeClock();
  const api = new MemoryApiServer({ clock });
  const logger = new RecordingLogger();
  let template: CertificateTemplate | undefined = toClientTemplate('n1');
  let kept: StoredCertificate | undefined =
    stored === undefined
      ? undefined
      : { ...toClientTemplate('n1'), certificate: 'old', key: 'old', ...stored };
  let keys = 0;
  let broken = false;
  const seen = { failures: 0, ages: [] as number[], asked: [] as boolean[], changes: 0 };
  const renewer = new CertificateRenewer({
    what: 'client',
    signer: { signerName: CLIENT_SIGNER, usages: CLIENT_USAGES },
    chooseApi: (current) => {
      seen.asked.push(current !== undefined);
      return api;
    },
    store: {
      read: async () => kept,
      write: async (certificate, key) => {
        if (broken) throw new AgentError('failed-precondition', 'the disk is full');
        const facts = JSON.parse(certificate) as CertificateTemplate;
        const now = clock.now();
        kept = { ...facts, certificate, key, notBeforeMs: now, notAfterMs: now + LIFE_MS };
        return kept;
      },
    },
    makeRequest: (asked) => ({ request: JSON.stringify(asked), key: `key-${++keys}` }),
    readTemplate: () => template,
    kit: { clock, random: () => 0.5, logger },
    hooks: { onFailure: () => seen.failures++, onReplaced: (ageMs) => seen.ages.push(ageMs) },
  });
  renewer.subscribe(() => seen.changes++);
  const place = toCollection('certificates.k8s.io', 'v1', 'certificatesigningrequests');
  const requests = (): CertificateSigningRequest[] =>
    api.store.list(place) as unknown as CertificateSigningRequest[];
  const answer = (status: (request: CertificateSigningRequest) => object): void => {
    const newest = (a: CertificateSigningRequest, b: CertificateSigningRequest): number =>
      Number(b.metadata.resourceVersion) - Number(a.metadata.resourceVersion);
    const last = requests().toSorted(newest)[0];
    assert.ok(last !== undefined, 'there is no request to answer');
    api.put(CERTIFICATE_SIGNING_REQUESTS, { ...last, status: status(last) });
  };
  const approve = (): void =>
    answer(({ spec }) => ({ conditions: [{ type: 'Approved' }], certificate: spec.request }));
  const deny = (): void =>
    answer(() => ({ conditions: [{ type: 'Denied', reason: 'No', message: 'never' }] }));
  const stop = new AbortController();
  let running = Promise.resolve();
  const start = async (): Promise<void> => {
    await renewer.load();
    running = renewer.run(stop.signal);
    await clock.settle();
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  };
  const change = (next: CertificateTemplate | undefined): void => {
    template = next;
    renewer.wake();
  };
  const breakStore = (value: boolean): void => {
    broken = value;
  };
  return {
    clock,
    api,
    logger,
    renewer,
    seen,
    requests,
    answer,
    approve,
    deny,
    start,
    end,
    change,
    breakStore,
  };
}

describe('CertificateRenewer', () => {
  it('requests the first certificate at once and reports when it is issued', async () => {
    const t = setUp();
    await t.start();
    const [request] = t.requests();
    assert.equal(request?.spec.signerName, CLIENT_SIGNER);
    assert.deepEqual(request?.spec.usages, CLIENT_USAGES);
    assert.ok(request?.metadata.name.startsWith('csr-'));
    const none = t.renewer.current;
    assert.equal(none, undefined);
    t.approve();
    await t.clock.settle();
    assert.equal(t.renewer.current?.key, 'key-1');
    assert.deepEqual(t.seen, { failures: 0, ages: [], asked: [false], changes: 1 });
    await t.end();
  });

  it('renews at 80 % of the life when the middle is drawn, by the certificate in use', async () => {
    const t = setUp();
    await t.start();
    t.approve();
    await t.clock.settle();
    await t.clock.advance(LIFE_MS * 0.8 - 1);
    assert.equal(t.requests().length, 1);
    await t.clock.advance(1);
    assert.equal(t.requests().length, 2);
    assert.equal(t.renewer.current?.key, 'key-1');
    t.approve();
    await t.clock.settle();
    assert.equal(t.renewer.current?.key, 'key-2');
    assert.deepEqual(t.seen, { failures: 0, ages: [LIFE_MS * 0.8], asked: [false, true], changes: 2 });
    await t.end();
  });

  it('leaves a stored certificate in use until it is time', async () => {
    const now = new FakeClock().now();
    const t = setUp({ stored: { notBeforeMs: now - 10, notAfterMs: now + 990 } });
    await t.start();
    assert.equal(t.renewer.current?.key, 'old');
    assert.equal(t.requests().length, 0);
    await t.clock.advance(791);
    assert.equal(t.requests().length, 1);
    await t.end();
  });

  it('asks soon after the clock was set past the time to renew', async () => {
    const clock = new FakeClock();
    const t = setUp({ stored: { notBeforeMs: clock.now(), notAfterMs: clock.now() + 5 * 3_600_000 } });
    await t.start();
    assert.equal(t.requests().length, 0);
    t.clock.setBy(4.8 * 3_600_000);
    await t.clock.advance(300_000);
    assert.equal(t.requests().length, 1);
    await t.end();
  });

  it('counts an expired certificate as none', async () => {
    const now = new FakeClock().now();
    const t = setUp({ stored: { notBeforeMs: now - 10, notAfterMs: now - 1 } });
    await t.start();
    assert.equal(t.renewer.current, undefined);
    assert.deepEqual(t.seen.asked, [false]);
    await t.end();
  });

  it('replaces a seeded certificate at once and no stored one by it', async () => {
    const t = setUp();
    await t.renewer.seed(JSON.stringify(toClientTemplate('n1')), 'seed');
    await t.start();
    assert.equal(t.renewer.current?.key, 'seed');
    t.approve();
    await t.clock.settle();
    assert.equal(t.renewer.current?.key, 'key-1');
    await t.renewer.seed(JSON.stringify(toClientTemplate('n1')), 'seed');
    assert.equal(t.renewer.current?.key, 'key-1');
    assert.deepEqual(t.seen.asked, [true]);
    await t.end();
  });

  it('tries again with a new key after a denial, after 2 s, then slower, then every 32 s', async () => {
    const t = setUp();
    await t.start();
    const waits: number[] = [];
    for (let tries = 1; tries <= 6; tries++) {
      t.deny();
      await t.clock.settle();
      const before = t.clock.now();
      while (t.requests().length === tries) await t.clock.advance(100);
      waits.push(Math.round((t.clock.now() - before) / 1000));
    }
    assert.deepEqual(waits, [2, 4, 8, 17, 32, 32]);
    assert.equal(t.seen.failures, 6);
    assert.match(String(t.logger.lines.at(-2)?.fields['err']), /is denied, reason: No, message: never/);
    t.approve();
    await t.clock.settle();
    assert.equal(t.renewer.current?.key, 'key-7');
    await t.end();
  });

  it('signer that leaves a name out: is asked again later and later, not in a tight loop', async () => {
    const t = setUp();
    t.change({ ...toClientTemplate('n1'), dnsNames: ['n1', 'n1.example'] });
    await t.start();
    const short = (): void =>
      t.answer(({ spec }) => {
        const asked = JSON.parse(Buffer.from(spec.request, 'base64').toString()) as CertificateTemplate;
        const given = JSON.stringify({ ...asked, dnsNames: ['n1'] });
        return {
          conditions: [{ type: 'Approved' }],
          certificate: Buffer.from(given).toString('base64'),
        };
      });
    const waits: number[] = [];
    for (let tries = 1; tries <= 9; tries++) {
      short();
      await t.clock.settle();
      assert.equal(t.requests().length, tries);
      assert.equal(t.renewer.current?.key, `key-${tries}`, 'what was issued is used meanwhile');
      const before = t.clock.now();
      while (t.requests().length === tries) assert.ok(await t.clock.advanceToNextTimer());
      waits.push(Math.round((t.clock.now() - before) / 60_000));
    }
    assert.deepEqual(waits, [1, 1, 2, 4, 9, 18, 36, 63, 63]);
    assert.deepEqual(t.logger.lines.at(-2)?.fields['missing'], ['n1.example']);
    t.change(toClientTemplate('n1'));
    await t.clock.advance(600_000);
    assert.equal(t.requests().length, 10, 'the certificate in use does when less is asked for');
    await t.end();
  });

  it('gives up waiting for a signature after 15 minutes and requests again', async () => {
    const t = setUp();
    await t.start();
    await t.clock.advance(15 * 60_000 + 3_000);
    assert.equal(t.requests().length, 2);
    assert.equal(t.seen.failures, 1);
    await t.end();
  });

  it('requests again when the request is deleted, or replaced by another of its name', async () => {
    const t = setUp();
    await t.start();
    const name = t.requests()[0]?.metadata.name ?? '';
    t.api.remove(CERTIFICATE_SIGNING_REQUESTS, name);
    await t.clock.advance(2_200);
    assert.equal(t.requests().length, 1);
    assert.notEqual(t.requests()[0]?.metadata.name, name);
    await t.end();
  });

  it('drops a pending request when the template changes, and asks for the new one at once', async () => {
    const t = setUp();
    await t.start();
    t.change({ ...toClientTemplate('n1'), ipAddresses: ['10.0.0.2'] });
    await t.clock.settle();
    assert.equal(t.requests().length, 2);
    t.approve();
    await t.clock.settle();
    assert.deepEqual(t.renewer.current?.ipAddresses, ['10.0.0.2']);
    assert.equal(t.seen.failures, 0);
    t.renewer.wake();
    t.change({ ...toClientTemplate('n1'), ipAddresses: ['10.0.0.3'] });
    await t.clock.settle();
    assert.equal(t.requests().length, 3);
    await t.end();
  });

  it('does not ask while it does not know for what', async () => {
    const t = setUp();
    t.change(undefined);
    await t.start();
    await t.clock.advance(60_000);
    assert.equal(t.api.callsTo(CREATE).length, 0);
    t.change(toClientTemplate('n1'));
    await t.clock.settle();
    assert.equal(t.api.callsTo(CREATE).length, 1);
    await t.end();
  });

  it('keeps the old certificate when the new one cannot be stored', async () => {
    const t = setUp();
    await t.start();
    t.approve();
    await t.clock.settle();
    t.breakStore(true);
    await t.clock.advance(LIFE_MS * 0.8);
    t.approve();
    await t.clock.settle();
    assert.equal(t.renewer.current?.key, 'key-1');
    assert.equal(t.seen.failures, 1);
    t.breakStore(false);
    await t.clock.advance(2_200);
    t.approve();
    await t.clock.settle();
    assert.equal(t.renewer.current?.key, 'key-3');
    await t.end();
  });

  it('knows a refusal from an API server that is not there', async () => {
    const t = setUp();
    t.api.unreachable = true;
    await t.start();
    assert.equal(t.renewer.serverAnswers, false);
    t.api.unreachable = false;
    t.api.fail(CREATE, 'permission-denied');
    await t.clock.advance(2_200);
    assert.equal(t.renewer.serverAnswers, true);
    t.api.fail(CREATE, 'unavailable');
    await t.clock.advance(4_400);
    assert.equal(t.renewer.serverAnswers, false);
    await t.end();
  });
});

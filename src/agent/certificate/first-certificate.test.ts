import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../test/fakes/memory-api-server.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { CLIENT_SIGNER, CLIENT_USAGES } from '../../core/certificate/signing-request.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../ports/cluster/api-resource.ts';
import { requestFirstCertificate } from './first-certificate.ts';

const REQUEST = { name: 'node-csr-x', request: 'pem', signerName: CLIENT_SIGNER, usages: CLIENT_USAGES };

function setUp() {
  const clock = new FakeClock();
  const api = new MemoryApiServer({ clock });
  const stop = new AbortController();
  const ask = (): Promise<string> =>
    requestFirstCertificate({ api, request: REQUEST, clock, logger: new RecordingLogger() }, stop.signal);
  const put = (change: object = {}): void => {
    const object = { metadata: { name: 'node-csr-x', uid: 'u' }, spec: { signerName: CLIENT_SIGNER } };
    api.put(CERTIFICATE_SIGNING_REQUESTS, {
      ...(api.peek(CERTIFICATE_SIGNING_REQUESTS, 'node-csr-x') ?? object),
      ...change,
    });
  };
  const approve = (): void => put({ status: { conditions: [{ type: 'Approved' }], certificate: 'cGVt' } });
  return { clock, api, stop, ask, put, approve };
}

describe('requestFirstCertificate', () => {
  it('creates the request by its name and waits for the signature', async () => {
    const { clock, ask, approve } = setUp();
    const asked = ask();
    await clock.advance(30 * 60_000);
    approve();
    await clock.settle();
    assert.equal(await asked, 'pem');
    assert.equal(clock.pendingTimers, 0);
  });

  it('takes up the request of an earlier start', async () => {
    const { clock, api, ask, put, approve } = setUp();
    put();
    approve();
    const asked = ask();
    await clock.settle();
    assert.equal(await asked, 'pem');
    assert.equal(api.callsTo({ verb: 'create' }).length, 1);
  });

  it('refuses a request of that name for another signer', async () => {
    const { clock, ask, put } = setUp();
    put({ spec: { signerName: 'example.com/other' } });
    const asked = ask();
    asked.catch(() => {});
    await clock.settle();
    await assert.rejects(asked, /its signer is "example\.com\/other"/);
  });

  it('waits a minute for the API server, and not longer', async () => {
    const { clock, api, ask } = setUp();
    api.unreachable = true;
    let failure: unknown;
    ask().catch((error: unknown) => {
      failure = error;
    });
    await clock.advance(59_000);
    assert.equal(failure, undefined);
    await clock.advance(3_000);
    assert.match(String(failure), /cannot be reached/);
  });

  it('fails when the request is not signed within an hour', async () => {
    const { clock, ask } = setUp();
    let failure: unknown;
    ask().catch((error: unknown) => {
      failure = error;
    });
    await clock.advance(3600_000 - 1);
    assert.equal(failure, undefined);
    await clock.advance(1);
    assert.match(String(failure), /not signed in time/);
  });
});

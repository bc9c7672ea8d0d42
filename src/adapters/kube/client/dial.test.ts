import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type SampleAuthority, SampleCertificates } from '../../../../test/samples/sample-certificates.ts';
import { createDial } from './dial.ts';

describe('createDial', () => {
  const certificates = new SampleCertificates();
  let root: SampleAuthority;
  let middle: SampleAuthority;
  let server: Http2SecureServer;
  let url: URL;

  before(async () => {
    root = certificates.authority('root');
    middle = root.intermediate('middle');
    server = createSecureServer(middle.issue('/CN=api', { usage: 'serverAuth', san: 'IP:127.0.0.1' }));
    server.on('sessionError', () => {});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  after(() => {
    server.close();
    certificates[Symbol.dispose]();
  });

  /** True when the server was believed. */
  async function dial(ca: string | undefined, system: readonly string[] = []): Promise<boolean> {
    const connect = createDial({
      server: url,
      insecure: false,
      systemAuthorities: () => [...system],
      readTls: async () => (ca === undefined ? {} : { ca }),
    });
    try {
      (await connect(new AbortController().signal)).destroy();
      return true;
    } catch (error) {
      assert.match(String(error), /certificate/);
      return false;
    }
  }

  it('CA file with an intermediate only: is enough to know the API server', async () => {
    assert.equal(await dial(middle.cert), true);
    assert.equal(await dial(certificates.authority('other').cert), false);
  });

  it('kubeconfig without a CA: the store of the machine decides, not a list that came with Node', async () => {
    assert.equal(await dial(undefined, [middle.cert]), true);
    assert.equal(await dial(undefined, []), false);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../../test/fakes/memory-api-server.ts';
import type { TrustBundleSource } from '../../../core/api/volume.ts';
import { CLUSTER_TRUST_BUNDLES } from '../../../ports/cluster/api-resource.ts';
import { createSelfSigned } from '../../tls/self-signed-certificate.ts';
import { TrustBundles } from './trust-bundles.ts';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g;
const [ONE = '', TWO = ''] = ['one', 'two'].map(
  (host) => createSelfSigned(host, new FakeClock().now()).certificate.match(PEM)?.[0] ?? '',
);

function setUp(withApi = true) {
  const clock = new FakeClock();
  const api = new MemoryApiServer({ clock });
  const bundles = new TrustBundles({ api, clock, salt: Uint8Array.of(1) });
  const put = (name: string, trustBundle: string, signerName = '', labels = {}): void =>
    void api.put(CLUSTER_TRUST_BUNDLES, { metadata: { name, labels }, spec: { signerName, trustBundle } });
  if (!withApi) api.fail({ verb: 'list', plural: 'clustertrustbundles' }, 'not-found', 100);
  const ask = async (source: Partial<TrustBundleSource>): Promise<string[] | string> => {
    const answer = await clock.finish(bundles.anchors({ path: 'ca', ...source }));
    return answer.ok ? (answer.value.match(PEM) ?? []).sort() : answer.message;
  };
  return { clock, api, bundles, put, ask };
}

describe('TrustBundles', () => {
  it('shows the certificates of the named bundle, each once, and nothing else of it', async () => {
    const { put, ask, bundles } = setUp();
    put('ca', `words\n${ONE}${TWO}${ONE}`);
    assert.deepEqual(await ask({ name: 'ca' }), [ONE, TWO].sort());
    bundles.close();
  });

  it('shows those of a signer that have the labels; no selector chooses none, an empty one all', async () => {
    const { put, ask, bundles } = setUp();
    put('a', ONE, 'example.com/s', { tier: 'x' });
    put('b', TWO, 'example.com/s');
    put('c', TWO, 'example.com/other', { tier: 'x' });
    const signerName = 'example.com/s';
    assert.deepEqual(await ask({ signerName, labelSelector: { matchLabels: { tier: 'x' } } }), [ONE]);
    assert.deepEqual(await ask({ signerName, labelSelector: {} }), [ONE, TWO].sort());
    const none = 'combination of signerName and labelSelector matched zero ClusterTrustBundles';
    assert.equal(await ask({ signerName }), none);
    assert.deepEqual(await ask({ signerName, optional: true }), []);
    bundles.close();
  });

  it('says what is missing', async () => {
    const { ask, bundles } = setUp();
    assert.equal(
      await ask({ name: 'ca' }),
      'while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "ca" not found',
    );
    assert.deepEqual(await ask({ name: 'ca', optional: true }), []);
    assert.equal(await ask({}), 'ClusterTrustBundle projection requires either name or signerName to be set');
    bundles.close();
  });

  it('notifies listeners of every change', async () => {
    const { clock, put, ask, bundles } = setUp();
    put('ca', ONE);
    await ask({ name: 'ca' });
    let changes = 0;
    using _listening = bundles.subscribe(() => void changes++);
    put('ca', TWO);
    await clock.advance(1_000);
    assert.equal(changes, 1);
    assert.deepEqual(await ask({ name: 'ca' }), [TWO]);
    bundles.close();
  });

  it('is unavailable from an API server that does not know them', async () => {
    const { ask } = setUp(false);
    const words = 'ClusterTrustBundle projection is not supported in static kubelet mode';
    assert.equal(await ask({ name: 'ca' }), words);
  });
});

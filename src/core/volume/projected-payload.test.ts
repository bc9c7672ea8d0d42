import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import { accept, refuse } from '../../base/outcome.ts';
import type { PodSpec } from '../api/pod.ts';
import type { ProjectedSource } from '../api/volume.ts';
import { type GatheredSource, toProjectedPayload } from './projected-payload.ts';

function show(source: ProjectedSource, gathered: GatheredSource, spec: Partial<PodSpec> = {}) {
  const payload = toProjectedPayload({
    pod: samplePod(spec),
    sources: [source],
    gathered: [gathered],
    defaultMode: 0o644,
    node: sampleNode(),
  });
  if (!payload.ok) return payload.message;
  return [...payload.value].map(
    ([path, { content, mode }]) => `${path} ${mode.toString(8)} ${new TextDecoder().decode(content)}`,
  );
}

describe('toProjectedPayload', () => {
  const bundle = { clusterTrustBundle: { name: 'ca', path: 'trust//ca.pem' } };
  const certificate = {
    podCertificate: {
      keyType: 'ED25519',
      signerName: 'example.com/s',
      credentialBundlePath: 'all.pem',
      keyPath: 'key.pem',
    },
  };
  const pair = accept({ key: 'KEY\n', chain: 'CHAIN\n' });

  it('shows trust anchors at their path', () => {
    assert.deepEqual(show(bundle, { kind: 'anchors', pem: accept('PEM') }), ['trust/ca.pem 644 PEM']);
    assert.equal(show(bundle, { kind: 'anchors', pem: refuse('none') }), 'none');
  });

  it('shows a certificate at the requested paths, the key before its chain', () => {
    assert.deepEqual(show(certificate, { kind: 'certificate', pair }), [
      'all.pem 644 KEY\nCHAIN\n',
      'key.pem 644 KEY\n',
    ]);
  });

  it('keeps a key to the user of the pod', () => {
    const securityContext = { fsGroup: 5 };
    assert.deepEqual(show(certificate, { kind: 'certificate', pair }, { securityContext }), [
      'all.pem 600 KEY\nCHAIN\n',
      'key.pem 600 KEY\n',
    ]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MetricRegistry } from '../../../base/metric-registry.ts';
import { describePodCertificates } from './pod-certificate-metrics.ts';

describe('describePodCertificates', () => {
  it('counts certificates by signer and state, and forgets states that no certificate is in', () => {
    const registry = new MetricRegistry();
    let state = 'not_yet_issued' as 'not_yet_issued' | 'fresh';
    describePodCertificates(registry, {
      countCertificates: () => [{ signerName: 'example.com/s', state, count: 2 }],
    });
    const read = () =>
      registry
        .read()
        .filter(({ name }) => name === 'kubelet_podcertificate_states')
        .flatMap((family) => family.samples());
    const series = (name: string) => [
      {
        suffix: '',
        labels: [
          ['signer_name', 'example.com/s'],
          ['state', name],
        ],
        value: 2,
      },
    ];
    assert.deepEqual(read(), series('not_yet_issued'));
    state = 'fresh';
    assert.deepEqual(read(), series('fresh'));
  });

  it('is not there where the feature is off', () => {
    const registry = new MetricRegistry();
    describePodCertificates(registry, { countCertificates: undefined });
    assert.deepEqual(registry.read(), []);
  });
});

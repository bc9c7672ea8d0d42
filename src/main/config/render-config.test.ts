import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyDefaults } from './default-configuration.ts';
import { resolveFeatureGates } from './features.ts';
import type { JsonObject } from './json-value.ts';
import type { KubeletConfiguration } from './kubelet-configuration.ts';
import { renderConfiguration, renderConfigz } from './render-config.ts';

function configOf(fields: JsonObject): KubeletConfiguration {
  return applyDefaults(fields, resolveFeatureGates({}).gates) as unknown as KubeletConfiguration;
}

describe('renderConfiguration', () => {
  it('hides the header values of the static pod URL, keeping their names', () => {
    const config = configOf({ staticPodURLHeader: { Authorization: ['s3cret', 't0ken'] } });
    assert.deepEqual(renderConfiguration(config)['staticPodURLHeader'], { Authorization: ['<masked>'] });
    assert.ok(!renderConfigz(config).includes('s3cret'));
    assert.deepEqual(config.staticPodURLHeader, { Authorization: ['s3cret', 't0ken'] });
  });

  it('shows an explicit false of a pointer and leaves out the false of a plain field', () => {
    const rendered = renderConfiguration(configOf({ failSwapOn: false, rotateCertificates: false }));
    assert.equal(rendered['failSwapOn'], false);
    assert.equal('rotateCertificates' in rendered, false);
  });

  it('keeps an empty tracing object, which turns tracing on', () => {
    assert.deepEqual(renderConfiguration(configOf({ tracing: {} }))['tracing'], {});
    assert.equal('tracing' in renderConfiguration(configOf({})), false);
  });
});

describe('renderConfigz', () => {
  it('wraps the configuration under kubeletconfig with kind and version', () => {
    const { kubeletconfig } = JSON.parse(renderConfigz(configOf({ maxPods: 7 })));
    assert.equal(kubeletconfig.kind, 'KubeletConfiguration');
    assert.equal(kubeletconfig.apiVersion, 'kubelet.config.k8s.io/v1beta1');
    assert.equal(kubeletconfig.maxPods, 7);
  });
});

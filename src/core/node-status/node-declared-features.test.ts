import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toDeclaredFeatures } from './node-declared-features.ts';

describe('toDeclaredFeatures', () => {
  it('names what is enabled, sorted', () => {
    assert.deepEqual(
      toDeclaredFeatures(() => true, { userNamespacesHostNetwork: true }),
      [
        'ExtendWebSocketsToKubelet',
        'InPlacePodLevelResourcesVerticalScaling',
        'InPlacePodVerticalScalingInitContainers',
        'RestartAllContainersOnContainerExits',
        'UserNamespacesHostNetworkSupport',
      ],
    );
  });

  it('needs the runtime for user namespaces with the host network', () => {
    const features = toDeclaredFeatures(
      (gate) => ['NodeDeclaredFeatures', 'UserNamespacesHostNetworkSupport'].includes(gate),
      { userNamespacesHostNetwork: false },
    );
    assert.deepEqual(features, []);
  });

  it('is undefined when the node declares nothing at all', () => {
    assert.equal(
      toDeclaredFeatures((gate) => gate !== 'NodeDeclaredFeatures', { userNamespacesHostNetwork: true }),
      undefined,
    );
  });
});

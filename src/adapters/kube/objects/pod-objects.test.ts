import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../../test/samples/sample-pod.ts';
import { toPodObjects } from './pod-objects.ts';

describe('toPodObjects', () => {
  it('finds what volumes, variables of every container and pulls refer to, each once', () => {
    const pod = samplePod({
      imagePullSecrets: [{ name: 'registry' }, {}],
      initContainers: [{ name: 'i', image: 'i', envFrom: [{ secretRef: { name: 'keys' } }] }],
      containers: [
        {
          name: 'c',
          image: 'i',
          volumeMounts: [{ name: 'v', mountPath: '/v' }],
          env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'prices', key: 'a' } } }],
        },
      ],
      ephemeralContainers: [{ name: 'e', image: 'i', envFrom: [{ configMapRef: { name: 'debug' } }] }],
      volumes: [
        { name: 'v', configMap: { name: 'prices' } },
        { name: 'unused', secret: { secretName: 'unused' } },
      ],
    });
    assert.deepEqual([...toPodObjects(pod).keys()].sort(), [
      'configmap/market/debug',
      'configmap/market/prices',
      'secret/market/keys',
      'secret/market/registry',
    ]);
  });
});

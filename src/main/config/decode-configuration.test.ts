import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeConfiguration } from './decode-configuration.ts';
import type { JsonObject, JsonValue } from './json-value.ts';

describe('decodeConfiguration', () => {
  const accepted: ReadonlyArray<readonly [JsonObject, JsonObject]> = [
    [{ syncFrequency: '90s' }, { syncFrequency: '1m30s' }],
    [{ logging: { flushFrequency: 5_000_000_000 } }, { logging: { flushFrequency: '5s' } }],
    [
      { logging: { options: { text: { infoBufferSize: 1024 } } } },
      { logging: { options: { text: { infoBufferSize: '1024' } } } },
    ],
    [{ maxPods: null, port: 1 }, { port: 1 }],
    [{ tracing: {} }, { tracing: {} }],
    [
      { registerWithTaints: [{ key: 'a', effect: 'NoExecute' }] },
      { registerWithTaints: [{ key: 'a', effect: 'NoExecute' }] },
    ],
    [
      { shutdownGracePeriodByPodPriority: [{ priority: 5 }] },
      { shutdownGracePeriodByPodPriority: [{ priority: 5, shutdownGracePeriodSeconds: 0 }] },
    ],
    [
      { reservedMemory: [{ numaNode: 1, limits: { memory: '1024Mi' } }] },
      { reservedMemory: [{ numaNode: 1, limits: { memory: '1Gi' } }] },
    ],
    [{ staticPodURLHeader: { A: ['1', '2'] } }, { staticPodURLHeader: { A: ['1', '2'] } }],
    [{ featureGates: { X: true } }, { featureGates: { X: true } }],
    [{ apiVersion: 'x', kind: 'y', memoryThrottlingFactor: 0.5 }, { memoryThrottlingFactor: 0.5 }],
  ];
  for (const [document, fields] of accepted) {
    it(`reads ${JSON.stringify(document)}`, () => {
      assert.deepEqual(decodeConfiguration(document, 'exact'), { fields, unknown: [], mismatches: [] });
    });
  }

  const refused: ReadonlyArray<
    readonly [path: string, document: JsonObject, value: JsonValue, expected: string]
  > = [
    ['maxPods', { maxPods: '12' }, '12', 'an integer (int32)'],
    ['maxPods', { maxPods: 1.5 }, 1.5, 'an integer (int32)'],
    ['maxPods', { maxPods: 2 ** 31 }, 2 ** 31, 'an integer (int32)'],
    ['logging.verbosity', { logging: { verbosity: -1 } }, -1, 'an integer (uint32)'],
    ['failSwapOn', { failSwapOn: 'no' }, 'no', 'true or false'],
    ['syncFrequency', { syncFrequency: 60 }, 60, 'a duration such as "1m30s"'],
    ['syncFrequency', { syncFrequency: '1 minute' }, '1 minute', 'a duration such as "1m30s"'],
    ['systemReserved.cpu', { systemReserved: { cpu: 1 } }, 1, 'a string'],
    ['clusterDNS', { clusterDNS: '10.0.0.10' }, '10.0.0.10', 'a list'],
    ['clusterDNS[1]', { clusterDNS: ['10.0.0.10', 5] }, 5, 'a string'],
    ['logging', { logging: 'text' }, 'text', 'an object'],
    ['featureGates.X', { featureGates: { X: 'true' } }, 'true', 'true or false'],
    ['registerWithTaints[0]', { registerWithTaints: ['a'] }, 'a', 'an object'],
    [
      'reservedMemory[0].limits.memory',
      { reservedMemory: [{ limits: { memory: 'x' } }] },
      'x',
      'a quantity such as "10Mi"',
    ],
  ];
  for (const [path, document, value, expected] of refused) {
    it(`refuses ${JSON.stringify(document)}`, () => {
      assert.deepEqual(decodeConfiguration(document, 'exact').mismatches, [{ path, value, expected }]);
    });
  }

  it('goes on after a bad field', () => {
    const { fields, mismatches } = decodeConfiguration({ maxPods: 'x', port: 'y', readOnlyPort: 5 }, 'exact');
    assert.deepEqual(fields, { readOnlyPort: 5 });
    assert.equal(mismatches.length, 2);
  });

  it('reports unknown fields at every depth and drops them', () => {
    const document = {
      bogus: 1,
      logging: { nope: 1 },
      registerWithTaints: [{ key: 'a', effect: 'b', x: 1 }],
      MaxPods: 1,
    };
    const { fields, unknown } = decodeConfiguration(document, 'exact');
    assert.deepEqual(unknown, ['bogus', 'logging.nope', 'registerWithTaints[0].x', 'MaxPods']);
    assert.deepEqual(fields, { logging: {}, registerWithTaints: [{ key: 'a', effect: 'b' }] });
  });

  it('can ignore case, the spelling that sorts last winning', () => {
    const decode = (document: JsonObject) => decodeConfiguration(document, 'ignore-case').fields;
    assert.deepEqual(decode({ MAXPODS: 5 }), { maxPods: 5 });
    assert.deepEqual(decode({ maxPods: 110, MaxPods: 5 }), { maxPods: 110 });
    assert.deepEqual(decode({ maxPods: 110, maxpods: 5 }), { maxPods: 5 });
    assert.deepEqual(decode({ Logging: { format: 'json' }, logging: { verbosity: 2 } }), {
      logging: { format: 'json', verbosity: 2 },
    });
  });
});

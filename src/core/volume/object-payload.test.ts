import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ObjectLookup } from '../model/environment-objects.ts';
import { type ObjectSource, toObjectPayload } from './object-payload.ts';

const found: ObjectLookup = {
  kind: 'found',
  data: { a: '1', b: '2' },
  bytes: { raw: new Uint8Array([255]) },
};
const missing: ObjectLookup = { kind: 'missing' };

function files(
  kind: 'configmap' | 'secret',
  source: Partial<ObjectSource>,
  lookup: ObjectLookup = found,
): string[] | string {
  const payload = toObjectPayload(kind, { name: 'app', defaultMode: 0o644, ...source }, lookup);
  if (!payload.ok) return payload.message;
  return [...payload.value].map(
    ([path, { content, mode }]) => `${path} ${mode.toString(8)} [${[...content]}]`,
  );
}

describe('toObjectPayload', () => {
  const cases: [name: string, actual: string[] | string, expected: string[] | string][] = [
    ['every key is a file', files('configmap', {}), ['a 644 [49]', 'b 644 [50]', 'raw 644 [255]']],
    [
      'listed keys stand at their paths with their modes',
      files('secret', {
        items: [
          { key: 'b', path: './x//y', mode: 0o400 },
          { key: 'a', path: 'a' },
        ],
      }),
      ['x/y 400 [50]', 'a 644 [49]'],
    ],
    [
      'a missing key of a ConfigMap',
      files('configmap', { items: [{ key: 'z', path: 'z' }] }),
      'configmap references non-existent config key: z',
    ],
    [
      'a missing key of a Secret',
      files('secret', { items: [{ key: 'z', path: 'z' }] }),
      'references non-existent secret key: z',
    ],
    [
      'a missing key that may be',
      files('secret', {
        optional: true,
        items: [
          { key: 'z', path: 'z' },
          { key: 'a', path: 'a' },
        ],
      }),
      ['a 644 [49]'],
    ],
    ['a missing ConfigMap', files('configmap', {}, missing), 'configmap "app" not found'],
    ['a missing Secret', files('secret', {}, missing), 'secret "app" not found'],
    ['a missing object that may be', files('secret', { optional: true }, missing), []],
    [
      'a failed read, although optional',
      files('secret', { optional: true }, { kind: 'failed', message: 'timed out' }),
      'timed out',
    ],
    [
      'no API server',
      files('secret', { optional: true }, { kind: 'no-api' }),
      'not supported due to running kubelet in standalone mode',
    ],
    [
      'no mode at all',
      files('secret', { defaultMode: undefined }),
      'no defaultMode used, not even the default value for it',
    ],
  ];
  for (const [name, actual, expected] of cases) it(name, () => assert.deepEqual(actual, expected));
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { emptyObjects, sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import type { Container, PodSpec } from '../api/pod.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../api/pod-identity.ts';
import type { EnvironmentObjects } from '../model/environment-objects.ts';
import { type EnvironmentInput, toEnvironment, toVariableLookup } from './environment.ts';
import { toEnvironmentReferences } from './environment-references.ts';

const service = (name: string) => ({
  metadata: { name, namespace: 'market' },
  spec: { clusterIP: '10.0.0.9', ports: [{ port: 80 }] },
});
const objects = emptyObjects({
  configMap: (_namespace, name) =>
    name === 'settings'
      ? { kind: 'found', data: { A: 'map', B: '$(A)', 'odd.key': '1' } }
      : { kind: 'missing' },
  secret: (_namespace, name) =>
    name === 'keys' ? { kind: 'found', data: { A: 'hidden', TOKEN: 't' } } : { kind: 'missing' },
  file: (volume, path) =>
    volume !== 'files'
      ? { kind: 'no-volume' }
      : path === 'env'
        ? { kind: 'found', text: "K='v'\nEMPTY=''\n" }
        : { kind: 'unreadable' },
});

function build(container: Partial<Container>, over: Partial<EnvironmentInput> = {}) {
  return toEnvironment({
    pod: samplePod(),
    container: sampleContainer(container),
    podIps: ['10.0.0.1'],
    objects,
    node: sampleNode(),
    ...over,
  });
}
function variables(container: Partial<Container>, over: Partial<EnvironmentInput> = {}) {
  const result = build(container, over);
  assert.ok(result.ok, result.ok ? '' : result.message);
  return Object.fromEntries(result.value.map(({ name, value }) => [name, value]));
}

describe('toEnvironment precedence', () => {
  it('lets later sources win: services, envFrom in order, env in order', () => {
    const container = {
      envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'keys' } }],
      env: [
        { name: 'TOKEN', value: 'env' },
        { name: 'TOKEN', value: 'last' },
        { name: 'CACHE_SERVICE_HOST', value: 'mine' },
      ],
    };
    const env = variables(container, { objects: { ...objects, services: () => [service('cache')] } });
    assert.equal(env['A'], 'hidden');
    assert.equal(env['TOKEN'], 'last');
    assert.equal(env['CACHE_SERVICE_HOST'], 'mine');
    assert.equal(env['CACHE_SERVICE_PORT'], '80');
    assert.equal(env['odd.key'], '1');
  });

  it('puts device variables first and keeps their doubles', () => {
    const result = build({ env: [{ name: 'A', value: '1' }] }, { deviceEnv: [{ name: 'A', value: '0' }] });
    assert.deepEqual(result, {
      ok: true,
      value: [
        { name: 'A', value: '0' },
        { name: 'A', value: '1' },
      ],
    });
  });

  it('keeps values of secrets that are not text, and takes no binary data of a ConfigMap', () => {
    const bytes = new Uint8Array([0xff, 0xfe]);
    const env = build(
      {
        envFrom: [{ secretRef: { name: 's' } }, { configMapRef: { name: 'm' } }],
        env: [
          { name: 'ONE', valueFrom: { secretKeyRef: { name: 's', key: 'RAW' } } },
          { name: 'EXPANDED', value: 'now $(RAW)' },
        ],
      },
      {
        objects: {
          ...objects,
          secret: () => ({ kind: 'found', data: { RAW: '??', TEXT: 't' }, bytes: { RAW: bytes } }),
          configMap: () => ({ kind: 'found', data: { M: 'm' }, bytes: { BIN: bytes } }),
        },
      },
    );
    assert.deepEqual(env, {
      ok: true,
      value: [
        { name: 'RAW', value: '??', bytes },
        { name: 'TEXT', value: 't' },
        { name: 'M', value: 'm' },
        { name: 'ONE', value: '??', bytes },
        { name: 'EXPANDED', value: 'now ??' },
      ],
    });
  });

  it('prefixes keys of a source', () => {
    assert.deepEqual(variables({ envFrom: [{ prefix: 'P_', secretRef: { name: 'keys' } }] }), {
      P_A: 'hidden',
      P_TOKEN: 't',
    });
  });

  it('for any lists the last definition of a name counts and every name occurs once', () => {
    const entry = fc.record({
      name: fc.constantFrom('A', 'B', 'C'),
      value: fc.stringMatching(/^[a-z]{1,3}$/),
    });
    const data = fc.dictionary(fc.constantFrom('A', 'B', 'D'), fc.stringMatching(/^[a-z]{1,3}$/));
    fc.assert(
      fc.property(fc.array(entry), data, (env, map) => {
        const result = build(
          { env, envFrom: [{ configMapRef: { name: 'm' } }] },
          { objects: emptyObjects({ configMap: () => ({ kind: 'found', data: map }) }) },
        );
        assert.ok(result.ok);
        const expected = { ...map, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) };
        assert.deepEqual(
          { ...Object.fromEntries(result.value.map((v) => [v.name, v.value])) },
          { ...expected },
        );
        assert.equal(new Set(result.value.map((v) => v.name)).size, result.value.length);
      }),
    );
  });
});

describe('toEnvironment values', () => {
  const expansions: [name: string, env: Container['env'], expected: Record<string, string>][] = [
    [
      'earlier variables',
      [
        { name: 'X', value: '1' },
        { name: 'Y', value: '$(X)2' },
      ],
      { X: '1', Y: '12' },
    ],
    [
      'not later ones',
      [
        { name: 'Y', value: '$(X)' },
        { name: 'X', value: '1' },
      ],
      { Y: '$(X)', X: '1' },
    ],
    ['not itself', [{ name: 'X', value: '$(X)' }], { X: '$(X)' }],
    [
      'an earlier definition of itself',
      [
        { name: 'X', value: 'a' },
        { name: 'X', value: '$(X)b' },
      ],
      { X: 'ab' },
    ],
    ['escaped', [{ name: 'X', value: '$$(X)' }], { X: '$(X)' }],
    ['neither value nor source', [{ name: 'X' }], { X: '' }],
    [
      'a value before a source',
      [{ name: 'X', value: 'v', valueFrom: { secretKeyRef: { name: 'no', key: 'k' } } }],
      { X: 'v' },
    ],
    [
      'an empty value leaves the source',
      [{ name: 'X', value: '', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      { X: 'shop' },
    ],
    [
      'no expansion of sourced values',
      [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'settings', key: 'B' } } }],
      { X: '$(A)' },
    ],
    ['a resource', [{ name: 'X', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }], { X: '4' }],
    [
      'a pod address',
      [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      { X: '10.0.0.1' },
    ],
    [
      'a file key',
      [{ name: 'X', valueFrom: { fileKeyRef: { volumeName: 'files', path: 'env', key: 'K' } } }],
      { X: 'v' },
    ],
    [
      'an optional object',
      [{ name: 'X', valueFrom: { secretKeyRef: { name: 'no', key: 'k', optional: true } } }],
      {},
    ],
    [
      'an optional key',
      [{ name: 'X', valueFrom: { secretKeyRef: { name: 'keys', key: 'k', optional: true } } }],
      {},
    ],
    [
      'an optional file key',
      [
        {
          name: 'X',
          valueFrom: { fileKeyRef: { volumeName: 'files', path: 'env', key: 'no', optional: true } },
        },
      ],
      {},
    ],
  ];
  for (const [name, env, expected] of expansions) {
    it(name, () => assert.deepEqual(variables(env === undefined ? {} : { env }), expected));
  }

  it('expands service variables, which every other variable hides', () => {
    const env = [{ name: 'URL', value: 'http://$(CACHE_SERVICE_HOST)' }];
    const withCache = { objects: { ...objects, services: () => [service('cache')] } };
    assert.equal(variables({ env }, withCache)['URL'], 'http://10.0.0.9');
  });

  it('skips optional sources that are missing', () => {
    assert.deepEqual(variables({ envFrom: [{ configMapRef: { name: 'no', optional: true } }] }), {});
  });
});

describe('toEnvironment refusals', () => {
  const noApi: Partial<EnvironmentObjects> = {
    configMap: () => ({ kind: 'no-api' }),
    secret: () => ({
      kind: 'failed',
      message: 'failed to sync secret cache: timed out waiting for the condition',
    }),
  };
  const cases: [
    container: Partial<Container>,
    message: string,
    over?: Partial<EnvironmentObjects>,
    spec?: Partial<PodSpec>,
  ][] = [
    [{ envFrom: [{ configMapRef: { name: 'no' } }] }, 'configmap "no" not found'],
    [{ envFrom: [{ secretRef: { name: 'no' } }] }, 'secret "no" not found'],
    [
      { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'no', key: 'k' } } }] },
      'configmap "no" not found',
    ],
    [
      { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'settings', key: 'k' } } }] },
      "couldn't find key k in ConfigMap market/settings",
    ],
    [
      { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'settings', key: 'toString' } } }] },
      "couldn't find key toString in ConfigMap market/settings",
    ],
    [
      { env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } }] },
      "couldn't find key k in Secret market/keys",
    ],
    [
      { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'a', key: 'k' } } }] },
      "couldn't get configMap market/a, no kubeClient defined",
      noApi,
    ],
    [
      { env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'a', key: 'k', optional: true } } }] },
      'failed to sync secret cache: timed out waiting for the condition',
      noApi,
    ],
    [
      {
        env: [
          {
            name: 'X',
            valueFrom: { fileKeyRef: { volumeName: 'no', path: 'env', key: 'K', optional: true } },
          },
        ],
      },
      'cannot find the volume "no" referenced by FileKeyRef',
    ],
    [
      { env: [{ name: 'X', valueFrom: { fileKeyRef: { volumeName: 'files', path: 'bad', key: 'K' } } }] },
      "couldn't parse env file",
    ],
    [
      { env: [{ name: 'X', valueFrom: { fileKeyRef: { volumeName: 'files', path: 'env', key: 'EMPTY' } } }] },
      'environment variable key "EMPTY" not found in file "env"',
    ],
    [
      { env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } }] },
      'unsupported fieldPath: status.phase',
    ],
    [
      {},
      'services have not yet been read at least once, cannot construct envvars',
      { services: () => undefined },
    ],
  ];
  for (const [container, message, over = {}] of cases) {
    it(message, () =>
      assert.deepEqual(build(container, { objects: { ...objects, ...over } }), { ok: false, message }),
    );
  }

  it('refuses a pod that does not say whether it wants service links', () => {
    const { enableServiceLinks: _, ...spec } = samplePod().spec;
    assert.deepEqual(build({}, { pod: { ...samplePod(), spec } }), {
      ok: false,
      message: 'nil pod.spec.enableServiceLinks encountered, cannot construct envvars',
    });
  });

  it('lets a static pod start before services were read', () => {
    const pod = samplePod({}, { annotations: { [CONFIG_SOURCE_ANNOTATION]: 'file' } });
    assert.deepEqual(build({}, { pod, objects: emptyObjects({ services: () => undefined }) }), {
      ok: true,
      value: [],
    });
  });
});

describe('toVariableLookup', () => {
  it('gives the last of equal names and nothing for others', () => {
    const lookup = toVariableLookup([
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ]);
    assert.equal(lookup('A'), '2');
    assert.equal(lookup('toString'), undefined);
  });
});

describe('toEnvironmentReferences', () => {
  it('names each object and file that will be read, once', () => {
    const references = toEnvironmentReferences(
      sampleContainer({
        envFrom: [{ configMapRef: { name: 'a' } }, { secretRef: { name: 's' } }],
        env: [
          { name: 'X', valueFrom: { configMapKeyRef: { name: 'a', key: 'k' } } },
          { name: 'Y', value: 'literal', valueFrom: { configMapKeyRef: { name: 'unread', key: 'k' } } },
          { name: 'Z', valueFrom: { secretKeyRef: { name: 't', key: 'k' } } },
          { name: 'F', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } } },
          { name: 'G', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'l' } } },
        ],
      }),
    );
    assert.deepEqual(references, {
      configMaps: ['a'],
      secrets: ['s', 't'],
      files: [{ volumeName: 'v', path: 'p' }],
    });
  });
});

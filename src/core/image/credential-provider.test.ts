import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findProviderProblems, parseProviderConfig } from './credential-provider.ts';

const PROVIDER = {
  name: 'plugin',
  matchImages: ['*.example'],
  defaultCacheDuration: '10m',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
};
const TOKEN = { serviceAccountTokenAudience: 'registry', cacheType: 'Token', requireServiceAccount: true };
const config = (provider: object, more: object = {}) => ({
  apiVersion: 'kubelet.config.k8s.io/v1',
  kind: 'CredentialProviderConfig',
  providers: [{ ...PROVIDER, ...provider }],
  ...more,
});

describe('parseProviderConfig', () => {
  it('takes all fields', () => {
    const env = [{ name: 'A', value: 'b' }];
    const attributes = {
      ...TOKEN,
      requiredServiceAccountAnnotationKeys: ['Domain.io/Key'],
      optionalServiceAccountAnnotationKeys: ['b'],
    };
    const parsed = parseProviderConfig(config({ args: ['--x'], env, tokenAttributes: attributes }), true);
    assert.deepEqual(parsed, {
      ok: true,
      providers: [
        {
          name: 'plugin',
          matchImages: ['*.example'],
          defaultCacheMs: 600_000,
          apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
          args: ['--x'],
          env,
          tokenAttributes: {
            audience: 'registry',
            cacheType: 'Token',
            requireServiceAccount: true,
            requiredAnnotations: ['Domain.io/Key'],
            optionalAnnotations: ['b'],
          },
        },
      ],
    });
  });

  for (const version of ['v1beta1', 'v1alpha1'])
    it(`takes ${version} of the configuration and of the plugin`, () => {
      const apiVersion = `credentialprovider.kubelet.k8s.io/${version}`;
      assert.ok(
        parseProviderConfig(config({ apiVersion }, { apiVersion: `kubelet.config.k8s.io/${version}` }), true)
          .ok,
      );
    });

  const refused: [what: string, provider: object, more: object, why: RegExp][] = [
    ['another kind', {}, { kind: 'KubeletConfiguration' }, /^kind: /],
    ['another version', {}, { apiVersion: 'kubelet.config.k8s.io/v2' }, /^apiVersion: /],
    ['an unknown field', {}, { plugins: [] }, /^plugins: is not known/],
    ['an unknown field of a provider', { cache: 1 }, {}, /^providers\[0\]\.cache: is not known/],
    [
      'an unknown field of a variable',
      { env: [{ name: 'a', valueFrom: {} }] },
      {},
      /^providers\[0\]\.env\[0\]\.valueFrom/,
    ],
    ['no name', { name: '' }, {}, /name: is required/],
    ['a name with a slash', { name: 'a/b' }, {}, /cannot contain '\/'/],
    ['a name with a space', { name: 'a b' }, {}, /cannot contain spaces/],
    ['the name of a directory', { name: '..' }, {}, /cannot be '\.\.'/],
    ['no images', { matchImages: [] }, {}, /at least 1 item in matchImages/],
    ['an image that is none', { matchImages: ['a:b'] }, {}, /match image is invalid/],
    ['no duration', { defaultCacheDuration: undefined }, {}, /defaultCacheDuration: is required/],
    ['half a duration', { defaultCacheDuration: '10' }, {}, /want a duration/],
    ['a negative duration', { defaultCacheDuration: '-1s' }, {}, /greater than or equal to 0/],
    ['another protocol', { apiVersion: 'v1' }, {}, /^providers\[0\]\.apiVersion/],
    ['arguments that are none', { args: 'x' }, {}, /args: want a list of strings/],
    [
      'no audience',
      { tokenAttributes: { ...TOKEN, serviceAccountTokenAudience: '' } },
      {},
      /serviceAccountTokenAudience: is required/,
    ],
    [
      'no word about accounts',
      { tokenAttributes: { ...TOKEN, requireServiceAccount: undefined } },
      {},
      /requireServiceAccount: is required/,
    ],
    [
      'another kind of cache',
      { tokenAttributes: { ...TOKEN, cacheType: 'Pod' } },
      {},
      /cacheType: want one of/,
    ],
    [
      'tokens for an old protocol',
      { apiVersion: `${PROVIDER.apiVersion}beta1`, tokenAttributes: TOKEN },
      {},
      /only supported for/,
    ],
    [
      'tokens in an old configuration',
      { tokenAttributes: TOKEN },
      { apiVersion: 'kubelet.config.k8s.io/v1beta1' },
      /tokenAttributes: needs/,
    ],
    [
      'annotations without an account',
      {
        tokenAttributes: {
          ...TOKEN,
          requireServiceAccount: false,
          requiredServiceAccountAnnotationKeys: ['a'],
        },
      },
      {},
      /needs requireServiceAccount/,
    ],
    [
      'an annotation that is both',
      {
        tokenAttributes: {
          ...TOKEN,
          requiredServiceAccountAnnotationKeys: ['a'],
          optionalServiceAccountAnnotationKeys: ['a'],
        },
      },
      {},
      /both required and optional: a/,
    ],
    [
      'an annotation twice',
      { tokenAttributes: { ...TOKEN, optionalServiceAccountAnnotationKeys: ['a', 'a'] } },
      {},
      /"a" is repeated/,
    ],
    [
      'an annotation that is none',
      { tokenAttributes: { ...TOKEN, optionalServiceAccountAnnotationKeys: ['-'] } },
      {},
      /optionalServiceAccountAnnotationKeys: "-"/,
    ],
  ];
  for (const [what, provider, more, why] of refused)
    it(`refuses ${what}`, () => {
      const parsed = parseProviderConfig(config(provider, more), true);
      assert.ok(!parsed.ok);
      assert.equal(parsed.problems.length, 1, parsed.problems.join('; '));
      assert.match(parsed.problems[0] ?? '', why);
    });

  it('refuses tokens while their gate is off', () => {
    assert.ok(parseProviderConfig(config({ tokenAttributes: TOKEN }), true).ok);
    assert.ok(!parseProviderConfig(config({ tokenAttributes: TOKEN }), false).ok);
  });

  it('reports every problem, and refuses what is not a document', () => {
    const parsed = parseProviderConfig(config({ name: '', matchImages: 7 }), true);
    assert.ok(!parsed.ok);
    assert.equal(parsed.problems.length, 3);
    assert.ok(!parseProviderConfig('x', true).ok);
  });
});

describe('findProviderProblems', () => {
  it('requires at least one provider, and unique names', () => {
    const parsed = parseProviderConfig(config({}), true);
    assert.ok(parsed.ok);
    assert.deepEqual(findProviderProblems(parsed.providers), []);
    assert.equal(findProviderProblems([]).length, 1);
    assert.match(
      findProviderProblems([...parsed.providers, ...parsed.providers])[0] ?? '',
      /duplicate provider name "plugin"/,
    );
  });
});

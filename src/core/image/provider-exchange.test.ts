import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CredentialProvider } from './credential-provider.ts';
import {
  parseProviderResponse,
  renderProviderRequest,
  toCacheKey,
  toCacheKeys,
} from './provider-exchange.ts';

const API = 'credentialprovider.kubelet.k8s.io/v1';
const PROVIDER = { name: 'plugin', apiVersion: API } as CredentialProvider;
const SECRET = 'hunter2';
const ANSWER = {
  kind: 'CredentialProviderResponse',
  apiVersion: API,
  cacheKeyType: 'Registry',
  cacheDuration: '5m',
  auth: { '*.example': { username: 'u', password: SECRET } },
};
const parse = (change: object) => parseProviderResponse(JSON.stringify({ ...ANSWER, ...change }), PROVIDER);

describe('renderProviderRequest', () => {
  it('asks for an image, with a token only when there is one', () => {
    const head = `{"kind":"CredentialProviderRequest","apiVersion":"${API}","image":"a.example/app"`;
    assert.equal(renderProviderRequest(PROVIDER, 'a.example/app', undefined), `${head}}\n`);
    assert.equal(
      renderProviderRequest(PROVIDER, 'a.example/app', { token: 't', annotations: { a: 'b' } }),
      `${head},"serviceAccountToken":"t","serviceAccountAnnotations":{"a":"b"}}\n`,
    );
  });
});

describe('parseProviderResponse', () => {
  it('takes credentials, for whom and how long', () => {
    const config = new Map([['*.example', { username: 'u', password: SECRET, email: '' }]]);
    assert.deepEqual(parse({}), { ok: true, value: { cacheKeyType: 'Registry', cacheMs: 300_000, config } });
  });

  it('distinguishes an absent duration from zero', () => {
    for (const [cacheDuration, cacheMs] of [
      [undefined, undefined],
      [null, undefined],
      ['0s', 0],
    ] as const) {
      const parsed = parse({ cacheDuration });
      assert.ok(parsed.ok);
      assert.equal(parsed.value.cacheMs, cacheMs);
    }
  });

  const refused: [what: string, change: object, why: RegExp][] = [
    [
      'another version',
      { apiVersion: `${API}beta1` },
      /did not match expected apiVersion:.*v1, actual apiVersion:.*v1beta1$/,
    ],
    ['no version', { apiVersion: undefined }, /actual apiVersion:$/],
    ['another kind', { kind: 'ExecCredential' }, /error decoding/],
    ['an unknown field', { token: SECRET }, /error decoding/],
    ['no kind of key', { cacheKeyType: undefined }, /valid cacheKeyType: $/],
    ['another kind of key', { cacheKeyType: 'Pod' }, /valid cacheKeyType: Pod/],
    ['a time that is none', { cacheDuration: 'soon' }, /error decoding/],
    ['credentials that are none', { auth: { a: SECRET } }, /error decoding/],
    ['credentials of another form', { auth: { a: { username: 'u', token: SECRET } } }, /error decoding/],
  ];
  for (const [what, change, why] of refused)
    it(`refuses ${what}, without repeating it`, () => {
      const parsed = parse(change);
      assert.ok(!parsed.ok);
      assert.match(parsed.message, why);
      assert.ok(!parsed.message.includes(SECRET));
    });

  it('refuses what is not JSON', () => {
    const parsed = parseProviderResponse(`password: ${SECRET}`, PROVIDER);
    assert.ok(!parsed.ok && !parsed.message.includes(SECRET));
  });
});

describe('cache keys', () => {
  it('an answer is found again under the key it is kept under', () => {
    const image = 'a.example:5000/team/app';
    const keys = (['Image', 'Registry', 'Global'] as const).map((cacheKeyType) =>
      toCacheKey({ cacheKeyType }, image),
    );
    assert.deepEqual(keys, [image, 'a.example:5000', '<global>']);
    assert.deepEqual(toCacheKeys(image), keys);
  });
});

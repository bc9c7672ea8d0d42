import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import { accept, refuse } from '../../base/outcome.ts';
import type { CredentialProvider, TokenAttributes } from '../../core/image/credential-provider.ts';
import { CredentialProviders } from './credential-providers.ts';

const API = 'credentialprovider.kubelet.k8s.io/v1';
const PASSWORD = 'hunter2';
const IMAGE = 'a.example/team/app';
const TOKENS: TokenAttributes = {
  audience: 'registry',
  cacheType: 'ServiceAccount',
  requireServiceAccount: true,
  requiredAnnotations: [],
  optionalAnnotations: [],
};
const provider = (more: Partial<CredentialProvider> = {}): CredentialProvider => ({
  name: 'plugin',
  matchImages: ['*.example'],
  defaultCacheMs: 0,
  apiVersion: API,
  args: [],
  env: [],
  ...more,
});
const answer = (more: object = {}): string =>
  JSON.stringify({
    kind: 'CredentialProviderResponse',
    apiVersion: API,
    cacheKeyType: 'Image',
    auth: { '*.example': { username: 'u', password: PASSWORD } },
    ...more,
  });
const podOf = (serviceAccountName?: string, uid = 'p') =>
  samplePod(serviceAccountName === undefined ? {} : { serviceAccountName }, { metadata: { uid } });

function setUp(
  providers: readonly CredentialProvider[],
  reply: () => string | Promise<string> = () => answer(),
) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const requests: Record<string, unknown>[] = [];
  const world = { annotations: {} as Record<string, string>, token: (uid: string) => `token of ${uid}` };
  const subject = new CredentialProviders({
    providers,
    clock,
    logger,
    plugins: {
      run: async (_provider, _image, request) => {
        requests.push(JSON.parse(request));
        return reply();
      },
    },
    tokens: {
      token: async ({ pod, audience }) =>
        audience === 'registry'
          ? accept({ token: world.token(pod.metadata.uid) })
          : refuse('no such audience'),
      forget: () => {},
    },
    accounts: {
      read: async (_namespace, name) =>
        name === 'builder' ? accept({ uid: 'sa-1', annotations: world.annotations }) : refuse('not found'),
    },
  });
  const never = new AbortController().signal;
  const find = (image = IMAGE, pod = podOf()) => subject.find(pod, image, never);
  return { clock, logger, requests, world, subject, find };
}

describe('CredentialProviders', () => {
  it('asks the plugin of the registry and gives its answer to every pod of the node', async () => {
    const t = setUp([provider({ name: 'other', matchImages: ['b.example'] }), provider()]);
    const parts = await t.find();
    assert.deepEqual(parts, [
      {
        source: { kind: 'node' },
        config: new Map([['*.example', { username: 'u', password: PASSWORD, email: '' }]]),
      },
    ]);
    assert.deepEqual(t.requests, [{ kind: 'CredentialProviderRequest', apiVersion: API, image: IMAGE }]);
    assert.deepEqual(await t.find('c.other/app'), []);
  });

  const kinds: [cacheKeyType: string, again: string, runs: number][] = [
    ['Image', IMAGE, 1],
    ['Image', 'a.example/other', 2],
    ['Registry', 'a.example/other', 1],
    ['Registry', 'b.example/other', 2],
    ['Global', 'b.example/other', 1],
  ];
  for (const [cacheKeyType, again, runs] of kinds)
    it(`an answer for ${cacheKeyType} serves ${again} ${runs === 1 ? 'too' : 'not'}`, async () => {
      const t = setUp([provider()], () => answer({ cacheKeyType, cacheDuration: '1m' }));
      await t.find();
      assert.equal((await t.find(again)).length, 1);
      assert.equal(t.requests.length, runs);
    });

  const times: [
    what: string,
    duration: string | undefined,
    defaultCacheMs: number,
    afterMs: number,
    runs: number,
  ][] = [
    ['is kept as long as it says', '1m', 0, 60_000, 1],
    ['and no longer', '1m', 3_600_000, 60_001, 2],
    ['that says nothing is kept by default', undefined, 60_000, 60_000, 1],
    ['that says nothing is kept by default and no longer', undefined, 60_000, 60_001, 2],
    ['that says nothing is not kept without a default', undefined, 0, 0, 2],
    ['that says zero is not kept', '0s', 60_000, 0, 2],
  ];
  for (const [what, cacheDuration, defaultCacheMs, afterMs, runs] of times)
    it(`an answer ${what}`, async () => {
      const t = setUp([provider({ defaultCacheMs })], () => answer({ cacheDuration }));
      await t.find();
      await t.clock.advance(afterMs);
      await t.find();
      assert.equal(t.requests.length, runs);
    });

  it('callers that ask for the same at the same time share one run', async () => {
    const t = setUp([provider()]);
    const [a, b, c] = await Promise.all([t.find(), t.find(), t.find('b.example/other')]);
    assert.deepEqual([a?.length, b?.length, c?.length, t.requests.length], [1, 1, 1, 2]);
  });

  it('a plugin that fails gives nothing, and the next one is asked', async () => {
    let runs = 0;
    const t = setUp([provider(), provider({ name: 'second' })], () => {
      if (++runs === 1) throw new AgentError('unknown', 'exit code 1');
      return answer();
    });
    assert.equal((await t.find()).length, 1);
    assert.equal(t.logger.lines.length, 1);
  });

  it('logs nothing of what a plugin said', async () => {
    const t = setUp([provider()], () => answer({ token: PASSWORD }));
    assert.deepEqual(await t.find(), []);
    assert.ok(!JSON.stringify(t.logger.lines).includes(PASSWORD));
  });

  it('one who gives up does not wait for the plugin', async () => {
    const t = setUp([provider()], () => new Promise<string>(() => {}));
    const leaver = new AbortController();
    const left = t.subject.find(podOf(), IMAGE, leaver.signal);
    leaver.abort(new Error('the pod ends'));
    await assert.rejects(left, /the pod ends/);
  });

  describe('with a token', () => {
    it('asks in the name of the account, and the answer is of that account', async () => {
      const attributes = { ...TOKENS, requiredAnnotations: ['role'], optionalAnnotations: ['team', 'none'] };
      const t = setUp([provider({ tokenAttributes: attributes })]);
      t.world.annotations = { role: 'r', team: 't', secret: 's' };
      const [part] = await t.find(IMAGE, podOf('builder'));
      assert.deepEqual(part?.source, {
        kind: 'service-account',
        uid: 'sa-1',
        namespace: 'default',
        name: 'builder',
      });
      assert.equal(t.requests[0]?.['serviceAccountToken'], 'token of p');
      assert.deepEqual(t.requests[0]?.['serviceAccountAnnotations'], { role: 'r', team: 't' });
    });

    const skipped: [
      what: string,
      Partial<TokenAttributes>,
      account: string | undefined,
      complaints: number,
    ][] = [
      ['a pod without an account', {}, undefined, 0],
      ['an account without its annotation', { requiredAnnotations: ['role'] }, 'builder', 0],
      ['an account that is not there', {}, 'missing', 1],
      ['an audience that gets no token', { audience: 'other' }, 'builder', 1],
    ];
    for (const [what, more, account, complaints] of skipped)
      it(`is not run for ${what}`, async () => {
        const t = setUp([provider({ tokenAttributes: { ...TOKENS, ...more } })]);
        assert.deepEqual(await t.find(IMAGE, podOf(account)), []);
        assert.deepEqual([t.requests.length, t.logger.lines.length], [0, complaints]);
      });

    it('is run without one for a pod without an account, if it wants that', async () => {
      const t = setUp([provider({ tokenAttributes: { ...TOKENS, requireServiceAccount: false } })]);
      const [part] = await t.find();
      assert.deepEqual(part?.source, { kind: 'node' });
      assert.equal(t.requests[0]?.['serviceAccountToken'], undefined);
    });

    for (const [cacheType, runs] of [
      ['ServiceAccount', 1],
      ['Token', 2],
    ] as const)
      it(`an answer kept per ${cacheType} serves ${runs === 1 ? 'other pods of the account' : 'that pod only'}`, async () => {
        const t = setUp([provider({ tokenAttributes: { ...TOKENS, cacheType }, defaultCacheMs: 60_000 })]);
        await t.find(IMAGE, podOf('builder', 'p'));
        await t.find(IMAGE, podOf('builder', 'p'));
        assert.equal(t.requests.length, 1);
        await t.find(IMAGE, podOf('builder', 'q'));
        assert.equal(t.requests.length, runs);
      });

    it('an answer kept for an account does not serve pods without one', async () => {
      const attributes = { ...TOKENS, requireServiceAccount: false };
      const t = setUp([provider({ tokenAttributes: attributes, defaultCacheMs: 60_000 })]);
      await t.find(IMAGE, podOf('builder'));
      await t.find();
      assert.equal(t.requests.length, 2);
    });

    for (const [cacheType, found] of [
      ['ServiceAccount', 0],
      ['Token', 1],
    ] as const)
      it(`the token itself as a password is ${found === 0 ? 'refused' : 'taken'} when kept per ${cacheType}`, async () => {
        const echo = answer({ auth: { 'a.example': { username: 'u', password: 'token of p' } } });
        const t = setUp([provider({ tokenAttributes: { ...TOKENS, cacheType } })], () => echo);
        assert.equal((await t.find(IMAGE, podOf('builder'))).length, found);
        assert.ok(!JSON.stringify(t.logger.lines).includes('token of p'));
      });
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import type { UserInfo } from '../../ports/cluster/authentication.ts';
import { toAccessAttributes } from './access-attributes.ts';
import { createAccessAuthorizer } from './access-authorizer.ts';
import { ApiReviews } from './api-reviews.ts';
import { ExpiringCache } from './expiring-cache.ts';

const USER: UserInfo = { name: 'u', uid: '7', groups: ['g'], extra: { k: ['v'] } };

describe('toAccessAttributes', () => {
  for (const [method, path, verb, names] of [
    ['GET', '/pods', 'get', ['pods', 'proxy']],
    ['GET', '/podsx', 'get', ['proxy']],
    ['GET', '/healthz/ping', 'get', ['healthz', 'proxy']],
    ['DELETE', '/metrics/slis', 'delete', ['metrics']],
    ['HEAD', '/stats/summary', '', ['stats']],
    ['PUT', '/debug/flags/v', 'update', ['proxy']],
    ['PATCH', '/flagz', 'patch', ['configz']],
    ['GET', '/exec/ns/p/c', 'create', ['proxy']],
    ['GET', '/attach/ns/p/c', 'create', ['proxy']],
    ['GET', '/portForward/ns/p', 'create', ['proxy']],
    ['GET', '/run/ns/p/c', 'create', ['proxy']],
    ['GET', '/containerLogs/ns/p/c', 'get', ['proxy']],
    ['GET', '/constructor', 'get', ['proxy']],
  ] as const)
    it(`${method} ${path} is ${verb} on ${names.join(' or ')}`, () => {
      const attributes = toAccessAttributes(method, path, 'n');
      assert.deepEqual(
        attributes,
        names.map((subresource) => ({ verb, subresource, nodeName: 'n' })),
      );
    });
});

describe('createAccessAuthorizer', () => {
  function make(allowed: boolean) {
    const clock = new FakeClock();
    let asked = 0;
    const reviewer = {
      reviewAccess: async () => {
        asked++;
        return { allowed, reason: '' };
      },
    };
    const authorize = createAccessAuthorizer({
      reviewer,
      allowedTtlMs: 300,
      refusedTtlMs: 30,
      clock,
      random: () => 0,
    });
    return { authorize, clock, asked: () => asked };
  }
  const [attributes] = toAccessAttributes('GET', '/pods', 'n');

  for (const [allowed, keptMs] of [
    [true, 300],
    [false, 30],
  ] as const)
    it(`caches ${allowed ? 'an allow' : 'a denial'} for its own time`, async () => {
      const { authorize, clock, asked } = make(allowed);
      assert.equal(await authorize(USER, attributes), allowed);
      await clock.advance(keptMs - 1);
      assert.equal(await authorize(USER, attributes), allowed);
      assert.equal(asked(), 1);
      await clock.advance(1);
      await authorize(USER, attributes);
      assert.equal(asked(), 2);
    });

  it('takes every part of a user into account', async () => {
    const { authorize, asked } = make(true);
    for (const user of [USER, { ...USER, groups: [] }, { ...USER, uid: '' }, { ...USER, extra: {} }])
      await authorize(user, attributes);
    assert.equal(asked(), 4);
  });

  it('does not cache attributes of unusual length', async () => {
    const { authorize, asked } = make(true);
    const long = { ...USER, name: 'x'.repeat(10_000) };
    await authorize(long, attributes);
    await authorize(long, attributes);
    assert.equal(asked(), 2);
  });
});

describe('ExpiringCache', () => {
  it('evicts the least recently used entry when it is full', async () => {
    const cache = new ExpiringCache<string>(new FakeClock(), 2);
    const asked: string[] = [];
    const get = (key: string) =>
      cache.get(key, async () => {
        asked.push(key);
        return { value: key, keepMs: 1000 };
      });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key);
    assert.deepEqual(asked, ['a', 'b', 'c', 'b']);
    assert.equal(cache.size, 2);
  });
});

describe('ApiReviews', () => {
  function make(status: object | undefined) {
    const sent: { plural: string; object: unknown }[] = [];
    const create = async <T>({ plural }: { plural: string }, object: object): Promise<T> => {
      sent.push({ plural, object });
      return { status } as T;
    };
    return { reviews: new ApiReviews({ create }), sent };
  }
  const options = { signal: new AbortController().signal };

  it('reviews a token', async () => {
    const { reviews, sent } = make({ authenticated: true, user: { username: 'a', groups: null } });
    const user = { name: 'a', uid: '', groups: [], extra: {} };
    assert.deepEqual(await reviews.reviewToken('t', options), { kind: 'authenticated', user });
    const object = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token: 't' },
    };
    assert.deepEqual(sent, [{ plural: 'tokenreviews', object }]);
    assert.deepEqual(await make({}).reviews.reviewToken('t', options), { kind: 'rejected' });
    assert.deepEqual(await make(undefined).reviews.reviewToken('t', options), { kind: 'rejected' });
    const failed = make({ authenticated: false, error: 'later' }).reviews;
    assert.deepEqual(await failed.reviewToken('t', options), { kind: 'failed', message: 'later' });
  });

  it('reviews access, and treats everything but an explicit allow as a denial', async () => {
    const { reviews, sent } = make({ allowed: true });
    const [attributes] = toAccessAttributes('GET', '/metrics', 'n');
    assert.equal((await reviews.reviewAccess(USER, attributes, options)).allowed, true);
    const resourceAttributes = {
      verb: 'get',
      version: 'v1',
      resource: 'nodes',
      subresource: 'metrics',
      name: 'n',
    };
    const spec = { user: 'u', uid: '7', groups: ['g'], extra: { k: ['v'] }, resourceAttributes };
    const object = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec };
    assert.deepEqual(sent, [{ plural: 'subjectaccessreviews', object }]);
    for (const status of [undefined, {}, { allowed: false }, { allowed: 'true' }, { evaluationError: 'x' }])
      assert.equal((await make(status).reviews.reviewAccess(USER, attributes, options)).allowed, false);
  });
});

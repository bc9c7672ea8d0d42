import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { SampleCertificates } from '../../../test/samples/sample-certificates.ts';
import { AgentError, hasCode } from '../../base/errors.ts';
import type { TokenVerdict, UserInfo } from '../../ports/cluster/authentication.ts';
import { createAuthGuard } from './auth-guard.ts';
import { readBearerToken } from './bearer-token.ts';
import { readSubject } from './read-subject.ts';
import { RequestAuthenticator } from './request-authenticator.ts';
import { TokenAuthenticator } from './token-authenticator.ts';

const samples = new SampleCertificates();
after(() => samples[Symbol.dispose]());
const authority = samples.authority('ca');
/** Well within the day that a certificate is valid, whenever it is made. */
const NOW = Date.now() + 3_600_000;
const der = (pem: string): Uint8Array => new X509Certificate(pem).raw;
const user = (name: string): UserInfo => ({ name, uid: '', groups: [], extra: {} });

function peer(pem: string, problem?: string) {
  return { address: '::1', tls: { chain: [der(pem)], problem } };
}

describe('readSubject', () => {
  it('distinguishes names that look the same as text', () => {
    const plain = authority.issue('/O=a/O=b/CN=user');
    assert.deepEqual(readSubject(der(plain.cert)), {
      commonName: 'user',
      organizations: ['a', 'b'],
      uids: [],
    });
    const tricky = authority.issue('/CN=x, O=system:masters\\/O=y');
    const { commonName, organizations } = readSubject(der(tricky.cert));
    assert.equal(commonName, 'x, O=system:masters/O=y');
    assert.deepEqual(organizations, []);
  });

  it('reads the UID attribute', () => {
    const { cert } = authority.issue('/CN=u/kubeUid=some-uid');
    assert.deepEqual(readSubject(der(cert)).uids, ['some-uid']);
  });

  it('refuses bytes that are not a certificate', () => {
    const whole = der(authority.cert);
    for (const bytes of [
      new Uint8Array(),
      whole.subarray(0, 40),
      Uint8Array.of(0x30, 0x84, 0xff, 0xff, 0xff, 0xff),
    ])
      assert.throws(() => readSubject(bytes), /malformed certificate/);
  });
});

describe('readBearerToken', () => {
  const protocol = (value: string) => ({
    headers: { upgrade: 'websocket', 'sec-websocket-protocol': value },
  });
  const encoded = Buffer.from('tök').toString('base64url');
  it('takes the header, or the sub-protocol of a WebSocket', () => {
    assert.equal(readBearerToken({ headers: { authorization: 'Bearer abc' } }), 'abc');
    assert.equal(readBearerToken({ headers: { authorization: 'bEARER abc' } }), 'abc');
    assert.equal(readBearerToken({ headers: { authorization: 'Basic abc' } }), undefined);
    assert.equal(readBearerToken({ headers: {} }), undefined);
    assert.equal(
      readBearerToken(protocol(`v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.${encoded}`)),
      'tök',
    );
    assert.equal(
      readBearerToken({
        headers: { 'sec-websocket-protocol': `base64url.bearer.authorization.k8s.io.${encoded}` },
      }),
      undefined,
    );
  });
  it('refuses a sub-protocol it cannot read', () => {
    for (const value of ['', '!!', '_w', `${encoded}, base64url.bearer.authorization.k8s.io.${encoded}`])
      assert.throws(() => readBearerToken(protocol(`base64url.bearer.authorization.k8s.io.${value}`)));
  });
});

describe('RequestAuthenticator', () => {
  const good = authority.issue('/O=dev/CN=alice/kubeUid=u1');
  const tokens = {
    authenticate: async (token: string) => {
      if (token === 'down') throw new Error('no answer');
      return token === 'good' ? user('bob') : undefined;
    },
  };
  const clock = new FakeClock({ startMs: NOW });
  const all = { certificates: true, anonymous: true, tokens, clock };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it('takes the identity from the client certificate', async () => {
    const result = await new RequestAuthenticator(all).authenticate({ headers: {}, peer: peer(good.cert) });
    assert.ok('user' in result);
    assert.equal(result.user.name, 'alice');
    assert.equal(result.user.uid, 'u1');
    assert.deepEqual(result.user.groups, ['dev', 'system:authenticated']);
    assert.match(
      result.user.extra['authentication.kubernetes.io/credential-id']?.[0] ?? '',
      /^X509SHA256=[0-9a-f]{64}$/,
    );
  });

  it('accepts a good token with a bad certificate, but never falls back to anonymous', async () => {
    const authenticator = new RequestAuthenticator(all);
    const bad = peer(good.cert, 'CERT_HAS_EXPIRED');
    const saved = await authenticator.authenticate({ headers: bearer('good'), peer: bad });
    assert.ok('user' in saved && saved.user.name === 'bob');
    for (const [headers, from] of [
      [{}, bad],
      [bearer('bad'), undefined],
      [bearer('down'), undefined],
      [bearer('bad'), bad],
    ] as const) {
      const result = await authenticator.authenticate({
        headers,
        ...(from === undefined ? {} : { peer: from }),
      });
      assert.ok('problem' in result);
    }
  });

  it('treats a caller without credentials as anonymous only where that is allowed', async () => {
    const result = await new RequestAuthenticator(all).authenticate({ headers: {} });
    assert.ok('user' in result);
    assert.equal(result.user.name, 'system:anonymous');
    assert.deepEqual(result.user.groups, ['system:unauthenticated']);
    const strict = new RequestAuthenticator({ ...all, anonymous: false });
    assert.deepEqual(await strict.authenticate({ headers: {} }), { problem: 'no credentials' });
  });

  it('treats a certificate without a name as no certificate', async () => {
    const nameless = authority.issue('/O=dev');
    const strict = new RequestAuthenticator({ ...all, anonymous: false });
    const result = await strict.authenticate({ headers: {}, peer: peer(nameless.cert) });
    assert.deepEqual(result, { problem: 'no credentials' });
  });

  it('ignores methods that are not configured', async () => {
    const closed = new RequestAuthenticator({ certificates: false, anonymous: false, clock });
    assert.ok('problem' in (await closed.authenticate({ headers: bearer('good'), peer: peer(good.cert) })));
  });
});

describe('TokenAuthenticator', () => {
  function make(answer: () => TokenVerdict) {
    const clock = new FakeClock();
    let asked = 0;
    const reviewer = {
      reviewToken: async () => {
        asked++;
        return answer();
      },
    };
    const metered: string[] = [];
    const meter = {
      asked: (hit: boolean) => void metered.push(hit ? 'hit' : 'miss'),
      active: (what: string, by: number) => void metered.push(`${what} ${by}`),
      fetched: (ok: boolean) => void metered.push(ok ? 'ok' : 'error'),
    };
    const settings = { reviewer, cacheTtlMs: 1000, clock, random: () => 0, meter };
    const authenticator = new TokenAuthenticator(settings);
    return { authenticator, clock, asked: () => asked, metered };
  }

  it('caches valid and invalid tokens, each for its time', async () => {
    for (const verdict of [{ kind: 'authenticated', user: user('u') }, { kind: 'rejected' }] as const) {
      const { authenticator, clock, asked } = make(() => verdict);
      const expected = verdict.kind === 'rejected' ? undefined : user('u');
      for (let i = 0; i < 3; i++) assert.deepEqual(await authenticator.authenticate('t', 'p'), expected);
      assert.equal(asked(), 1);
      await authenticator.authenticate('other', 'p');
      assert.equal(asked(), 2);
      await clock.advance(1000);
      await authenticator.authenticate('t', 'p');
      assert.equal(asked(), 3);
      assert.equal(clock.pendingTimers, 0);
    }
  });

  it('does not cache failures', async () => {
    const { authenticator, asked } = make(() => ({ kind: 'failed', message: 'later' }));
    await assert.rejects(authenticator.authenticate('t', 'p'), /later/);
    await assert.rejects(authenticator.authenticate('t', 'p'), /later/);
    assert.equal(asked(), 2);
  });

  it('reports cache hits and misses', async () => {
    const { authenticator, metered } = make(() => ({ kind: 'rejected' }));
    await authenticator.authenticate('t', 'p');
    await authenticator.authenticate('t', 'p');
    assert.deepEqual(metered, [
      'blocked 1',
      'in_flight 1',
      'in_flight -1',
      'ok',
      'blocked -1',
      'miss',
      'hit',
    ]);
  });

  it('reviews a token once for concurrent callers', async () => {
    const { authenticator, asked } = make(() => ({ kind: 'rejected' }));
    await Promise.all([authenticator.authenticate('t', 'p'), authenticator.authenticate('t', 'p')]);
    assert.equal(asked(), 1);
  });

  it('retries when the API server cannot be reached, five times with growing delays', async () => {
    const { authenticator, clock, asked } = make(() => {
      throw new AgentError('unavailable', 'reset');
    });
    const failed = assert.rejects(authenticator.authenticate('t', 'p'), /reset/);
    const pauses: number[] = [];
    for (let i = 0; i < 4; i++) {
      await new Promise(setImmediate);
      const pause = (clock.nextTimerAtMs ?? 0) - clock.now();
      pauses.push(pause);
      await clock.advance(pause);
    }
    await failed;
    assert.deepEqual(pauses, [500, 750, 1125, 1687.5]);
    assert.equal(asked(), 5);
  });

  it('does not retry what the server has answered', async () => {
    const { authenticator, asked } = make(() => {
      throw new AgentError('permission-denied', 'no');
    });
    await assert.rejects(authenticator.authenticate('t', 'p'), /no/);
    assert.equal(asked(), 1);
  });

  it('token reviews have a rate: made-up tokens of one peer leave others theirs', async () => {
    const { authenticator, clock, asked } = make(() => ({ kind: 'rejected' }));
    const flood = async (peer: string, count: number): Promise<number> => {
      let refused = 0;
      for (let i = 0; i < count; i++)
        await authenticator.authenticate(`${peer} ${i} ${clock.now()}`, peer).catch((error: unknown) => {
          assert.ok(hasCode(error, 'too-many-requests'));
          refused++;
        });
      return refused;
    };
    assert.equal(await flood('10.0.0.66', 1000), 975);
    assert.equal(await flood('10.0.0.1', 25), 0);
    assert.equal(asked(), 50);
    await clock.advance(1000);
    assert.equal(await flood('10.0.0.66', 10), 5);
    for (let i = 0; i < 100; i++) await flood(`10.1.0.${i}`, 5);
    assert.ok(asked() < 150, `${asked()} reviews in a second`);
  });

  it('answers from memory cost no review', async () => {
    const { authenticator, asked } = make(() => ({ kind: 'rejected' }));
    for (let i = 0; i < 1000; i++) await authenticator.authenticate('t', 'p');
    assert.equal(asked(), 1);
  });
});

describe('createAuthGuard', () => {
  it('asks a caller to come back when its token could not be reviewed for their number', async () => {
    const tokens = {
      authenticate: async () => {
        throw new AgentError('too-many-requests', 'too many');
      },
    };
    const authenticator = new RequestAuthenticator({
      certificates: false,
      anonymous: true,
      tokens,
      clock: new FakeClock(),
    });
    const log = silentLogger;
    const guard = createAuthGuard({ authenticator, authorize: async () => true, nodeName: 'n', log });
    const request = { method: 'GET', path: '/pods', query: new URLSearchParams(), body: new Uint8Array() };
    const entry = await guard(
      { ...request, headers: { authorization: 'Bearer t' } },
      new AbortController().signal,
    );
    assert.ok('refusal' in entry);
    assert.equal(entry.refusal.status, 429);
  });
});

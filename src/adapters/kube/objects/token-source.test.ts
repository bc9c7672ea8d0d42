import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../../test/fakes/memory-api-server.ts';
import { RecordingLogger } from '../../../../test/fakes/recording-logger.ts';
import { samplePod } from '../../../../test/samples/sample-pod.ts';
import { AgentError } from '../../../base/errors.ts';
import { ApiStatusError, type ObjectRef } from '../../../ports/cluster/api-server.ts';
import { computeTokenRefresh } from '../credentials/token-refresh.ts';
import { ApiTokenSource } from './token-source.ts';

const POD = samplePod({ serviceAccountName: 'seller' });
const REQUEST = { pod: POD, audience: '', expirationSeconds: 3600 };
const CALL = { verb: 'createSubresource', subresource: 'token' } as const;
const HOUR_MS = 3_600_000;

describe('ApiTokenSource', () => {
  let clock: FakeClock;
  let api: MemoryApiServer;
  let source: ApiTokenSource;
  let logger: RecordingLogger;
  let given: number;
  let asked: ObjectRef | undefined;

  beforeEach(() => {
    clock = new FakeClock();
    logger = new RecordingLogger();
    given = 0;
    api = new MemoryApiServer({
      clock,
      answerSubresource: (ref, _subresource, body) => {
        asked = ref;
        const { expirationSeconds = 3600 } = (body as { spec: { expirationSeconds?: number } }).spec;
        const expirationTimestamp = new Date(clock.now() + expirationSeconds * 1000).toISOString();
        return { spec: { expirationSeconds }, status: { token: `token ${++given}`, expirationTimestamp } };
      },
    });
    source = new ApiTokenSource({ api, clock, random: () => 0.55, logger });
  });

  const tokenOf = async (over: Partial<typeof REQUEST> = {}): Promise<string> => {
    const answer = await source.token({ ...REQUEST, ...over });
    return answer.ok ? answer.value.token : answer.message;
  };

  it('asks for a token of the account, bound to the pod', async () => {
    const answer = await source.token({ ...REQUEST, audience: 'vault' });
    // 80 % of an hour, 5 s of jitter earlier.
    const refreshAtMs = clock.now() + 0.8 * HOUR_MS - 5000;
    const expiresAtMs = clock.now() + HOUR_MS;
    assert.deepEqual(answer, { ok: true, value: { token: 'token 1', expiresAtMs, refreshAtMs } });
    assert.deepEqual([asked?.namespace, asked?.name], ['market', 'seller']);
    assert.deepEqual((api.calls[0]!.body as { spec: object }).spec, {
      audiences: ['vault'],
      expirationSeconds: 3600,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'shop', uid: '0a1b-2c3d' },
    });
  });

  it('hands its tokens to a later run, which uses them only while the server is away, expired or not', async () => {
    await tokenOf();
    const uid = POD.metadata.uid;
    assert.deepEqual(source.remember(['other']), []);
    const remembered = source.remember([uid]);
    const later = (): ApiTokenSource => {
      const made = new ApiTokenSource({ api, clock, random: () => 0.5, logger });
      made.restore(remembered);
      return made;
    };
    source = later();
    assert.equal(await tokenOf(), 'token 2', 'a new one is asked for');
    source = later();
    api.unreachable = true;
    await clock.advance(2 * HOUR_MS);
    assert.equal(await tokenOf(), 'token 1');
    assert.match(await tokenOf({ audience: 'vault' }), /^failed to fetch token: /);
    api.unreachable = false;
    await clock.advance(60_000);
    assert.equal(await tokenOf(), 'token 3');
    source = later();
    api.fail(CALL, 'permission-denied');
    assert.match(await tokenOf(), /expired and refresh failed/);
  });

  it('reports every new token', async () => {
    let changes = 0;
    source = new ApiTokenSource({ api, clock, random: () => 0.5, logger, onChange: () => changes++ });
    await tokenOf();
    await tokenOf();
    assert.equal(changes, 1);
  });

  it('leaves the audience to the server when none is named', async () => {
    await tokenOf();
    assert.deepEqual((api.calls[0]!.body as { spec: { audiences: unknown } }).spec.audiences, []);
  });

  it('keeps a token per pod, audience and duration until it is to be replaced', async () => {
    assert.equal(await tokenOf(), 'token 1');
    assert.equal(await tokenOf({ audience: 'vault' }), 'token 2');
    assert.equal(await tokenOf({ expirationSeconds: 7200 }), 'token 3');
    assert.equal(
      await tokenOf({ pod: samplePod({ serviceAccountName: 'seller' }, { uid: 'x' }) }),
      'token 4',
    );
    await clock.advance(0.8 * HOUR_MS - 5001);
    assert.equal(await tokenOf(), 'token 1');
    await clock.advance(1);
    assert.equal(await tokenOf(), 'token 5');
  });

  it('asks once for two volumes of a pod that come at the same time', async () => {
    assert.deepEqual(await Promise.all([tokenOf(), tokenOf()]), ['token 1', 'token 1']);
    assert.equal(given, 1);
  });

  it('refuses in the words of the server when there is no token', async () => {
    api.fail(CALL, 'not-found');
    assert.equal(await tokenOf(), 'failed to fetch token: injected not-found');
    api.intercept = () => {
      const cause = new ApiStatusError({ code: 404, reason: '', message: 'the server answered 404' });
      throw new AgentError('not-found', 'cannot', { cause });
    };
    assert.equal(
      await tokenOf(),
      'failed to fetch token: the API server does not have TokenRequest endpoints enabled',
    );
  });

  it('serves the old token while no new one is available, tries again in a minute, and refuses once it expired', async () => {
    await tokenOf();
    api.unreachable = true;
    await clock.advance(0.9 * HOUR_MS);
    const answer = await source.token(REQUEST);
    const expiresAtMs = clock.now() + 0.1 * HOUR_MS;
    const refreshAtMs = clock.now() + 60_000;
    assert.deepEqual(answer, { ok: true, value: { token: 'token 1', expiresAtMs, refreshAtMs } });
    assert.deepEqual(logger.messages('warning'), ['cannot renew a token, the old one serves on']);
    await clock.advance(0.1 * HOUR_MS);
    assert.equal(
      await tokenOf(),
      'token ["seller","market","",3600] expired and refresh failed: the API server cannot be reached',
    );
    api.unreachable = false;
    assert.equal(await tokenOf(), 'token 2');
  });

  it('forgets the tokens of a pod, also one that comes too late', async () => {
    await tokenOf();
    source.forget(POD.metadata.uid);
    assert.equal(await tokenOf(), 'token 2');
    source.forget(POD.metadata.uid);
    const late = tokenOf();
    source.forget(POD.metadata.uid);
    assert.equal(await late, 'token 3');
    assert.equal(await tokenOf(), 'token 4');
  });

  it('lets a caller leave without ending the request of the others', async () => {
    api.hang(CALL);
    const stop = new AbortController();
    const left = source.token(REQUEST, stop.signal);
    stop.abort();
    assert.deepEqual(await left, { ok: false, message: 'failed to fetch token: cancelled' });
  });

  it('never replaces a token that has no duration', async () => {
    api = new MemoryApiServer({
      clock,
      answerSubresource: () => ({ status: { token: 't', expirationTimestamp: '2030-01-01T00:00:00Z' } }),
    });
    source = new ApiTokenSource({ api, clock, random: () => 0, logger });
    const expiresAtMs = Date.UTC(2030, 0, 1);
    assert.deepEqual(await source.token(REQUEST), { ok: true, value: { token: 't', expiresAtMs } });
  });

  it('does not take an answer without a token for one', async () => {
    api = new MemoryApiServer({ clock, answerSubresource: () => ({ status: {} }) });
    source = new ApiTokenSource({ api, clock, random: () => 0, logger });
    assert.equal(await tokenOf(), 'failed to fetch token: the answer of the API server has no token');
  });
});

describe('computeTokenRefresh', () => {
  const DAY_MS = 24 * HOUR_MS;

  it('is 80 % of the life, or a day when that is less', () => {
    const at = (ttlMs: number, jitterMs = 0): number =>
      computeTokenRefresh({ expiresAtMs: ttlMs, ttlMs, gotAtMs: 0, jitterMs });
    assert.equal(at(HOUR_MS), 0.8 * HOUR_MS);
    assert.equal(at(HOUR_MS, 9000), 0.8 * HOUR_MS - 9000);
    assert.equal(at(30 * DAY_MS), DAY_MS);
  });

  it('is never at once, whatever the clock of the server', () => {
    const skewed = { expiresAtMs: 0, ttlMs: HOUR_MS, gotAtMs: DAY_MS, jitterMs: 0 };
    assert.equal(computeTokenRefresh(skewed), DAY_MS + 60_000);
  });
});

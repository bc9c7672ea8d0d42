import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { makeSandboxConfig } from '../../../test/fakes/runtime-configs.ts';
import { AgentError } from '../../base/errors.ts';
import type { PullCredential } from '../../core/image/registry-credential.ts';
import { SharedPulls } from './shared-pulls.ts';

const credential = (username: string, owner = 'a'): PullCredential => ({
  username,
  password: 'p',
  email: '',
  source: { kind: 'secret', uid: owner, namespace: 'n', name: owner },
});

/** A registry that lets in only `good`, and says to others what `complain` says. */
function setUp(complain: (username: string) => string = (username) => `${username} denied`, settings = {}) {
  const tried: string[] = [];
  const pulls = new SharedPulls({
    images: {
      pullImage: async (_image, options = {}) => {
        const { username = 'anonymous' } = options.credential ?? {};
        tried.push(username);
        await Promise.resolve();
        if (username !== 'good') throw new AgentError('unknown', complain(username));
        return 'id';
      },
    },
    clock: new FakeClock(),
    limits: { maxParallelPulls: 5, pullsPerSecond: 0, burst: 1, ...settings },
  });
  const pull = (credentials: readonly PullCredential[], image = 'app:1') =>
    pulls.pull({
      image,
      credentials,
      sandboxConfig: makeSandboxConfig('a'),
      label: 'a',
      signal: new AbortController().signal,
    });
  return { tried, pull };
}

describe('SharedPulls', () => {
  it('tries credentials in their order until one is good, and says which', async () => {
    const t = setUp();
    const answer = await t.pull(['bad', 'worse', 'good', 'never'].map((name) => credential(name)));
    assert.deepEqual([answer.imageId, answer.credentialIndex], ['id', 2]);
    assert.deepEqual(t.tried, ['bad', 'worse', 'good']);
  });

  it('without credentials the pull is anonymous; with some it never is', async () => {
    const t = setUp();
    await assert.rejects(t.pull([]), /^AgentError: anonymous denied$/);
    await assert.rejects(t.pull([credential('bad')]), /^AgentError: bad denied$/);
    assert.deepEqual(t.tried, ['anonymous', 'bad']);
  });

  it('reports every failure, equal texts once', async () => {
    const t = setUp();
    await assert.rejects(
      t.pull([credential('bad'), credential('worse')]),
      /^AgentError: \[bad denied, worse denied\]$/,
    );
    const same = setUp(() => 'denied');
    await assert.rejects(same.pull([credential('bad'), credential('worse')]), /^AgentError: denied$/);
  });

  it('one pull counts once against the rate, however many credentials it tries', async () => {
    const t = setUp(undefined, { pullsPerSecond: 1, burst: 1 });
    await t.pull([credential('bad'), credential('good')]);
    await assert.rejects(t.pull([credential('good')], 'other:1'), /pull QPS exceeded/);
  });

  const sharing: [what: string, PullCredential[], PullCredential[], shared: boolean][] = [
    ['the same secret', [credential('good')], [credential('good')], true],
    ['another secret with the same content', [credential('good', 'a')], [credential('good', 'b')], true],
    ['another user', [credential('good')], [credential('bad'), credential('good')], false],
    ['nothing', [credential('good')], [], false],
  ];
  for (const [what, first, second, shared] of sharing)
    it(`a pull is ${shared ? 'shared' : 'not shared'} with one who shows ${what}`, async () => {
      const t = setUp();
      await Promise.allSettled([t.pull(first), t.pull(second)]);
      assert.equal(t.tried.filter((name) => name === 'good').length, shared || second.length === 0 ? 1 : 2);
      assert.equal(t.tried.length, shared ? 1 : 1 + Math.max(1, second.length));
    });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { StorageCalls } from './storage-calls.ts';
import type { StorageMount } from './storage-mounts.ts';

/** `/<server>/…` is on that server's file system, everything below `/own` on the machine's. */
function toMount(path: string): StorageMount | undefined {
  const [, server = '', name = ''] = path.split('/');
  if (server === 'own') return undefined;
  const device = name.startsWith('export') ? `${server}-${name}` : server;
  return { path: `/${server}`, fsType: 'nfs', source: `${server}:/x`, device, server };
}

function setUp(widths = { own: 2, storage: 4, server: 2 }) {
  const clock = new FakeClock();
  const unmounted = new Set<string>();
  const isMounted = (device: string): boolean => !unmounted.has(device);
  const calls = new StorageCalls({ clock, widths, timeoutMs: 30_000, isMounted });
  const started: string[] = [];
  /** A call that answers when the test says so. */
  const hang = (path: string, discard?: (late: string) => void) => {
    const answer = Promise.withResolvers<string>();
    const run = () => {
      started.push(path);
      return answer.promise;
    };
    const result = calls.run({ verb: 'open', path, mount: toMount(path), run, discard });
    result.catch(() => {});
    return { result, answer: (text: string) => answer.resolve(text) };
  };
  return { clock, calls, started, hang, unmounted };
}

describe('StorageCalls', () => {
  it('hands on answers and failures, and leaves no timer', async () => {
    const { clock, calls } = setUp();
    const call = { verb: 'stat', path: '/own/a', mount: undefined };
    assert.equal(await calls.run({ ...call, run: async () => 7 }), 7);
    const failed = calls.run({ ...call, run: () => Promise.reject(new Error('ENOENT')) });
    await assert.rejects(failed, /ENOENT/);
    await clock.settle();
    assert.deepEqual([clock.pendingTimers, calls.underWay, calls.silent], [0, 0, []]);
  });

  it('has one timer for all calls, under way or waiting', async () => {
    const { clock, hang } = setUp();
    const all = Array.from({ length: 40 }, (_, index) => hang(`/${index % 2 ? 'own' : 'a'}/${index}`));
    await clock.settle();
    assert.equal(clock.pendingTimers, 1);
    for (const { answer } of all) answer('well');
    await Promise.all(all.map(({ result }) => result));
    await clock.settle();
    assert.equal(clock.pendingTimers, 0);
  });

  it('lets so many calls of a server be under way and no more; the others wait their turn', async () => {
    const { clock, started, hang } = setUp();
    const first = hang('/a/1');
    hang('/a/2');
    const third = hang('/a/3');
    await clock.settle();
    assert.deepEqual(started, ['/a/1', '/a/2']);
    first.answer('a');
    await clock.settle();
    assert.deepEqual(started, ['/a/1', '/a/2', '/a/3']);
    third.answer('c');
    assert.deepEqual([await first.result, await third.result], ['a', 'c']);
  });

  it('keeps one dead server from the places of others, and all servers from those of the machine', async () => {
    const { clock, started, hang } = setUp();
    const dead = Array.from({ length: 20 }, (_, index) => hang(`/dead/${index}`));
    const alive = hang('/alive/1');
    for (const server of ['dead2', 'dead3']) for (const name of ['1', '2']) hang(`/${server}/${name}`);
    hang('/own/1');
    await clock.settle();
    assert.deepEqual(started, ['/dead/0', '/dead/1', '/alive/1', '/dead2/1', '/own/1']);
    alive.answer('well');
    assert.equal(await alive.result, 'well');
    await clock.advance(30_000);
    for (const { result } of dead) await assert.rejects(result, { code: 'deadline-exceeded' });
    assert.equal(
      started.filter((path) => path.startsWith('/dead/')).length,
      2,
      'two threads for twenty calls',
    );
  });

  it('gives a call up in time, and tries nothing of its server again before it has come back', async () => {
    const { clock, calls, hang, started } = setUp();
    const late: string[] = [];
    const dead = hang('/dead/1', (value) => late.push(value));
    await clock.advance(30_000);
    await assert.rejects(dead.result, {
      code: 'deadline-exceeded',
      message:
        'cannot open "/dead/1": the file system nfs "dead:/x" at "/dead" does not answer: no answer within 30s',
    });
    await clock.advance(5_000);
    await assert.rejects(
      hang('/dead/2').result,
      /cannot open "\/dead\/2": the file system nfs "dead:\/x" at "\/dead" does not answer: an earlier call has waited for 35s/,
    );
    assert.deepEqual(started, ['/dead/1']);
    assert.deepEqual(calls.silent, [
      { name: 'nfs "dead:/x" at "/dead"', calls: 1, sinceMs: clock.steady() - 35_000 },
    ]);
    dead.answer('handle');
    await clock.settle();
    assert.deepEqual([calls.silent, late], [[], ['handle']], 'what comes too late is closed');
    const again = hang('/dead/2');
    again.answer('well');
    assert.equal(await again.result, 'well');
    await clock.settle();
    assert.equal(clock.pendingTimers, 0);
  });

  it('prints names that others have chosen as text', async () => {
    const { clock, calls } = setUp();
    const odd = { path: '/m\u009b2J', fsType: 'fuse', source: 'x\u001b[31m', device: 'd', server: 'd' };
    const call = calls.run({
      verb: 'stat',
      path: '/m\u009b2J/\u0007',
      mount: odd,
      run: () => new Promise(() => {}),
    });
    call.catch(() => {});
    await clock.advance(30_000);
    await assert.rejects(call, ({ message }: Error) => !/\p{Cc}/u.test(message));
    assert.doesNotMatch(calls.silent[0]?.name ?? '\0', /\p{Cc}/u);
  });

  it('on the machine itself avoids only the path that hangs', async () => {
    const { clock, hang } = setUp();
    hang('/own/odd');
    await clock.advance(30_000);
    await assert.rejects(hang('/own/odd').result, /the file system of "\/own\/odd" does not answer/);
    const other = hang('/own/other');
    other.answer('well');
    assert.equal(await other.result, 'well');
  });

  it('counts the time of an answer from the start of the call, not from its turn in the queue', async () => {
    const { clock, calls, hang } = setUp({ own: 1, storage: 1, server: 1 });
    const first = hang('/slow/1');
    const second = hang('/slow/2');
    await clock.advance(29_000);
    first.answer('first');
    await clock.advance(29_000);
    second.answer('second');
    assert.deepEqual([await first.result, await second.result, calls.silent], ['first', 'second', []]);
  });

  it('names what hangs to those that get no turn', async () => {
    const { clock, started, hang } = setUp({ own: 1, storage: 1, server: 1 });
    hang('/dead/1');
    await clock.advance(10_000);
    const waiting = hang('/b/1');
    await clock.advance(30_000);
    await assert.rejects(
      waiting.result,
      /cannot open "\/b\/1": no place for it within 30s: all are taken by nfs "dead:\/x" at "\/dead"/,
    );
    assert.deepEqual(started, ['/dead/1']);
  });

  it('trusts a server again after its first answer, though another call is lost', async () => {
    const { clock, calls, hang, started } = setUp();
    const [first, lost] = [hang('/a/1'), hang('/a/2')];
    await clock.advance(30_000);
    await assert.rejects(lost.result);
    first.answer('late');
    await clock.settle();
    assert.deepEqual([calls.silent, calls.underWay], [[], 1]);
    const next = [hang('/a/3'), hang('/a/4')];
    await clock.settle();
    assert.deepEqual(started, ['/a/1', '/a/2', '/a/3'], 'the lost call still holds its thread');
    next[0]?.answer('well');
    assert.equal(await next[0]?.result, 'well');
  });

  it('does not avoid a server because of a file system that is no longer mounted', async () => {
    const { clock, hang, unmounted, started } = setUp();
    for (const name of ['1', '2']) hang(`/a/export/${name}`);
    await clock.advance(30_000);
    await assert.rejects(hang('/a/other').result, /does not answer/);
    unmounted.add('a-export');
    const next = hang('/a/other');
    await clock.settle();
    assert.deepEqual(started, ['/a/export/1', '/a/export/2', '/a/other']);
    next.answer('well');
    assert.equal(await next.result, 'well');
  });

  it('lets go of all calls at servers when the agent ends', async () => {
    const { clock, calls, hang, started } = setUp();
    const dead = ['1', '2', '3'].map((name) => hang(`/dead/${name}`));
    const own = hang('/own/1');
    await clock.settle();
    calls.abandon();
    for (const { result } of dead) await assert.rejects(result, /does not answer/);
    own.answer('well');
    assert.equal(await own.result, 'well');
    await clock.settle();
    assert.deepEqual([started.length, clock.pendingTimers, calls.underWay], [3, 0, 2]);
  });

  it('lets go of a call that has its turn and was not started', async () => {
    const { clock, calls, hang, started } = setUp({ own: 1, storage: 1, server: 1 });
    const [first, second] = [hang('/a/1'), hang('/a/2')];
    first.answer('first');
    await first.result;
    calls.abandon();
    await assert.rejects(second.result, /does not answer/);
    await clock.settle();
    assert.deepEqual([started, calls.underWay, clock.pendingTimers], [['/a/1'], 0, 0]);
  });

  it('reports when something falls silent and when it answers again', async () => {
    const { clock, calls, hang } = setUp();
    const reported: number[] = [];
    using _listening = calls.onChange(() => reported.push(calls.silent.length));
    const dead = hang('/dead/1');
    await clock.advance(30_000);
    dead.answer('late');
    await clock.settle();
    assert.deepEqual(reported, [1, 0]);
  });
});

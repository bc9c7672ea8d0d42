import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgentErrorCode } from '../../src/base/errors.ts';
import { hasCode } from '../../src/base/errors.ts';
import type { ContainerConfig } from '../../src/core/model/container-config.ts';
import type { ContainerId, SandboxId } from '../../src/core/model/ids.ts';
import type { RuntimeEvent } from '../../src/ports/runtime/container-runtime.ts';
import { AgentLife } from './agent-life.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeRuntime } from './fake-runtime.ts';
import type { FakeRuntimeConnection } from './fake-runtime-connection.ts';
import type { FakeRuntimeOptions } from './fake-runtime-core.ts';
import { makeContainerConfig, makeSandboxConfig } from './runtime-configs.ts';

/** A runtime on virtual time and one sandbox in it. */
class Bench {
  readonly clock = new FakeClock({ startMs: 1_000_000 });
  readonly runtime: FakeRuntime;
  readonly sandboxConfig = makeSandboxConfig('u1');

  constructor(options: FakeRuntimeOptions = {}) {
    this.runtime = new FakeRuntime(this.clock, options);
  }

  finish<T>(work: Promise<T>): Promise<T> {
    return this.clock.finish(work);
  }

  async fails(code: AgentErrorCode, work: Promise<unknown>): Promise<void> {
    await assert.rejects(this.finish(work), (error) => {
      assert.ok(hasCode(error, code), `expected ${code}, got ${String(error)}`);
      return true;
    });
  }

  sandbox(): Promise<SandboxId> {
    return this.finish(this.runtime.runSandbox(this.sandboxConfig, ''));
  }

  /** The call alone; only one of `finish` and `fails` may drive the clock. */
  creating(sandbox: SandboxId, image: string, changes: Partial<ContainerConfig> = {}): Promise<ContainerId> {
    this.runtime.imageStore.add(image);
    const config = makeContainerConfig('main', image, changes);
    return this.runtime.createContainer(sandbox, config, this.sandboxConfig);
  }

  create(sandbox: SandboxId, image: string, changes: Partial<ContainerConfig> = {}): Promise<ContainerId> {
    return this.finish(this.creating(sandbox, image, changes));
  }

  async start(image: string): Promise<ContainerId> {
    const sandboxes = this.runtime.sandboxesOf('u1').filter((sandbox) => sandbox.ready);
    const id = await this.create(sandboxes[0]?.id ?? (await this.sandbox()), image);
    await this.finish(this.runtime.startContainer(id));
    return id;
  }

  async detailsOf(id: ContainerId) {
    const status = await this.finish(this.runtime.containerStatus(id));
    assert.ok(status?.details);
    return { state: status.state, ...status.details };
  }
}

describe('FakeRuntime names and states', () => {
  it('reserves a sandbox name until removal, also while the call is under way', async () => {
    const bench = new Bench();
    const first = bench.runtime.runSandbox(bench.sandboxConfig, '');
    await bench.fails('failed-precondition', bench.runtime.runSandbox(bench.sandboxConfig, ''));
    const id = await bench.finish(first);
    await bench.finish(bench.runtime.stopSandbox(id));
    await bench.fails('failed-precondition', bench.runtime.runSandbox(bench.sandboxConfig, ''));
    await bench.finish(bench.runtime.runSandbox({ ...bench.sandboxConfig, attempt: 1 }, ''));
    await bench.finish(bench.runtime.removeSandbox(id));
    assert.notEqual(await bench.sandbox(), id);
  });

  it('reserves a container name per attempt and releases it when creation fails', async () => {
    const bench = new Bench();
    const sandbox = await bench.sandbox();
    const config = makeContainerConfig('main', 'absent');
    await bench.fails('not-found', bench.runtime.createContainer(sandbox, config, bench.sandboxConfig));
    await bench.create(sandbox, 'absent');
    await bench.fails('failed-precondition', bench.creating(sandbox, 'absent'));
    await bench.create(sandbox, 'absent', { attempt: 1 });
  });

  it('neither creates nor starts containers in a sandbox that is not ready', async () => {
    const bench = new Bench();
    const sandbox = await bench.sandbox();
    const created = await bench.create(sandbox, 'web');
    await bench.finish(bench.runtime.stopSandbox(sandbox));
    await bench.fails('unknown', bench.creating(sandbox, 'web', { attempt: 1 }));
    await bench.fails('unknown', bench.runtime.startContainer(created));
    assert.equal((await bench.detailsOf(created)).state, 'created');
    assert.deepEqual(bench.runtime.sandboxesOf('u1')[0]?.ips, []);
  });

  it('creates, but does not start, in a stopped sandbox when asked to be like containerd 2.1', async () => {
    const bench = new Bench({ createsInStoppedSandbox: true, nameReservedCode: 'unknown' });
    const sandbox = await bench.sandbox();
    await bench.finish(bench.runtime.stopSandbox(sandbox));
    const created = await bench.create(sandbox, 'web');
    await bench.fails('unknown', bench.runtime.startContainer(created));
    await bench.fails('unknown', bench.creating(sandbox, 'web'));
  });

  it('does not start a container twice', async () => {
    const bench = new Bench();
    const id = await bench.start('web');
    await bench.fails('unknown', bench.runtime.startContainer(id));
    assert.equal((await bench.detailsOf(id)).state, 'running');
  });

  it('a program that cannot be started leaves an ended container with code 128', async () => {
    const bench = new Bench();
    const id = await bench.create(await bench.sandbox(), 'start-error');
    await bench.fails('unknown', bench.runtime.startContainer(id));
    const { state, exitCode, reason, startedAtMs } = await bench.detailsOf(id);
    assert.deepEqual([state, exitCode, reason, startedAtMs], ['exited', 128, 'StartError', undefined]);
  });

  it('time stamps strictly increase and addresses differ', async () => {
    const bench = new Bench({ latencyMs: { runSandbox: 0 } });
    const ids = Array.from({ length: 5 }, (_, n) =>
      bench.runtime.runSandbox({ ...bench.sandboxConfig, attempt: n }, ''),
    );
    await bench.finish(Promise.all(ids));
    const sandboxes = bench.runtime.sandboxesOf('u1');
    assert.equal(new Set(sandboxes.map((sandbox) => sandbox.ips[0])).size, 5);
    for (const [index, sandbox] of sandboxes.entries())
      assert.ok(index === 0 || sandbox.createdAtMs > (sandboxes[index - 1]?.createdAtMs ?? 0));
  });
});

describe('FakeRuntime processes', () => {
  it('ends a scripted container at its time with its code', async () => {
    const bench = new Bench();
    const id = await bench.start('exit:3-500');
    await bench.clock.advance(400);
    assert.equal((await bench.detailsOf(id)).state, 'running');
    await bench.clock.advance(100);
    const { state, exitCode, reason, startedAtMs, finishedAtMs } = await bench.detailsOf(id);
    assert.deepEqual([state, exitCode, reason], ['exited', 3, 'Error']);
    assert.equal((finishedAtMs ?? 0) - (startedAtMs ?? 0), 500);
  });

  const stops: readonly (readonly [image: string, grace: number, code: number, tookMs: number])[] = [
    ['web', 30, 143, 0],
    ['term:700', 30, 143, 700],
    ['term:700-9', 30, 9, 700],
    ['term:5000', 2, 137, 2000],
    ['ignore-term', 2, 137, 2000],
    ['web', 0, 137, 0],
  ];
  for (const [image, grace, code, tookMs] of stops)
    it(`stopping ${image} with ${grace} s of grace exits with ${code} after ${tookMs} ms`, async () => {
      const bench = new Bench({ latencyMs: { stopContainer: 0 } });
      const id = await bench.start(image);
      const beforeMs = bench.clock.now();
      await bench.finish(bench.runtime.stopContainer(id, grace));
      assert.equal(bench.clock.now() - beforeMs, tookMs);
      assert.equal((await bench.detailsOf(id)).exitCode, code);
      assert.equal(bench.clock.pendingTimers, 0);
    });

  it('stopping or removing the sandbox kills its containers', async () => {
    const bench = new Bench();
    const id = await bench.start('ignore-term');
    const sandbox = bench.runtime.sandboxesOf('u1')[0];
    assert.ok(sandbox);
    await bench.finish(bench.runtime.stopSandbox(sandbox.id));
    assert.equal((await bench.detailsOf(id)).exitCode, 137);
    await bench.finish(bench.runtime.removeSandbox(sandbox.id));
    assert.equal(await bench.finish(bench.runtime.containerStatus(id)), undefined);
  });

  it('removing a running container forces its end', async () => {
    const bench = new Bench();
    const id = await bench.start('exit:0-9000');
    await bench.finish(bench.runtime.removeContainer(id));
    assert.deepEqual(bench.runtime.containersOf('u1'), []);
    assert.deepEqual(
      bench.runtime.history.filter(({ event }) => event.id === id).map(({ event }) => event.kind),
      ['created', 'started', 'stopped', 'deleted'],
    );
    assert.equal(bench.clock.pendingTimers, 0);
  });
});

describe('FakeRuntime images', () => {
  it('pulls what exists, refuses what is missing or private, and knows both names of one image', async () => {
    const bench = new Bench({ images: ['present:1'] });
    const { runtime } = bench;
    assert.ok(await bench.finish(runtime.imageStatus('docker.io/library/present:1')));
    assert.equal(await bench.finish(runtime.imageStatus('web')), undefined);
    const beforeMs = bench.clock.now();
    const id = await bench.finish(runtime.pullImage('web'));
    assert.equal(bench.clock.now() - beforeMs, 200);
    assert.equal((await bench.finish(runtime.imageStatus('web:latest')))?.id, id);
    assert.equal((await bench.finish(runtime.imageStatus(id)))?.id, id);
    await bench.fails('not-found', runtime.pullImage('missing/web'));
    await bench.fails('permission-denied', runtime.pullImage('private/web'));
    await bench.finish(runtime.pullImage('private/web', { credential: { username: 'u' } }));
    await bench.finish(runtime.removeImage('web'));
    assert.equal(await bench.finish(runtime.imageStatus('web')), undefined);
  });
});

describe('FakeRuntime faults', () => {
  it('an injected error happens before the effect, as often as asked', async () => {
    const bench = new Bench();
    const fault = bench.runtime.faults.add({ op: 'runSandbox', error: 'resource-exhausted', times: 2 });
    for (let i = 0; i < 2; i++)
      await bench.fails('resource-exhausted', bench.runtime.runSandbox(bench.sandboxConfig, ''));
    await bench.sandbox();
    assert.equal(fault.hits, 2);
    assert.equal(bench.runtime.sandboxesOf('u1').length, 1);
  });

  it('a lost reply leaves the effect behind', async () => {
    const bench = new Bench();
    bench.runtime.faults.add({ op: 'runSandbox', error: 'unavailable', afterEffect: true, times: 1 });
    await bench.fails('unavailable', bench.runtime.runSandbox(bench.sandboxConfig, ''));
    assert.equal(bench.runtime.sandboxesOf('u1').length, 1);
    await bench.fails('failed-precondition', bench.runtime.runSandbox(bench.sandboxConfig, ''));
  });

  it('rules pick by pod and container, others are not touched', async () => {
    const bench = new Bench();
    bench.runtime.faults.add({ podUid: 'u2', error: 'unknown' });
    bench.runtime.faults.add({ containerName: 'main', op: ['startContainer'], latencyMs: 1000 });
    const beforeMs = bench.clock.now();
    await bench.start('web');
    assert.equal(bench.clock.now() - beforeMs, 100 + 20 + 40 + 1000);
    await bench.fails('unknown', bench.runtime.runSandbox(makeSandboxConfig('u2'), ''));
  });

  it('a hanging call ends by release, abort or deadline, and delays no other call', async () => {
    const bench = new Bench({ callDeadlineMs: 5000 });
    const fault = bench.runtime.faults.add({ op: 'runSandbox', podUid: 'u1', hang: true });
    await bench.fails('deadline-exceeded', bench.runtime.runSandbox(bench.sandboxConfig, ''));

    const abort = new AbortController();
    const aborted = bench.runtime.runSandbox(bench.sandboxConfig, '', { signal: abort.signal });
    await bench.finish(bench.runtime.runSandbox(makeSandboxConfig('u2'), ''));
    abort.abort();
    await bench.fails('cancelled', aborted);
    assert.equal(bench.runtime.sandboxesOf('u1').length, 0);

    const released = bench.runtime.runSandbox(bench.sandboxConfig, '');
    await bench.clock.advance(1000);
    fault.release();
    await bench.finish(released);
    assert.equal(bench.runtime.sandboxesOf('u1').length, 1);
    assert.equal(bench.clock.pendingTimers, 0);
  });

  it('an aborted call may still take effect', async () => {
    const bench = new Bench();
    bench.runtime.faults.abortedEffectChance = 1;
    const abort = new AbortController();
    const call = bench.runtime.runSandbox(bench.sandboxConfig, '', { signal: abort.signal });
    abort.abort();
    await bench.fails('cancelled', call);
    assert.equal(bench.runtime.sandboxesOf('u1').length, 1);
  });

  it('a restart of the runtime breaks calls and streams but not containers', async () => {
    const bench = new Bench();
    const id = await bench.start('web');
    const stream = assert.rejects(
      bench.runtime.watchEvents(() => {}, { signal: new AbortController().signal }),
      (error) => hasCode(error, 'unavailable'),
    );
    await bench.clock.advance(10);
    assert.equal(bench.runtime.openStreams, 1);
    const pull = bench.runtime.pullImage('other');
    await bench.clock.settle();
    bench.runtime.restartRuntime(1000);
    await bench.fails('unavailable', pull);
    await stream;
    await bench.fails('unavailable', bench.runtime.version());
    assert.equal(bench.runtime.openStreams, 0);
    await bench.clock.advance(1000);
    assert.equal((await bench.detailsOf(id)).state, 'running');
  });

  it('the log has begin and end of every call with its pod and outcome', async () => {
    const bench = new Bench();
    const sandbox = await bench.sandbox();
    bench.runtime.faults.add({ op: 'stopSandbox', error: 'unavailable', times: 1 });
    await bench.fails('unavailable', bench.runtime.stopSandbox(sandbox));
    assert.deepEqual(bench.runtime.log, [
      { atMs: 1_000_000, op: 'runSandbox', podUid: 'u1', phase: 'begin' },
      { atMs: 1_000_100, op: 'runSandbox', podUid: 'u1', id: sandbox, phase: 'end' },
      { atMs: 1_000_100, op: 'stopSandbox', podUid: 'u1', id: sandbox, phase: 'begin' },
      { atMs: 1_000_120, op: 'stopSandbox', podUid: 'u1', id: sandbox, phase: 'end', error: 'unavailable' },
    ]);
  });
});

describe('FakeRuntime events', () => {
  async function eventsOf(bench: Bench, work: () => Promise<unknown>): Promise<RuntimeEvent[]> {
    const events: RuntimeEvent[] = [];
    const abort = new AbortController();
    const watching = bench.runtime.watchEvents((event) => events.push(event), { signal: abort.signal });
    await bench.clock.advance(10);
    await work();
    await bench.clock.advance(10);
    abort.abort();
    await bench.finish(watching);
    assert.equal(bench.runtime.openStreams, 0);
    return events;
  }

  it('are delivered in order with the pod they are about', async () => {
    const bench = new Bench();
    const events = await eventsOf(bench, async () => {
      await bench.start('exit:0');
      await bench.finish(bench.runtime.removeSandbox(bench.runtime.sandboxesOf('u1')[0]?.id as SandboxId));
    });
    assert.ok(events.every((event) => event.podUid === 'u1'));
    assert.equal(
      events.map((event) => event.kind).join(' '),
      'created started created started stopped stopped deleted deleted',
    );
  });

  it('are lost by chance, but the history has them', async () => {
    const bench = new Bench({ seed: 3 });
    bench.runtime.faults.lostEventChance = 0.5;
    const events = await eventsOf(bench, async () => {
      for (let attempt = 0; attempt < 20; attempt++)
        await bench.finish(bench.runtime.runSandbox({ ...bench.sandboxConfig, attempt }, ''));
    });
    assert.equal(bench.runtime.history.length, 40);
    assert.ok(events.length > 8 && events.length < 32, `${events.length} of 40`);
  });
});

describe('FakeRuntime and the death of the agent', () => {
  function connectTo(bench: Bench): { life: AgentLife; connection: FakeRuntimeConnection } {
    const life = new AgentLife();
    return { life, connection: bench.runtime.connect(life) };
  }

  for (const mode of ['complete', 'vanish'] as const)
    it(`calls in flight ${mode} when asked to, and never reply`, async () => {
      const bench = new Bench();
      const { life, connection } = connectTo(bench);
      let replied = false;
      const reply = (): void => {
        replied = true;
      };
      connection.runSandbox(bench.sandboxConfig, '').then(reply, reply);
      await bench.clock.advance(10);
      life.kill(mode);
      connection.runSandbox(makeSandboxConfig('ghost'), '').then(reply, reply);
      await bench.clock.advance(1000);
      assert.equal(replied, false);
      assert.equal(bench.runtime.sandboxesOf('u1').length, mode === 'complete' ? 1 : 0);
      assert.deepEqual(bench.runtime.sandboxesOf('ghost'), []);
      assert.equal(bench.clock.pendingTimers, 0);
      // The next agent finds the machine as it was left.
      const next = bench.finish(bench.runtime.connect(new AgentLife()).listSandboxes());
      assert.equal((await next).length, mode === 'complete' ? 1 : 0);
    });

  it('its event stream goes silent and is closed', async () => {
    const bench = new Bench();
    const { life, connection } = connectTo(bench);
    void connection.watchEvents(() => assert.fail('heard by a dead agent'), {
      signal: new AbortController().signal,
    });
    await bench.clock.advance(10);
    assert.equal(bench.runtime.openStreams, 1);
    life.kill();
    await bench.sandbox();
    await bench.clock.advance(10);
    assert.equal(bench.runtime.openStreams, 0);
  });
});

describe('FakeRuntime determinism', () => {
  it('the same seed repeats ids, faults and times exactly; another seed does not', async () => {
    const runOf = async (seed: number): Promise<string> => {
      const bench = new Bench({ seed, jitter: 0.5 });
      bench.runtime.faults.add({ chance: 0.3, error: 'unavailable' });
      const pods = Array.from({ length: 10 }, (_, n) =>
        bench.runtime.runSandbox(makeSandboxConfig(`p${n}`), '').catch(() => 'failed'),
      );
      await bench.finish(Promise.all(pods));
      return JSON.stringify([bench.runtime.log, bench.runtime.history]);
    };
    assert.equal(await runOf(1), await runOf(1));
    assert.notEqual(await runOf(1), await runOf(2));
  });
});

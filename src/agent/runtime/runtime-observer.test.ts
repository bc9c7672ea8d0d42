import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeRuntime } from '../../../test/fakes/fake-runtime.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { makeContainerConfig, makeSandboxConfig } from '../../../test/fakes/runtime-configs.ts';
import { sandbox } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import { type ContainerId, toPodUid, toSandboxId } from '../../core/model/ids.ts';
import { noMeter } from '../../ports/agent-meter.ts';
import type { RuntimeEvent, RuntimeReader } from '../../ports/runtime/container-runtime.ts';
import { RuntimeObserver } from './runtime-observer.ts';

const A = toPodUid('a');
const none = new AbortController().signal;

function observe(clock: FakeClock, reader: RuntimeReader, relistMs?: number) {
  const logger = new RecordingLogger();
  const changed: string[] = [];
  const seen = { relists: 0, metered: 0 };
  const opened: (number | undefined)[] = [];
  const observer = new RuntimeObserver({
    kit: {
      clock,
      logger,
      meter: { ...noMeter, relisted: () => void seen.metered++, eventsOpened: (ms) => void opened.push(ms) },
    },
    reader,
    ...(relistMs !== undefined && { relistMs }),
    onPodChanged: (uid) => changed.push(uid),
    onRelist: () => seen.relists++,
  });
  const stop = new AbortController();
  const start = (): Promise<void> => observer.run(stop.signal);
  return { observer, logger, changed, seen, opened, stop, start };
}

function setUp({ relistMs, ...options }: { events?: boolean; relistMs?: number } = {}) {
  const clock = new FakeClock();
  const runtime = new FakeRuntime(clock, { images: ['app:1'], ...options });
  const seenBy = observe(clock, runtime, relistMs);
  const count = (op: string): number =>
    runtime.log.filter((entry) => entry.op === op && entry.phase === 'begin').length;
  const addPod = async (uid: string): Promise<ContainerId> => {
    const config = makeSandboxConfig(uid);
    const id = await clock.finish(runtime.runSandbox(config, ''));
    const container = await clock.finish(
      runtime.createContainer(
        id,
        makeContainerConfig('main', 'app:1', { labels: { 'io.kubernetes.pod.uid': uid } }),
        config,
      ),
    );
    await clock.finish(runtime.startContainer(container));
    return container;
  };
  const read = () => clock.finish(seenBy.observer.readPod(A, none, 'a'));
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    running = seenBy.start();
    await clock.advance(50);
  };
  const end = async (): Promise<void> => {
    seenBy.stop.abort();
    await clock.finish(running ?? Promise.resolve());
    assert.equal(clock.pendingTimers, 0, 'no timer is left');
    assert.equal(runtime.openStreams, 0, 'no stream is left');
  };
  return { clock, runtime, ...seenBy, count, addPod, read, run, end };
}

describe('RuntimeObserver', () => {
  it('relists at once and reports when; before that nothing is known', async () => {
    const t = setUp();
    await t.addPod('a');
    assert.equal(t.observer.lastRelistMs, undefined);
    assert.equal(t.observer.listed.size, 0);
    const startMs = t.clock.steady();
    await t.run();
    assert.ok((t.observer.lastRelistMs ?? 0) >= startMs);
    assert.deepEqual([...t.observer.listed.keys()], ['a']);
    assert.deepEqual(t.changed, ['a']);
    assert.equal(t.seen.metered, t.seen.relists);
    assert.equal(t.opened.length, 1);
    assert.notEqual(t.opened[0], undefined);
    await t.end();
  });

  it('is a problem of the node once the runtime could not be listed for three minutes', async () => {
    const t = setUp();
    await t.run();
    assert.equal(t.observer.problem, undefined);
    const lastMs = t.observer.lastRelistMs ?? 0;
    t.runtime.faults.down = true;
    await t.clock.advance(lastMs + 180_000 - t.clock.steady());
    assert.equal(t.observer.problem, undefined);
    await t.clock.advance(1_500);
    assert.equal(
      t.observer.problem,
      'PLEG is not healthy: pleg was last seen active 3m1s ago; threshold is 3m0s',
    );
    t.runtime.faults.down = false;
    await t.clock.advance(5_000);
    assert.equal(t.observer.problem, undefined);
    await t.end();
  });

  it('is no problem because the clock was set ahead', async () => {
    const t = setUp();
    await t.run();
    t.clock.setBy(5 * 3_600_000);
    assert.equal(t.observer.problem, undefined);
    await t.end();
  });

  it('says when the runtime was never listed at all', async () => {
    const t = setUp();
    t.runtime.faults.down = true;
    await t.run();
    assert.equal(t.observer.problem, undefined, 'a start is no flip of readiness');
    await t.clock.advance(180_001);
    assert.equal(t.observer.problem, 'PLEG is not healthy: pleg has yet to be successful');
    await t.end();
  });

  it('an event wakes its pod at once, and no relist follows', async () => {
    const t = setUp();
    await t.addPod('a');
    await t.run();
    assert.equal(t.observer.hasEvents, true);
    const relists = t.seen.relists;
    t.changed.length = 0;
    const [container] = t.runtime.containersOf('a');
    assert.ok(container);
    t.runtime.exitContainer(container, 1);
    await t.clock.advance(20);
    assert.deepEqual([...new Set(t.changed)], ['a']);
    await t.clock.advance(30_000);
    assert.equal(t.seen.relists, relists);
    await t.end();
  });

  it('a lost event is found by the next relist, within a minute', async () => {
    const t = setUp();
    await t.addPod('a');
    await t.run();
    t.changed.length = 0;
    t.runtime.faults.lostEventChance = 1;
    const [container] = t.runtime.containersOf('a');
    assert.ok(container);
    t.runtime.exitContainer(container, 1);
    await t.clock.advance(1_000);
    assert.deepEqual(t.changed, []);
    await t.clock.advance(60_000);
    assert.deepEqual(t.changed, ['a']);
    await t.end();
  });

  it('relists as often as it is asked to, but not more than once a second, nor less than once a minute', async () => {
    for (const [relistMs, perMinute] of [
      [10_000, 6],
      [1, 60],
      [3_600_000, 1],
    ] as const) {
      const t = setUp({ relistMs });
      await t.run();
      const before = t.seen.relists;
      await t.clock.advance(60_000);
      const count = t.seen.relists - before;
      // A list takes its time, too.
      assert.ok(count <= perMinute && count >= perMinute - 1, `${relistMs} ms: ${count}`);
      assert.ok(count > 0);
      await t.end();
    }
  });

  it('a relist reports only pods that differ, also one that is gone', async () => {
    const t = setUp();
    const container = await t.addPod('a');
    await t.addPod('b');
    await t.run();
    t.changed.length = 0;
    t.runtime.faults.lostEventChance = 1;
    await t.clock.advance(61_000);
    assert.deepEqual(t.changed, []);
    await t.clock.finish(t.runtime.stopContainer(container, 0));
    await t.clock.finish(t.runtime.removeContainer(container));
    const [gone] = t.runtime.sandboxesOf('a');
    assert.ok(gone);
    await t.clock.finish(t.runtime.stopSandbox(gone.id));
    await t.clock.finish(t.runtime.removeSandbox(gone.id));
    await t.clock.advance(61_000);
    assert.deepEqual(t.changed, ['a']);
    assert.deepEqual([...t.observer.listed.keys()], ['b']);
    await t.end();
  });

  it('a relist does not report what was read since the last one', async () => {
    const t = setUp();
    await t.run();
    const container = await t.addPod('a');
    await t.read();
    const relists = t.seen.relists;
    t.changed.length = 0;
    await t.clock.advance(60_000);
    assert.deepEqual([t.seen.relists, t.changed], [relists + 1, []]);
    await t.clock.finish(t.runtime.stopContainer(container, 0));
    t.changed.length = 0;
    await t.clock.advance(60_000);
    assert.deepEqual([t.seen.relists, t.changed], [relists + 2, ['a']]);
    await t.end();
  });

  it('what happened while the stream was broken is found when it breaks and when it is back', async () => {
    const t = setUp();
    await t.addPod('a');
    await t.run();
    const relists = t.seen.relists;
    t.runtime.breakEventStreams();
    await t.clock.advance(100);
    assert.equal(t.observer.hasEvents, false);
    assert.ok(t.seen.relists > relists);
    t.changed.length = 0;
    const [container] = t.runtime.containersOf('a');
    assert.ok(container);
    t.runtime.exitContainer(container, 1);
    await t.clock.advance(1_500);
    assert.equal(t.observer.hasEvents, true);
    assert.deepEqual(t.changed, ['a']);
    await t.end();
  });

  it('without events it relists often while things move and seldom when they rest', async () => {
    const t = setUp({ events: false });
    await t.run();
    assert.equal(t.observer.hasEvents, false);
    await t.clock.advance(10_000);
    const atRest = t.seen.relists;
    await t.clock.advance(10_000);
    const perTen = t.seen.relists - atRest;
    assert.ok(perTen >= 9 && perTen <= 10, `${perTen} relists in 10 s at rest`);
    await t.addPod('a');
    await t.clock.advance(1_000);
    const moving = t.seen.relists;
    const [container] = t.runtime.containersOf('a');
    assert.ok(container);
    t.runtime.exitContainer(container, 1);
    await t.clock.advance(1_010);
    t.changed.length = 0;
    await t.clock.advance(300);
    assert.ok(t.seen.relists - moving >= 2, 'one finds the change, the next comes soon after');
    await t.end();
  });

  it('retries an unreachable runtime every second, and logs one line when it goes and one when it returns', async () => {
    const t = setUp();
    await t.run();
    t.logger.lines.length = 0;
    t.runtime.restartRuntime(5_500);
    await t.clock.advance(5_000);
    assert.equal(t.logger.messages('error').length, 1);
    const lastMs = t.observer.lastRelistMs;
    await t.clock.advance(3_000);
    assert.ok((t.observer.lastRelistMs ?? 0) > (lastMs ?? 0));
    assert.equal(t.logger.messages('info').filter((text) => text === 'runtime reachable again').length, 1);
    assert.equal(t.observer.hasEvents, true);
    await t.end();
  });
});

describe('RuntimeObserver.lastReadings', () => {
  const countOf = ({ observer }: ReturnType<typeof setUp>): number[] =>
    [...observer.lastReadings()].map(({ containers }) => [...containers].length);

  it('has a pod that came after the last relist, once it was read, and one that was only listed', async () => {
    const node = setUp({ events: true });
    await node.addPod('b');
    await node.run();
    assert.deepEqual(countOf(node), [1]);
    await node.addPod('a');
    await node.read();
    assert.deepEqual(countOf(node), [1, 1]);
    node.observer.podGone({ uid: A });
    assert.deepEqual(countOf(node), [1]);
    await node.end();
  });
});

describe('RuntimeObserver.readPod', () => {
  it('reads lists each time, and a status only when the state is another', async () => {
    const t = setUp();
    await t.addPod('a');
    const first = await t.read();
    assert.deepEqual(
      [first.sandboxes.length, first.containers[0]?.state, first.containers[0]?.details !== undefined],
      [1, 'running', true],
    );
    await t.read();
    assert.deepEqual(
      [t.count('listContainers'), t.count('containerStatus'), t.count('sandboxStatus')],
      [2, 1, 1],
    );
    const [container] = t.runtime.containersOf('a');
    assert.ok(container);
    t.runtime.exitContainer(container, 3);
    const ended = await t.read();
    assert.deepEqual([ended.containers[0]?.state, ended.containers[0]?.details?.exitCode], ['exited', 3]);
    assert.deepEqual([t.count('containerStatus'), t.count('sandboxStatus')], [2, 1]);
  });

  it('remembers nothing of a pod that was forgotten', async () => {
    const t = setUp();
    await t.addPod('a');
    await t.run();
    await t.read();
    t.observer.podGone({ uid: A });
    assert.equal(t.observer.listed.has(A), false);
    await t.read();
    assert.equal(t.count('containerStatus'), 2);
    await t.end();
  });

  it('what is gone between list and status is not there', async () => {
    const t = setUp();
    const container = await t.addPod('a');
    t.runtime.faults.add({ op: 'containerStatus', latencyMs: 1_000 });
    const reading = t.observer.readPod(A, none, 'a');
    await t.clock.advance(10);
    t.runtime.machine.containers.delete(container);
    assert.deepEqual((await t.clock.finish(reading)).containers, []);
  });

  it('rejects when the runtime cannot say', async () => {
    const t = setUp();
    await t.addPod('a');
    t.runtime.faults.add({ op: 'containerStatus', error: 'unavailable', times: 1 });
    await assert.rejects(t.read());
    assert.equal((await t.read()).containers.length, 1);
  });

  it('asks again for the address of a ready sandbox that has none yet', async () => {
    const clock = new FakeClock();
    let asked = 0;
    const bare = sandbox({ id: toSandboxId('s'), podUid: A });
    const reader = {
      listSandboxes: async () => [bare],
      listContainers: async () => [],
      sandboxStatus: async () => ({
        ...bare,
        network: { mode: 'pod', reported: true, ips: ++asked < 3 ? [] : ['10.0.0.9'] },
      }),
    } as unknown as RuntimeReader;
    const { observer } = observe(clock, reader);
    for (let n = 0; n < 5; n++) await observer.readPod(A, none, 'a');
    assert.equal(asked, 3);
    assert.deepEqual((await observer.readPod(A, none, 'a')).sandboxes[0]?.network?.ips, ['10.0.0.9']);
  });
});

describe('RuntimeObserver with a runtime that says little', () => {
  /** The test plays the runtime: it opens the stream and answers lists by hand. */
  function scripted() {
    const clock = new FakeClock();
    const lists: (() => void)[] = [];
    const stream: { open?: () => void; send?: (event: RuntimeEvent) => void; fail?: (error: Error) => void } =
      {};
    const list = (): Promise<never[]> => new Promise((resolve) => lists.push(() => resolve([])));
    const reader = {
      listSandboxes: list,
      listContainers: list,
      sandboxStatus: async () => undefined,
      watchEvents: (
        onEvent: (event: RuntimeEvent) => void,
        { signal, onOpen }: { signal: AbortSignal; onOpen?: () => void },
      ) =>
        new Promise<void>((resolve, reject) => {
          Object.assign(stream, { open: onOpen, send: onEvent, fail: reject });
          signal.addEventListener('abort', () => resolve());
        }),
    } as unknown as RuntimeReader;
    const answer = async (): Promise<void> => {
      for (const one of lists.splice(0)) one();
      await clock.settle();
    };
    return { clock, lists, stream, answer, ...observe(clock, reader) };
  }

  it('a stream that opens while a list is under way has it listed again: the list may be from before', async () => {
    const t = scripted();
    const running = t.start();
    await t.clock.settle();
    assert.equal(t.lists.length, 2);
    t.stream.open?.();
    await t.answer();
    assert.equal(t.lists.length, 2, 'the next list is asked for at once');
    await t.answer();
    assert.equal(t.lists.length, 0);
    assert.equal(t.seen.relists, 2);
    t.stop.abort();
    await running;
    assert.equal(t.clock.pendingTimers, 0);
  });

  it('an event without an owner is a reason to relist, unless something unknown went', async () => {
    const t = scripted();
    const running = t.start();
    await t.clock.settle();
    t.stream.open?.();
    await t.answer();
    await t.answer();
    t.stream.send?.({ kind: 'deleted', id: 'unknown' });
    await t.clock.settle();
    assert.equal(t.lists.length, 0);
    t.stream.send?.({ kind: 'started', id: 'unknown' });
    await t.clock.settle();
    assert.equal(t.lists.length, 2);
    assert.deepEqual(t.changed, []);
    t.stop.abort();
    await t.answer();
    await running;
    assert.equal(t.clock.pendingTimers, 0);
  });

  it('an event without an owner is of the pod that was read with it', async () => {
    const clock = new FakeClock();
    let send: ((event: RuntimeEvent) => void) | undefined;
    const bare = sandbox({ id: toSandboxId('s'), podUid: A });
    const reader = {
      listSandboxes: async () => [bare],
      listContainers: async () => [],
      sandboxStatus: async () => bare,
      watchEvents: (onEvent: (event: RuntimeEvent) => void) =>
        new Promise<void>((_, reject) => {
          send = onEvent;
          stop.signal.addEventListener('abort', () => reject(new AgentError('cancelled', 'x')));
        }),
    } as unknown as RuntimeReader;
    const { observer, changed, stop, start } = observe(clock, reader);
    const running = start();
    await observer.readPod(A, none, 'a');
    changed.length = 0;
    send?.({ kind: 'stopped', id: 's' });
    assert.deepEqual(changed, ['a']);
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  });
});

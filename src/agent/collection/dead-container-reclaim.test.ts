import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { AgentError } from '../../base/errors.ts';
import { type ContainerId, type PodUid, toContainerId, toPodUid, toSandboxId } from '../../core/model/ids.ts';
import type { ObservedContainer } from '../../core/model/observed-pod.ts';
import { removeDeadContainers } from './dead-container-reclaim.ts';

function container(id: string, pod: string, state: ObservedContainer['state'] = 'exited'): ObservedContainer {
  return {
    ...{ id: toContainerId(id), podUid: toPodUid(pod), sandboxId: toSandboxId('s'), name: 'c', state },
    ...{ createdAtMs: 0, image: '', imageId: '', labels: {}, annotations: {} },
  };
}

function setUp(list: () => ObservedContainer[]) {
  const clock = new FakeClock();
  const kit = { clock, events: new RecordingEvents(), logger: new RecordingLogger() };
  const marked: ContainerId[] = [];
  const woken: PodUid[] = [];
  const work = removeDeadContainers(
    {
      kit,
      reader: { listContainers: async () => list() },
      deadContainers: { reclaim: (ids) => void marked.push(...ids) },
      hasEnded: (uid) => uid.startsWith('ended'),
      wake: (uid) => void woken.push(uid),
    },
    new AbortController().signal,
  );
  return { ...kit, marked, woken, work };
}

describe('removeDeadContainers', () => {
  it('marks what ended pods have left, wakes their workers and waits until it is gone', async () => {
    let all = [container('a', 'ended-1'), container('b', 'ended-1'), container('c', 'alive')];
    const { clock, marked, woken, work } = setUp(() => all);
    await clock.advance(2_000);
    assert.deepEqual(marked, ['a', 'b']);
    assert.deepEqual(woken, ['ended-1']);
    all = [container('c', 'alive')];
    await clock.finish(work);
    assert.equal(clock.pendingTimers, 0);
  });

  it('does not wait forever', async () => {
    const { clock, logger, work } = setUp(() => [container('a', 'ended-1')]);
    await clock.finish(work);
    assert.deepEqual(logger.lines.at(-1)?.fields, { count: 0, left: 1 });
  });

  it('does nothing when there is nothing', async () => {
    const { marked, work } = setUp(() => [container('a', 'alive')]);
    await work;
    assert.deepEqual(marked, []);
  });

  it('records an event when the runtime cannot be listed', async () => {
    const { events, work } = setUp(() => {
      throw new AgentError('unavailable', 'no runtime');
    });
    await work;
    const expected = { type: 'Warning', reason: 'ContainerGCFailed', message: 'no runtime' };
    assert.deepEqual(events.nodeEvents, [expected]);
  });
});

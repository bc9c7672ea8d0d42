import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeCheckpoints } from '../../../test/fakes/fake-checkpoints.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { RememberedFacts } from '../../ports/cluster/remembered-facts.ts';
import { OfflineMemory } from './offline-memory.ts';

const NOTHING: RememberedFacts = {
  objects: {},
  tokens: [],
  services: [],
  runtimeClasses: {},
  storage: {},
};

function podOf(name: string, annotations: Record<string, string> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, annotations },
    spec: { containers: [{ name: 'main', image: 'app:1' }] },
  };
}

function setUp(checkpoints = new FakeCheckpoints()) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  let facts = NOTHING;
  let collected = 0;
  let writes = 0;
  const counted = {
    read: (name: string) => checkpoints.read(name),
    write: (name: string, document: unknown) => {
      writes++;
      return checkpoints.write(name, document);
    },
  };
  const memory = new OfflineMemory({ checkpoints: counted, clock, logger });
  memory.contribute(() => {
    collected++;
    return facts;
  });
  const change = (next: Partial<RememberedFacts>): void => {
    facts = { ...facts, ...next };
    memory.noteFacts();
  };
  return { clock, logger, memory, checkpoints, change, collected: () => collected, writes: () => writes };
}

describe('OfflineMemory', () => {
  it('gives a later run the pods and what they need', async () => {
    const first = setUp();
    await first.memory.load();
    assert.equal(first.memory.pods, undefined);
    const objects = { 'secret/default/s': { kind: 'missing' as const } };
    first.change({ objects });
    first.memory.rememberPods([podOf('a'), podOf('b')]);
    await first.clock.advance(500);
    const second = setUp(first.checkpoints);
    await second.memory.load();
    assert.deepEqual(second.memory.pods, [podOf('a'), podOf('b')]);
    assert.deepEqual(second.memory.facts?.objects, objects);
  });

  it('keeps no mirror pods: their static pods come from elsewhere', async () => {
    const { clock, memory, checkpoints } = setUp();
    memory.rememberPods([podOf('a'), podOf('m', { 'kubernetes.io/config.mirror': 'x' })]);
    await clock.advance(500);
    const { memory: later } = setUp(checkpoints);
    await later.load();
    assert.deepEqual(
      later.pods?.map(({ metadata }) => metadata.name),
      ['a'],
    );
  });

  it('writes a burst of changes in few goes, and nothing when nothing changed', async () => {
    const { clock, memory, change, writes } = setUp();
    const pods = Array.from({ length: 100 }, (_, n) => podOf(`p${n}`));
    for (let n = 1; n <= 100; n++) {
      memory.rememberPods(pods.slice(0, n));
      change({ runtimeClasses: { n: String(n) } });
      await clock.advance(100);
    }
    await clock.advance(10_000);
    // Ten seconds of changes: at most once a second, two documents each.
    assert.ok(writes() <= 24, `${writes()} writes`);
    const before = writes();
    memory.rememberPods(pods);
    memory.noteFacts();
    await clock.advance(60_000);
    assert.equal(writes(), before);
    assert.equal(clock.pendingTimers, 0);
  });

  it('writes nothing before the API server was seen', async () => {
    const { clock, memory, change, writes, collected } = setUp();
    change({ runtimeClasses: { a: 'b' } });
    await clock.advance(60_000);
    assert.deepEqual([writes(), collected()], [0, 0]);
    memory.rememberPods([]);
    await clock.advance(500);
    assert.deepEqual([writes(), collected()], [2, 1]);
  });

  it('forgets the pods of the earlier run when the API server speaks, and what they need a little later', async () => {
    const first = setUp();
    first.memory.rememberPods([podOf('a')]);
    await first.clock.advance(500);
    const { clock, memory } = setUp(first.checkpoints);
    await memory.load();
    memory.rememberPods([podOf('b')]);
    const [pods, facts] = [memory.pods, memory.facts];
    assert.equal(pods, undefined);
    assert.deepEqual(facts, NOTHING);
    await clock.advance(500);
    assert.equal(memory.facts, undefined);
  });

  it('writes at once what waits when the agent stops in good order', async () => {
    const { clock, memory, checkpoints } = setUp();
    memory.rememberPods([podOf('a')]);
    await memory.flush();
    assert.equal(clock.pendingTimers, 0);
    const { memory: later } = setUp(checkpoints);
    await later.load();
    assert.equal(later.pods?.length, 1);
  });

  for (const [what, text] of [
    ['damaged', '{'],
    ['of another version', '{"version":2,"pods":[]}'],
  ] as const)
    it(`counts a checkpoint that is ${what} as none, with a warning`, async () => {
      const { memory, checkpoints, logger } = setUp();
      checkpoints.documents.set('api_pods', text);
      await memory.load();
      assert.equal(memory.pods, undefined);
      assert.equal(logger.messages('warning').length, 1);
    });

  it('goes on when a write fails, and writes the next change', async () => {
    const { clock, memory, checkpoints, logger, change } = setUp();
    const write = checkpoints.write.bind(checkpoints);
    checkpoints.write = () => Promise.reject(new Error('disk full'));
    memory.rememberPods([podOf('a')]);
    await clock.advance(500);
    assert.equal(logger.messages('warning').length, 1);
    checkpoints.write = write;
    change({ runtimeClasses: { a: 'b' } });
    await clock.advance(5_000);
    const { memory: later } = setUp(checkpoints);
    await later.load();
    assert.deepEqual(later.facts?.runtimeClasses, { a: 'b' });
    assert.equal(later.pods?.length, 1, 'the write that failed is made up for');
  });

  it('leaves nothing on disk when it is off', async () => {
    const first = setUp();
    first.memory.rememberPods([podOf('secret-name')]);
    await first.clock.advance(500);
    const { clock, memory, checkpoints } = setUp(first.checkpoints);
    await memory.erase();
    memory.rememberPods([podOf('secret-name')]);
    await clock.advance(60_000);
    assert.ok(![...checkpoints.documents.values()].join('').includes('secret-name'));
  });
});

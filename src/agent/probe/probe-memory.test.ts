import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { textLogger } from '../../../test/fakes/text-logger.ts';
import { toContainerId } from '../../core/model/ids.ts';
import type { CheckpointStore } from '../../ports/host/checkpoint-store.ts';
import { ProbeMemory } from './probe-memory.ts';

const A = toContainerId('a');
const B = toContainerId('b');

function setUp(stored?: unknown) {
  const clock = new FakeClock();
  const warnings: string[] = [];
  const written: unknown[] = [];
  const logger = textLogger((line) => warnings.push(line));
  const store: CheckpointStore = {
    read: async () => stored,
    write: async (_name, document) => void written.push(structuredClone(document)),
  };
  return { clock, warnings, written, memory: new ProbeMemory(store, clock, logger) };
}

describe('ProbeMemory', () => {
  it('writes what has changed, once for changes that come together, and nothing for what is known', async () => {
    const { memory, written } = setUp();
    memory.note(A, { started: true });
    memory.note(A, { ready: true });
    memory.note(B, { ready: false });
    await memory.flush();
    assert.deepEqual(written.at(-1), { version: 1, instances: { a: { started: true, ready: true } } });
    const writes = written.length;
    assert.ok(writes <= 2);
    memory.note(A, { ready: true });
    await memory.flush();
    assert.equal(written.length, writes);
    memory.note(A, { started: false, ready: false });
    await memory.flush();
    assert.deepEqual(written.at(-1), { version: 1, instances: {} });
  });

  it('keeps what was read until it had time to be asked for', async () => {
    const instances = { a: { started: true, ready: true }, b: { started: false, ready: true } };
    const { memory, clock, written } = setUp({ version: 1, instances });
    await memory.load();
    assert.deepEqual(memory.recall(A), { started: true, ready: true });
    memory.note(toContainerId('c'), { ready: true });
    await memory.flush();
    const all = { ...instances, c: { started: false, ready: true } };
    assert.deepEqual(written.at(-1), { version: 1, instances: all });
    await clock.advance(600_001);
    memory.note(toContainerId('c'), { ready: false });
    await memory.flush();
    assert.deepEqual(written.at(-1), { version: 1, instances: { a: instances.a } });
  });

  it('starts over with a warning when the file is not what it should be', async () => {
    for (const broken of [{ version: 2, instances: {} }, { version: 1 }]) {
      const { memory, warnings } = setUp(broken);
      await memory.load();
      assert.equal(warnings.length, 1);
      assert.deepEqual(memory.recall(A), { started: false, ready: false });
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeCheckpoints } from '../../../test/fakes/fake-checkpoints.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { toContainerId } from '../../core/model/ids.ts';
import { CrashLoopMemory } from './crash-loop-memory.ts';

const NAME = 'crash_loop_state';
const FORGET_MS = 600_000;
const entry = (updatedAtMs: number, delayMs = 10_000) => ({ delayMs, updatedAtMs });

function setUp() {
  const clock = new FakeClock();
  const checkpoints = new FakeCheckpoints();
  const logger = new RecordingLogger();
  const open = (bootId = 'first'): CrashLoopMemory =>
    new CrashLoopMemory({ checkpoints, clock, logger, bootId });
  return { clock, checkpoints, logger, open };
}

describe('CrashLoopMemory', () => {
  it('an entry is on disk when remember is done, and the next run has it', async () => {
    const { checkpoints, open } = setUp();
    await open().remember('a', entry(1_000));
    assert.deepEqual(JSON.parse(checkpoints.documents.get(NAME) ?? ''), {
      version: 1,
      bootId: 'first',
      entries: { a: entry(1_000) },
    });
    const next = open();
    assert.equal(next.get('a'), undefined);
    await next.load(2_000, FORGET_MS);
    assert.deepEqual(next.get('a'), entry(1_000));
  });

  it('keeps the instance that an entry follows', async () => {
    const { open } = setUp();
    const known = { ...entry(1_000), after: toContainerId('main-1') };
    await open().remember('a', known);
    const next = open();
    await next.load(2_000, FORGET_MS);
    assert.deepEqual(next.get('a'), known);
  });

  it('an entry that was forgotten is neither in memory nor in what is written next', async () => {
    const { checkpoints, open } = setUp();
    const memory = open();
    await memory.remember('a', entry(1_000));
    memory.forget('a');
    assert.equal(memory.get('a'), undefined);
    await memory.remember('b', entry(2_000));
    assert.doesNotMatch(checkpoints.documents.get(NAME) ?? '', /"a"/);
  });

  it('an entry that comes at any moment of the write of another is on disk when remember is done', async () => {
    for (let turns = 0; turns < 40; turns++) {
      const { checkpoints, open } = setUp();
      const memory = open();
      const first = memory.remember('first', entry(0));
      for (let turn = 0; turn < turns; turn++) await undefined;
      await memory.remember('second', entry(1));
      assert.match(checkpoints.documents.get(NAME) ?? '', /"first".*"second"/, `after ${turns} turns`);
      await first;
    }
  });

  for (const [what, written, bootId, isKept] of [
    ['the same boot', 'first', 'first', true],
    ['another boot', 'first', 'second', false],
    ['a boot that is not known', 'first', '', true],
    ['a file that names none', '', 'second', true],
  ] as const)
    it(`a delay is ${isKept ? 'kept' : 'dropped'} after ${what}`, async () => {
      const { logger, open } = setUp();
      await open(written).remember('a', entry(1_000));
      const next = open(bootId);
      await next.load(2_000, FORGET_MS);
      assert.deepEqual(next.get('a'), isKept ? entry(1_000) : undefined);
      assert.deepEqual(logger.messages('warning'), []);
    });

  it('drops what a new failure would no longer count, at load and at sweep', async () => {
    const { open } = setUp();
    const memory = open();
    await memory.remember('old', entry(0));
    await memory.remember('young', entry(100_000));
    const nowMs = FORGET_MS + 10_000 + 1;
    const next = open();
    await next.load(nowMs, FORGET_MS);
    memory.sweep(nowMs, FORGET_MS);
    for (const each of [memory, next]) {
      assert.deepEqual([each.get('old'), each.get('young')], [undefined, entry(100_000)]);
    }
  });

  const damaged: [string, string][] = [
    ['no JSON', '{"version":1,'],
    ['another version', '{"version":2,"entries":{}}'],
    ['no entries', '{"version":1}'],
    ['null', 'null'],
  ];
  for (const [what, text] of damaged) {
    it(`a checkpoint that is ${what} costs only the delays`, async () => {
      const { checkpoints, logger, open } = setUp();
      checkpoints.documents.set(NAME, text);
      const memory = open();
      await memory.load(0, FORGET_MS);
      assert.deepEqual(logger.messages('warning'), [
        'cannot read the crash-loop checkpoint, delays start over',
      ]);
      await memory.remember('a', entry(0));
      assert.match(checkpoints.documents.get(NAME) ?? '', /"a"/);
    });
  }

  it('a damaged entry does not cost the others', async () => {
    const { checkpoints, open } = setUp();
    checkpoints.documents.set(
      NAME,
      JSON.stringify({ version: 1, entries: { bad: { delayMs: '10' }, good: entry(0) } }),
    );
    const memory = open();
    await memory.load(0, FORGET_MS);
    assert.deepEqual([memory.get('bad'), memory.get('good')], [undefined, entry(0)]);
  });

  it('a full disk is a warning, and the entry holds in memory', async () => {
    const { checkpoints, logger, open } = setUp();
    checkpoints.faults.add({ errno: 'ENOSPC', times: 1 });
    const memory = open();
    await memory.remember('a', entry(0));
    assert.deepEqual(memory.get('a'), entry(0));
    assert.deepEqual(logger.messages('warning'), ['cannot write the crash-loop checkpoint']);
    await memory.remember('b', entry(0));
    assert.match(checkpoints.documents.get(NAME) ?? '', /"a".*"b"/);
    await memory.flush();
  });

  it('what a full disk refused is written when there is room, without another entry', async () => {
    const { checkpoints, clock, open } = setUp();
    checkpoints.faults.add({ errno: 'ENOSPC', times: 3 });
    await open().remember('a', entry(0));
    await clock.advance(60_000);
    assert.match(checkpoints.documents.get(NAME) ?? '', /"a"/);
    assert.equal(clock.pendingTimers, 0);
  });
});

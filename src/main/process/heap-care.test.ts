import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { type Heap, HeapCare } from './heap-care.ts';

const MIB = 2 ** 20;

class FakeHeap implements Heap {
  bytes = 40 * MIB;
  readonly steps: string[] = [];

  sizeBytes(): number {
    return this.bytes;
  }

  collect(withCode: boolean): void {
    this.steps.push(withCode ? 'collect with code' : 'collect');
    this.bytes = 12 * MIB;
  }

  setThrifty(isThrifty: boolean): void {
    this.steps.push(isThrifty ? 'thrifty' : 'roomy');
  }
}

function setUp() {
  const clock = new FakeClock();
  const heap = new FakeHeap();
  const care = new HeapCare(heap, clock);
  return { clock, heap, care };
}

describe('HeapCare', () => {
  it('collects once, when nothing has happened for a whole period, and has no timer then', async () => {
    const { clock, heap, care } = setUp();
    care.noteWork();
    for (let second = 0; second < 30; second++) {
      await clock.advance(1_000);
      care.noteWork();
    }
    assert.deepEqual(heap.steps, ['roomy']);
    await clock.advance(10_000);
    assert.deepEqual(heap.steps, ['roomy', 'thrifty', 'collect with code']);
    assert.equal(clock.pendingTimers, 0);
    await clock.advance(600_000);
    assert.equal(heap.steps.length, 3);
  });

  it('drops the code of the start, and no other', async () => {
    const { clock, heap, care } = setUp();
    for (let burst = 0; burst < 3; burst++) {
      heap.bytes = 40 * MIB;
      care.noteWork();
      await clock.advance(10_000);
    }
    assert.deepEqual(
      heap.steps.filter((step) => step.startsWith('collect')),
      ['collect with code', 'collect', 'collect'],
    );
  });

  it('collects nothing where the heap has hardly grown', async () => {
    const { clock, heap, care } = setUp();
    care.noteWork();
    await clock.advance(10_000);
    for (const grownMiB of [0, 1, 3]) {
      heap.bytes = (12 + grownMiB) * MIB;
      care.noteWork();
      await clock.advance(10_000);
    }
    assert.equal(heap.steps.filter((step) => step.startsWith('collect')).length, 1);
    heap.bytes = 16 * MIB;
    care.noteWork();
    await clock.advance(10_000);
    assert.deepEqual(heap.steps.slice(-3), ['roomy', 'thrifty', 'collect']);
  });

  it('leaves no timer when it is disposed of', () => {
    const { clock, care } = setUp();
    care.noteWork();
    care[Symbol.dispose]();
    assert.equal(clock.pendingTimers, 0);
  });
});

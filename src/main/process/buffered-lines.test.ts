import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { BufferedLines } from './buffered-lines.ts';

function make(sizeBytes: number): { lines: BufferedLines; written: string[]; clock: FakeClock } {
  const written: string[] = [];
  const clock = new FakeClock();
  const write = (text: string): void => void written.push(text);
  const startTimer = (delayMs: number, run: () => void): void => void clock.startTimer(delayMs, run);
  return { lines: new BufferedLines({ sizeBytes, flushMs: 5_000, write, startTimer }), written, clock };
}

describe('BufferedLines', () => {
  it('writes at once without a size', () => {
    const { lines, written, clock } = make(0);
    lines.add('a\n');
    assert.deepEqual(written, ['a\n']);
    assert.equal(clock.pendingTimers, 0);
  });

  it('writes whole lines when the next one does not fit, in bytes, and long ones by themselves', () => {
    const { lines, written } = make(6);
    lines.add('aa\n');
    lines.add('bb\n');
    assert.deepEqual(written, []);
    lines.add('é\n');
    assert.deepEqual(written, ['aa\nbb\n']);
    lines.add('longer than all\n');
    assert.deepEqual(written.slice(1), ['é\n', 'longer than all\n']);
  });

  it('no line waits longer than the time, and nothing waits for none', async () => {
    const { lines, written, clock } = make(100);
    lines.add('a\n');
    await clock.advance(4_000);
    lines.add('b\n');
    assert.deepEqual(written, []);
    await clock.advance(1_000);
    assert.deepEqual(written, ['a\nb\n']);
    assert.equal(clock.pendingTimers, 0);
    lines.add('c\n');
    lines.flush();
    lines.flush();
    assert.deepEqual(written.slice(1), ['c\n']);
  });
});

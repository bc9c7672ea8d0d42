import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { combineEvent, type SimilarEvents } from './combine-events.ts';

function combineAll(messages: readonly string[], stepMs = 1000): boolean[] {
  let known: SimilarEvents | undefined;
  return messages.map((message, i) => {
    const { similar, isCombined } = combineEvent(known, message, i * stepMs);
    known = similar;
    return isCombined;
  });
}

const different = (count: number): string[] => Array.from({ length: count }, (_, i) => `text ${i}`);

describe('combineEvent', () => {
  it('combines from the tenth different text on', () => {
    assert.deepEqual(combineAll(different(12)), [...Array(9).fill(false), true, true, true]);
  });

  it('never combines repetitions of the same text', () => {
    assert.ok(combineAll(Array(50).fill('the same')).every((isCombined) => !isCombined));
  });

  it('starts over after ten quiet minutes', () => {
    assert.ok(combineAll(different(30), 600_001).every((isCombined) => !isCombined));
    assert.ok(combineAll(different(10), 600_000).at(-1));
  });

  it('property: combines nothing before ten different texts were recorded, and remembers fewer than ten', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: fc.integer({ min: 0, max: 30 }), passedMs: fc.nat(700_000) })),
        (steps) => {
          let known: SimilarEvents | undefined;
          let nowMs = 0;
          const heard = new Set<string>();
          for (const { text, passedMs } of steps) {
            nowMs += passedMs;
            heard.add(String(text));
            const { similar, isCombined } = combineEvent(known, String(text), nowMs);
            known = similar;
            assert.ok(!isCombined || heard.size >= 10);
            assert.ok(similar.texts.length < 10);
            assert.equal(new Set(similar.texts).size, similar.texts.length);
          }
        },
      ),
    );
  });
});

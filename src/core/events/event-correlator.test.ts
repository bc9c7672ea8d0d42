import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import type { ApiEvent, Occurrence } from './api-event.ts';
import { EventCorrelator, type EventDecision } from './event-correlator.ts';
import { toEventObject } from './event-subject.ts';

const POD = toEventObject({ pod: samplePod() }, 'node-1');

function occurrence(over: Partial<Occurrence> = {}): Occurrence {
  return { object: POD, type: 'Normal', reason: 'Pulled', message: 'm', atMs: 0, ...over };
}

function setUp() {
  const correlator = new EventCorrelator('node-1');
  let nanos = 0n;
  return (over: Partial<Occurrence> = {}): EventDecision =>
    correlator.decide(occurrence(over), { nanos: ++nanos, spareName: 'spare' });
}

function eventOf(decision: EventDecision): ApiEvent {
  assert.ok(decision.kind !== 'drop');
  return decision.event;
}

describe('EventCorrelator', () => {
  it('counts the same event under the name and the first time it got', () => {
    const decide = setUp();
    assert.equal(decide().kind, 'create');
    const again = decide({ atMs: 5000 });
    assert.equal(again.kind, 'count');
    const { metadata, count, firstTimestamp, lastTimestamp } = eventOf(again);
    assert.deepEqual(
      [metadata.name, count, firstTimestamp, lastTimestamp],
      ['shop.1', 2, '1970-01-01T00:00:00Z', '1970-01-01T00:00:05Z'],
    );
  });

  it('distinguishes events of two containers, two reasons, two types and two pods', () => {
    const decide = setUp();
    const others: Partial<Occurrence>[] = [
      {},
      { object: { ...POD, fieldPath: 'spec.containers{web}' } },
      { object: { ...POD, uid: 'other' } },
      { object: toEventObject('node', 'shop') },
      { reason: 'Pulling' },
      { type: 'Warning' },
      { message: 'n' },
    ];
    assert.deepEqual(
      others.map((over) => decide(over).kind),
      others.map(() => 'create'),
    );
  });

  it('combines the tenth text with those after it into one event that counts', () => {
    const decide = setUp();
    const decisions = Array.from({ length: 12 }, (_, i) => decide({ message: `text ${i}` }));
    assert.deepEqual(
      decisions.map(({ kind }) => kind),
      [...Array(10).fill('create'), 'count', 'count'],
    );
    const first = eventOf(decisions[9]!);
    const last = eventOf(decisions[11]!);
    assert.equal(first.message, '(combined from similar events): text 9');
    assert.deepEqual(
      [last.message, last.count, last.metadata.name],
      ['(combined from similar events): text 11', 3, first.metadata.name],
    );
  });

  it('drops what exceeds the allowance but continues counting', () => {
    const decide = setUp();
    const kinds = Array.from({ length: 30 }, () => decide().kind);
    assert.deepEqual(kinds, ['create', ...Array(24).fill('count'), ...Array(5).fill('drop')]);
    assert.equal(decide({ type: 'Warning' }).kind, 'create');
    assert.equal(eventOf(decide({ atMs: 300_000 })).count, 31);
  });

  it('property: names are given once, and a count always names an event made before', () => {
    const step = fc.record({
      message: fc.integer({ min: 0, max: 15 }).map(String),
      reason: fc.constantFrom('A', 'B'),
      type: fc.constantFrom('Normal' as const, 'Warning' as const),
      passedMs: fc.nat(400_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const decide = setUp();
        const counts = new Map<string, number>();
        let atMs = 0;
        for (const { passedMs, ...over } of steps) {
          atMs += passedMs;
          const decision = decide({ ...over, atMs });
          if (decision.kind === 'drop') continue;
          const { metadata, count, type, reason } = decision.event;
          assert.deepEqual([type, reason], [over.type, over.reason]);
          assert.equal(counts.has(metadata.name) && decision.kind === 'create', false);
          assert.ok(count > (counts.get(metadata.name) ?? 0));
          if (decision.kind === 'create') assert.equal(count, 1);
          counts.set(metadata.name, count);
        }
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { AgentError } from '../../base/errors.ts';
import type { Action } from '../../core/model/actions.ts';
import { type ActionContext, createPerformAction, type Performers } from './perform-action.ts';

const UNMOUNT: Action = { kind: 'unmount-volumes' };

function performer(error: Error, random = 0): (context: Partial<ActionContext>) => Promise<unknown> {
  const clock = new FakeClock({ startMs: 1_000 });
  const performers = { 'unmount-volumes': () => Promise.reject(error) } as unknown as Performers;
  const perform = createPerformAction(performers, clock, () => random);
  const signal = new AbortController().signal;
  return (context) => perform(UNMOUNT, { signal, ...context } as ActionContext);
}

describe('createPerformAction', () => {
  for (const [failures, random, delayMs] of [
    [undefined, 0, 500],
    [1, 0, 1_000],
    [2, 1, 3_000],
    [4, 0, 8_000],
    [5, 0, 10_000],
    [500, 1, 15_000],
  ] as const) {
    it(`tries a step that failed ${failures ?? 0} times before again in ${delayMs} ms`, async () => {
      const perform = performer(new AgentError('conflict', 'in starting state'), random);
      const result = await perform(failures === undefined ? {} : { failures });
      assert.deepEqual(result, {
        kind: 'failed',
        reason: 'unmount-volumes',
        message: 'in starting state',
        retryAtMs: 1_000 + delayMs,
        endsPass: true,
      });
    });
  }

  describe('what the runtime refuses to remove', () => {
    const ending = { source: 'api', termination: { cause: 'deleted' } };
    const refusal = new AgentError('conflict', 'cannot delete running task');
    const cases: [string, Action['kind'], object, number, AgentError, boolean][] = [
      ['is tried again at first', 'remove-container', ending, 3, refusal, true],
      ['is left behind in the end', 'remove-container', ending, 4, refusal, false],
      ['may be a sandbox', 'remove-sandbox', ending, 4, refusal, false],
      [
        'is kept while it is all that is known of a pod',
        'remove-container',
        { ...ending, source: 'runtime' },
        40,
        refusal,
        true,
      ],
      ['is kept while the pod lives', 'remove-container', { source: 'api' }, 40, refusal, true],
      [
        'is kept when the pod completed',
        'remove-container',
        { source: 'api', termination: { cause: 'completed' } },
        40,
        refusal,
        true,
      ],
      [
        'is not given up for a runtime that is away',
        'remove-container',
        ending,
        40,
        new AgentError('unavailable', 'away'),
        true,
      ],
      ['is not a volume', 'unmount-volumes', ending, 40, refusal, true],
    ];
    for (const [title, kind, record, failures, error, endsPass] of cases)
      it(title, async () => {
        const performers = { [kind]: () => Promise.reject(error) } as unknown as Performers;
        const perform = createPerformAction(performers, new FakeClock(), () => 0);
        const signal = new AbortController().signal;
        const result = await perform(
          { kind } as Action,
          { signal, record, failures } as unknown as ActionContext,
        );
        assert.equal(result.kind === 'failed' && result.endsPass, endsPass);
      });
  });

  it('lets a bug through', async () => {
    await assert.rejects(performer(new TypeError('no such field'))({}), TypeError);
  });
});

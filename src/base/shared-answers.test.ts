import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SharedAnswers } from './shared-answers.ts';

describe('SharedAnswers', () => {
  it('asks once for concurrent callers, and again later', async () => {
    const answers = new SharedAnswers<number>();
    let asked = 0;
    const ask = async (): Promise<number> => ++asked;
    assert.deepEqual(await Promise.all([answers.get('a', ask), answers.get('a', ask)]), [1, 1]);
    assert.deepEqual(await Promise.all([answers.get('a', ask), answers.get('b', ask)]), [2, 3]);
  });

  it('lets one leave while the other waits on', async () => {
    const answers = new SharedAnswers<string>();
    const { promise, resolve } = Promise.withResolvers<string>();
    const stop = new AbortController();
    const left = answers.get('a', () => promise, stop.signal);
    const stays = answers.get('a', () => promise);
    stop.abort();
    assert.equal(await left, undefined);
    resolve('here');
    assert.equal(await stays, 'here');
    assert.equal(await answers.get('a', async () => 'new', stop.signal), undefined);
  });

  it('passes a failure to all waiting callers and does not keep it', async () => {
    const answers = new SharedAnswers<string>();
    const fail = async (): Promise<string> => {
      throw new Error('no');
    };
    const both = await Promise.allSettled([answers.get('a', fail), answers.get('a', fail)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await answers.get('a', async () => 'yes'), 'yes');
  });
});

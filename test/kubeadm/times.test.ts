import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTimes } from './times.ts';

test('renderTimes: a row for each time, a column for each run, a dash for what a run did not reach', () => {
  const columns = new Map([
    ['ours', { 'init → initialised': 8.24, 'join → Ready': 2 }],
    ['upstream', { 'init → initialised': 9.05 }],
  ]);
  assert.equal(
    renderTimes(columns),
    [
      '                          ours    upstream',
      'init → initialised       8.2 s       9.1 s',
      'join → Ready             2.0 s           –',
    ].join('\n'),
  );
});

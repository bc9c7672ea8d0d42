import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasCode } from '../../../base/errors.ts';
import { parseWatchFrame } from './watch-frame.ts';

describe('parseWatchFrame', () => {
  const object = { metadata: { name: 'a', resourceVersion: '7' } };

  it('reads changes and bookmarks with their version', () => {
    assert.deepEqual(parseWatchFrame({ type: 'MODIFIED', object }, 'watch pods'), {
      type: 'MODIFIED',
      version: '7',
      object,
    });
    assert.deepEqual(parseWatchFrame({ type: 'BOOKMARK', object }, 'watch pods'), {
      type: 'BOOKMARK',
      version: '7',
    });
  });

  it('reads the reason in an error event, 410 as gone', () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
    const frame = parseWatchFrame({ type: 'ERROR', object: status }, 'watch pods');
    assert.ok(frame.type === 'ERROR' && hasCode(frame.error, 'gone'));
    assert.equal(frame.error.message, 'cannot watch pods: too old');
  });

  for (const value of [
    null,
    'x',
    {},
    { type: 'ADDED' },
    { type: 'OTHER', object },
    { type: 'ADDED', object: { metadata: {} } },
  ])
    it(`refuses ${JSON.stringify(value)}`, () => {
      assert.throws(() => parseWatchFrame(value, 'watch pods'), /cannot watch pods: unexpected message/);
    });
});

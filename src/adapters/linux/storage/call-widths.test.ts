import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCallWidths } from './call-widths.ts';

test('toCallWidths leaves threads for everything else, however many there are', () => {
  assert.deepEqual(toCallWidths('32'), { own: 8, storage: 16, server: 2 });
  assert.deepEqual(toCallWidths(undefined), { own: 2, storage: 1, server: 1 });
  assert.deepEqual(toCallWidths('many'), toCallWidths('4'));
  for (let threads = 3; threads < 1025; threads++) {
    const { own, storage, server } = toCallWidths(String(threads));
    assert.ok(own + storage < threads && server >= 1 && server <= storage, String(threads));
  }
});

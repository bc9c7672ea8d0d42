import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinInside } from './path-component.ts';

test('joinInside refuses every way out of the directory', () => {
  for (const path of [
    '',
    '/',
    '/etc',
    '..',
    '../x',
    'a/..',
    'a/../../b',
    './..',
    'a\0b',
    '.',
    'a/./b',
    'a//b',
    'a/',
  ])
    assert.throws(() => joinInside('/base', path), { code: 'invalid-argument' }, path);
  assert.equal(joinInside('/base', 'a/..b/c'), '/base/a/..b/c');
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  cleanPath,
  findPathProblem,
  isSameContent,
  joinRefusals,
  type Payload,
  toVisibleNames,
} from './payload.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const payload = (...paths: string[]): Payload =>
  new Map(paths.map((path) => [path, { content: bytes(path), mode: 0o644 }]));

describe('findPathProblem', () => {
  const good = ['a', 'a/b', '.hidden', 'a..b', 'a/..b', 'x'.repeat(255), `${'a/'.repeat(2047)}b`];
  for (const path of good) {
    it(`accepts ${path.slice(0, 20)}`, () => assert.equal(findPathProblem(path), undefined));
  }
  const bad: [path: string, problem: string][] = [
    ['', 'invalid path: must not be empty: ""'],
    ['/a', 'invalid path: must be relative path: /a'],
    ['a/../b', "invalid path: must not contain '..': a/../b"],
    ['..', "invalid path: must not contain '..': .."],
    ['..a', "invalid path: must not start with '..': ..a"],
    ['x'.repeat(256), 'invalid path: filenames must be less than or equal to 255 characters'],
    [`a/${'é'.repeat(128)}`, 'invalid path: filenames must be less than or equal to 255 characters'],
    ['a/'.repeat(2100), 'invalid path: must be less than or equal to 4096 characters'],
  ];
  for (const [path, problem] of bad) {
    it(`refuses: ${problem}`, () => assert.equal(findPathProblem(path), problem));
  }
});

describe('payload', () => {
  it('shows one name per first component', () => {
    assert.deepEqual(toVisibleNames(payload('a', 'b/c', 'b/d/e')), new Set(['a', 'b']));
  });

  it('is the same only with the same paths and bytes', () => {
    const existing = new Map([['a', bytes('a')]]);
    assert.ok(isSameContent(existing, payload('a')));
    assert.ok(!isSameContent(existing, payload('a', 'b')));
    assert.ok(!isSameContent(existing, payload()));
    assert.ok(!isSameContent(existing, payload('b')));
    assert.ok(!isSameContent(new Map([['a', bytes('x')]]), payload('a')));
    assert.ok(!isSameContent(new Map([['a', bytes('ab')]]), payload('a')));
  });

  it('has paths without needless components', () => {
    assert.equal(cleanPath('a//./b/'), 'a/b');
    assert.equal(cleanPath('/a'), '/a');
  });

  it('joins several refusals in brackets', () => {
    assert.deepEqual(joinRefusals(['x', 'x']), { ok: false, message: 'x' });
    assert.deepEqual(joinRefusals(['x', 'y']), { ok: false, message: '[x, y]' });
  });
});

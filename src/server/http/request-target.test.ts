import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTarget } from './request-target.ts';

describe('parseTarget', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['/pods', '/pods', ''],
    ['/pods?a=1&a=2', '/pods', 'a=1&a=2'],
    ['/pods?', '/pods', ''],
    ['/%70ods?q=%20', '/pods', 'q=+'],
    ['//evil/x', '//evil/x', ''],
    ['http://host:10255/pods?verbose', '/pods', 'verbose='],
    ['http://host', '/', ''],
    ['http://host?x=1', '/', 'x=1'],
    ['/a?b=http://c/d', '/a', 'b=http%3A%2F%2Fc%2Fd'],
    ['*', '*', ''],
    ['/x#y', '/x', ''],
  ];
  for (const [text, path, query] of cases)
    it(`reads ${JSON.stringify(text)}`, () => {
      const target = parseTarget(text);
      assert.equal(target?.path, path);
      assert.equal(target?.query.toString(), query);
    });

  for (const text of ['/%', '/%zz', '/%ff'])
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(parseTarget(text), undefined));
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJsonPath, parseJsonPathTemplate, readJsonPath, renderJsonPathTemplate } from './json-path.ts';

const document = {
  items: [
    { metadata: { name: 'a', labels: { 'app.io/x': '1' } }, n: 1 },
    { metadata: { name: 'b' }, n: 2, list: [true] },
  ],
};

describe('renderJsonPathTemplate', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['{.items[*].metadata.name}', 'a b'],
    ['{$.items[0].n}', '1'],
    ['{.items[-1].metadata}', '{"name":"b"}'],
    ["{.items[0].metadata.labels['app.io/x']}", '1'],
    ['{.items[0].metadata.labels.app\\.io/x}', '1'],
    ['{range .items[*]}{.metadata.name}={.n}{"\\n"}{end}', 'a=1\nb=2\n'],
    ['{range .items[*]}{range .list[*]}x{@}{end}{end}', 'xtrue'],
    ['{.nothing.here}', ''],
    ['{.constructor}{.items.length}', ''],
    ['n: {.items[1].n}', 'n: 2'],
    ['{"}"}', '}'],
  ];
  for (const [template, expected] of rows)
    it(`renders ${template}`, () => {
      const parsed = parseJsonPathTemplate(template);
      assert.ok(typeof parsed !== 'string', String(parsed));
      assert.equal(renderJsonPathTemplate(parsed, document), expected);
    });

  for (const template of [
    '{.a',
    '{end}',
    '{range .items[*]}',
    '{.items[?(@.n==1)]}',
    '{..name}',
    '{.a[1:2]}',
  ])
    it(`refuses ${template}`, () => assert.equal(typeof parseJsonPathTemplate(template), 'string'));
});

describe('parseJsonPath', () => {
  it('takes a path with and without its marks', () => {
    for (const text of ['.items[0].n', 'items[0].n', '{.items[0].n}', '$.items[0].n'])
      assert.deepEqual(readJsonPath(document, parseJsonPath(text) ?? []), [1], text);
    assert.deepEqual(parseJsonPath('.'), []);
    assert.equal(parseJsonPath('a b'), undefined);
  });
});

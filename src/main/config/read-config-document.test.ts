import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfigDocument } from './read-config-document.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

function contentOf(text: string) {
  const read = readConfigDocument(text);
  assert.ok(read.ok, JSON.stringify(read));
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = read.document.content;
  return rest;
}

function problemsOf(text: string): readonly string[] {
  const read = readConfigDocument(text);
  assert.ok(!read.ok);
  return read.problems;
}

describe('readConfigDocument', () => {
  it('reads YAML 1.1 booleans but leaves dates and base-60 numbers as text', () => {
    assert.deepEqual(contentOf(`${HEAD}a: no\nb: on\nc: 2001-12-14\nd: 1:30\n`), {
      a: false,
      b: true,
      c: '2001-12-14',
      d: '1:30',
    });
  });

  it('reads JSON, tabs included', () => {
    const text =
      '{\n\t"apiVersion": "kubelet.config.k8s.io/v1beta1",\n\t"kind": "KubeletConfiguration",\n\t"maxPods": 5\n}';
    assert.deepEqual(contentOf(text), { maxPods: 5 });
  });

  it('takes the first of several documents', () => {
    assert.deepEqual(contentOf(`---\n${HEAD}a: 1\n---\nb: 2\n`), { a: 1 });
  });

  it('keeps the last of a repeated key and says where it is', () => {
    const read = readConfigDocument(`${HEAD}maxPods: 1\nmaxPods: 2\n`);
    assert.ok(read.ok);
    assert.equal(read.document.content['maxPods'], 2);
    assert.deepEqual(read.document.repeated, ['line 4: key "maxPods" is repeated']);
  });

  it('finds the line of a field, of a list item and of the nearest ancestor', () => {
    const read = readConfigDocument(
      `${HEAD}logging:\n  format: json\nclusterDNS:\n- a\n- b\nevictionHard:\n  memory.available: 1\n`,
    );
    assert.ok(read.ok);
    const { lineOf } = read.document;
    assert.deepEqual(
      ['logging.format', 'clusterDNS[1]', 'evictionHard.memory.available', 'logging.missing'].map(lineOf),
      [4, 7, 8, 3],
    );
  });

  const refused: ReadonlyArray<readonly [string, readonly string[]]> = [
    ['', ['is empty']],
    ['  \n', ['is empty']],
    ['- a\n', ['line 1: want an object at the top']],
    [
      'maxPods: 1\n',
      [
        'apiVersion is missing: want "kubelet.config.k8s.io/v1beta1"',
        'kind is missing: want "KubeletConfiguration"',
      ],
    ],
    [
      'kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1\n',
      [
        'line 2: apiVersion "kubelet.config.k8s.io/v1" is not supported: want "kubelet.config.k8s.io/v1beta1"',
      ],
    ],
  ];
  for (const [text, problems] of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.deepEqual(problemsOf(text), problems);
    });
  }

  it('names the line of a syntax error', () => {
    assert.match(problemsOf(`${HEAD}a: [1, 2\nb: 3\n`)[0] ?? '', /^line \d+: /);
  });
});

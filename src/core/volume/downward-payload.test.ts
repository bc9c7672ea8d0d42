import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import type { DownwardApiFile } from '../api/volume.ts';
import { toDownwardPayload } from './downward-payload.ts';

const pod = samplePod(
  { containers: [sampleContainer({ resources: { limits: { cpu: '250m' }, requests: { memory: '64Mi' } } })] },
  { labels: { b: '2', a: 'x"y' }, annotations: { note: 'line\nbreak' } },
);

function show(...items: DownwardApiFile[]): Record<string, string> | string {
  const payload = toDownwardPayload(pod, items, 0o644, sampleNode());
  if (!payload.ok) return payload.message;
  const text = new TextDecoder();
  return Object.fromEntries([...payload.value].map(([path, { content }]) => [path, text.decode(content)]));
}

const field = (fieldPath: string): DownwardApiFile => ({ path: 'f', fieldRef: { fieldPath } });
const resource = (name: string, divisor?: string): DownwardApiFile => ({
  path: 'f',
  resourceFieldRef: { containerName: 'web', resource: name, ...(divisor === undefined ? {} : { divisor }) },
});

describe('toDownwardPayload', () => {
  const cases: [name: string, item: DownwardApiFile, expected: string | { f: string }][] = [
    ['the name', field('metadata.name'), { f: 'shop' }],
    ['the namespace', field('metadata.namespace'), { f: 'market' }],
    ['the UID', field('metadata.uid'), { f: '0a1b-2c3d' }],
    ['labels, sorted and quoted', field('metadata.labels'), { f: 'a="x\\"y"\nb="2"' }],
    ['annotations', field('metadata.annotations'), { f: 'note="line\\nbreak"' }],
    ['one label', field("metadata.labels['b']"), { f: '2' }],
    ['one annotation that is not there', field("metadata.annotations['x']"), { f: '' }],
    ['no address', field('status.podIP'), 'unsupported fieldPath: status.podIP'],
    ['no node name', field('spec.nodeName'), 'unsupported fieldPath: spec.nodeName'],
    ['a limit, rounded up', resource('limits.cpu'), { f: '1' }],
    ['a limit in thousandths', resource('limits.cpu', '1m'), { f: '250' }],
    ['a request in units', resource('requests.memory', '1Mi'), { f: '64' }],
    ['what the node offers for a missing limit', resource('limits.memory', '1Gi'), { f: '15' }],
    ['an unknown resource', resource('limits.magic'), 'unsupported container resource : limits.magic'],
  ];
  for (const [name, item, expected] of cases)
    it(`shows ${name}`, () => assert.deepEqual(show(item), expected));

  it('reports every problem', () => {
    assert.equal(
      show(field('a'), field('metadata.name'), { ...field('b'), path: 'g' }),
      '[unsupported fieldPath: a, unsupported fieldPath: b]',
    );
  });

  it('uses the mode of the item before the default', () => {
    const payload = toDownwardPayload(pod, [{ ...field('metadata.name'), mode: 0o400 }], 0o644, sampleNode());
    assert.equal(payload.ok && payload.value.get('f')?.mode, 0o400);
    assert.equal(toDownwardPayload(pod, [], undefined, sampleNode()).ok, false);
  });
});

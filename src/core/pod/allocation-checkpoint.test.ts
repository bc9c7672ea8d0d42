import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GrantedResources } from '../model/granted-resources.ts';
import { toPodUid } from '../model/ids.ts';
import { parseAllocations, renderAllocations } from './allocation-checkpoint.ts';

const UPSTREAM =
  '{"data":"{\\"entries\\":{\\"pod1\\":{\\"ContainerResources\\":{\\"container1\\":{\\"requests\\":{\\"cpu\\":\\"1Ki\\",\\"memory\\":\\"1Ki\\"}}}}}}","checksum":1178570812}';

describe('parseAllocations', () => {
  it('reads what the upstream kubelet wrote', () => {
    assert.deepEqual(parseAllocations(UPSTREAM), {
      entries: new Map([
        ['pod1', { containers: { container1: { requests: { cpu: '1Ki', memory: '1Ki' } } } }],
      ]),
    });
  });

  const damaged: Readonly<Record<string, string>> = {
    'text that is no JSON': '{"data"',
    'a changed checksum': UPSTREAM.replace('1178570812', '1178570813'),
    'changed data': UPSTREAM.replace('pod1', 'pod2'),
    'another document': '{"entries":{}}',
  };
  for (const [name, text] of Object.entries(damaged)) {
    it(`finds ${name}`, () => assert.ok('problem' in parseAllocations(text)));
  }

  it('takes a file without pods', () => {
    assert.deepEqual(parseAllocations(renderAllocations(new Map())), { entries: new Map() });
  });
});

describe('renderAllocations', () => {
  const one: GrantedResources = {
    containers: { b: { requests: { memory: '1Gi', cpu: '0.5' } }, a: {} },
    pod: { limits: { cpu: '2' } },
  };

  it('writes pods and containers by name with canonical quantities', () => {
    const text = renderAllocations(
      new Map([
        [toPodUid('y'), { containers: {} }],
        [toPodUid('x'), one],
      ]),
    );
    assert.equal(
      (JSON.parse(text) as { data: string }).data,
      '{"entries":{"x":{"ContainerResources":{"a":{},"b":{"requests":{"cpu":"500m","memory":"1Gi"}}},"PodLevelResources":{"limits":{"cpu":"2"}}},"y":{"ContainerResources":{},"PodLevelResources":null}}}',
    );
  });

  it('is read back as it was', () => {
    const entries = new Map([[toPodUid('x'), { containers: { main: { limits: { cpu: '1' } } } }]]);
    assert.deepEqual(parseAllocations(renderAllocations(entries)), { entries });
  });
});

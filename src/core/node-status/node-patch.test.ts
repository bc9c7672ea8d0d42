import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { applyPatch, type Json } from '../../../test/fakes/fake-api-patch.ts';
import { SAMPLE_BARE_NODE, SAMPLE_NODE_FACTS, SAMPLE_NOW_MS } from '../../../test/samples/node-samples.ts';
import type { Node } from '../api/node.ts';
import { computeNodePatch, hasNodeChanged } from './node-patch.ts';
import { computeNodeStatus } from './node-status.ts';
import type { NodeStatusFacts } from './node-status-facts.ts';

const compute = (facts: Partial<NodeStatusFacts> = {}, current: Node = SAMPLE_BARE_NODE, afterMs = 0) =>
  computeNodeStatus(current, { ...SAMPLE_NODE_FACTS, ...facts }, SAMPLE_NOW_MS + afterMs).node;

describe('computeNodePatch', () => {
  it('is undefined when nothing differs', () => {
    const node = compute();
    assert.equal(computeNodePatch(node, structuredClone(node)), undefined);
  });

  it('of a heartbeat holds the times of the conditions and nothing else', () => {
    const node = compute();
    const lastHeartbeatTime = '2026-01-02T03:09:05Z';
    assert.deepEqual(computeNodePatch(node, compute({}, node, 300_000)), {
      status: {
        conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
          type,
          lastHeartbeatTime,
        })),
      },
    });
  });

  it('holds changed fields, and null for removed ones', () => {
    const current: Node = {
      metadata: { name: 'n', labels: { a: '1', b: '', gone: '' } },
      status: { capacity: { cpu: '4', 'x.io/gpu': '1' }, volumesInUse: ['v'], images: [{ names: ['i'] }] },
    };
    const next: Node = {
      metadata: { name: 'n', labels: { a: '2', b: '', c: '' } },
      status: { capacity: { cpu: '8' }, volumesInUse: [], images: [{ names: ['i'] }, { names: ['j'] }] },
    };
    assert.deepEqual(computeNodePatch(current, next), {
      metadata: { labels: { a: '2', gone: null, c: '' } },
      status: {
        capacity: { cpu: '8', 'x.io/gpu': null },
        volumesInUse: null,
        images: [{ names: ['i'] }, { names: ['j'] }],
      },
    });
  });

  it('never touches the spec', () => {
    const current: Node = { metadata: { name: 'n' }, spec: { unschedulable: true } };
    assert.equal(computeNodePatch(current, { metadata: { name: 'n' }, spec: {} }), undefined);
  });

  it('sends changed addresses whole, replacing those there were', () => {
    const at = (...ips: string[]): Node => ({
      metadata: { name: 'n' },
      status: { addresses: ips.map((address) => ({ type: 'InternalIP', address })) },
    });
    assert.deepEqual(computeNodePatch(at('1.1.1.1'), at('1.1.1.1', 'fd00::1')), {
      status: {
        addresses: [
          { type: 'InternalIP', address: '1.1.1.1' },
          { type: 'InternalIP', address: 'fd00::1' },
          { $patch: 'replace' },
        ],
      },
    });
    assert.deepEqual(computeNodePatch(at(), at('1.1.1.1')), {
      status: { addresses: [{ type: 'InternalIP', address: '1.1.1.1' }] },
    });
  });

  it('brings the API server to the computed status, for any change', () => {
    const facts = fc.record({
      pressures: fc.record({ memory: fc.boolean(), disk: fc.boolean(), pid: fc.boolean() }),
      problems: fc.record({ network: fc.constantFrom(undefined, 'no network') }),
      volumesInUse: fc.option(fc.uniqueArray(fc.string({ minLength: 1 })), { nil: undefined }),
      addresses: fc.record({
        requested: fc.constant<string[]>([]),
        externalCloud: fc.boolean(),
        ips: fc.constantFrom(['10.0.0.1'], ['10.0.0.1', 'fd00::1'], ['10.0.0.2']),
      }),
      maxImages: fc.constantFrom(0, 1, 2),
      kubeletPort: fc.constantFrom(10250, 10251),
    });
    fc.assert(
      fc.property(facts, facts, (first, second) => {
        const current = compute(first);
        const next = compute(second, current, 10_000);
        const patch = computeNodePatch(current, next);
        const stored = applyPatch(current as unknown as Json, patch as Json, 'strategic') as unknown as Node;
        assert.equal(computeNodePatch(stored, next), undefined);
        assert.equal(hasNodeChanged(stored, next), false);
      }),
    );
  });
});

describe('hasNodeChanged', () => {
  it('ignores heartbeats and the order of conditions', () => {
    const node = compute();
    const later = compute({}, node, 300_000);
    const conditions = later.status.conditions?.toReversed() ?? [];
    assert.equal(hasNodeChanged(node, { ...later, status: { ...later.status, conditions } }), false);
  });

  it('ignores empty fields, which the API server does not keep', () => {
    const node = compute({ images: [], runtimeHandlers: [], volumesInUse: [] });
    const { images: _i, runtimeHandlers: _r, volumesInUse: _v, ...status } = node.status;
    assert.equal(hasNodeChanged({ ...node, status }, node), false);
  });

  it('ignores how the API server shows an image without names and size', () => {
    const node = compute({ images: [{ id: 'x', repoTags: [], repoDigests: [], sizeBytes: 0 }] });
    const images = [{ names: null }] as unknown as [];
    assert.equal(hasNodeChanged({ ...node, status: { ...node.status, images } }, node), false);
  });

  it('sees a flipped condition, another image and another label', () => {
    const node = compute();
    assert.ok(hasNodeChanged(node, compute({ problems: { network: 'x' } }, node)));
    assert.ok(hasNodeChanged(node, compute({ images: [] }, node)));
    const labels = { ...node.metadata.labels, 'kubernetes.io/arch': 'arm64' };
    assert.ok(hasNodeChanged({ ...node, metadata: { ...node.metadata, labels } }, node));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toNumaMask } from './numa-mask.ts';
import { renderMisplacement } from './render-misplacement.ts';
import type { TopologyHint } from './topology-hint.ts';

const at = (...nodes: readonly number[]): TopologyHint => ({ nodes: toNumaMask(nodes), preferred: true });
const asked = { cpu: '4', memory: '1Gi', 'x.io/dev': '2' };
const start =
  'it asks for 4 of cpu and 2 of x.io/dev from NUMA nodes that the topology policy single-numa-node takes together: ';

describe('renderMisplacement', () => {
  it('names where each resource could come from, the narrowest places only', () => {
    const hints = [
      new Map([['x.io/dev', [at(1), at(0, 1)]]]),
      new Map([['cpu', [at(0), at(2), at(0, 1)]]]),
      undefined,
      new Map([['memory', undefined]]),
    ].toReversed();
    assert.equal(
      renderMisplacement({ asked, hints, policy: 'single-numa-node' }),
      `${start}cpu can come from node 0 or 2, x.io/dev can come from node 1`,
    );
  });

  it('names what is missing altogether', () => {
    const hints = [new Map([['cpu', [at(0, 1)]]]), new Map([['x.io/dev', []]])];
    assert.equal(
      renderMisplacement({ asked, hints, policy: 'single-numa-node' }),
      `${start}too little of x.io/dev is free`,
    );
  });

  it('shows sets of nodes, and not all of many', () => {
    const pairs = [at(0, 1), at(0, 2), at(0, 3), at(1, 2), at(1, 3)];
    const text = renderMisplacement({ asked, hints: [new Map([['cpu', pairs]])], policy: 'restricted' });
    assert.ok(text.endsWith('cpu can come from nodes 0+1 or 0+2 or 0+3 or 1+2 or others'));
  });
});

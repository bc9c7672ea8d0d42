import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type NodeWarningFacts, toNodeWarnings } from './node-warnings.ts';

const FACTS: NodeWarningFacts = {
  cgroupVersion: 2,
  swapBytes: 0,
  tmpfsNoSwap: false,
  clusterDomain: 'cluster.local',
  resolver: { path: '/r', text: 'search a b\nnameserver 192.0.2.1\n' },
};
const warn = (more: Partial<NodeWarningFacts>): string[] =>
  toNodeWarnings({ ...FACTS, ...more }).map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
const search = (...domains: string[]): Partial<NodeWarningFacts> => ({
  resolver: { path: '/r', text: `search ${domains.join(' ')}\n` },
});

describe('toNodeWarnings', () => {
  it('is empty for a node without problems', () => {
    assert.deepEqual(warn({}), []);
    assert.deepEqual(warn({ resolver: undefined }), []);
  });

  it('warns about cgroup version 1, and about secrets that may be swapped', () => {
    const [first = '', ...others] = warn({ cgroupVersion: 1 });
    assert.match(first, /^Warning CgroupV1: cgroup v1 detected\./);
    assert.deepEqual(others, []);
    assert.match(
      warn({ swapBytes: 1 }).join(),
      /^Warning PossibleMemoryBackedVolumesOnDisk: The tmpfs noswap/,
    );
    assert.deepEqual(warn({ swapBytes: 1, tmpfsNoSwap: true }), []);
  });

  it('warns about what pods will not get from the resolver file', () => {
    const prefix = "Warning CheckLimitsForResolvConf: Resolv.conf file '/r' contains search line";
    const many = search(...Array.from({ length: 30 }, (_none, index) => `d${index}`));
    assert.deepEqual(warn(many), [`${prefix} consisting of more than 29 domains!`]);
    assert.deepEqual(warn({ ...many, clusterDomain: '' }), []);
    assert.match(warn(search('x'.repeat(254))).join(), /"\/r" contains a search path .* allowed 253 chars!$/);
    const long = search(...Array.from({ length: 10 }, (_none, index) => `${index}`.repeat(250)));
    assert.deepEqual(warn(long), [`${prefix} which length is more than allowed 2048 chars!`]);
    assert.deepEqual(warn({ resolver: { path: '/r', problem: 'open /r: no such file or directory' } }), [
      'Warning CheckLimitsForResolvConf: open /r: no such file or directory',
    ]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RuntimeFacts } from '../../../adapters/cri/inspect-runtime.ts';
import { findRunObstacle } from './check-runtime.ts';

const READY: RuntimeFacts = {
  name: 'containerd',
  version: '2',
  conditions: ['RuntimeReady', 'NetworkReady'].map((type) => ({
    type,
    status: true,
    reason: '',
    message: '',
  })),
  cgroupDriver: 'cgroupfs',
  imageDirectories: [],
  podsOfOthers: [],
};
const without = (type: string): RuntimeFacts => ({
  ...READY,
  conditions: [{ type, status: false, reason: 'Broken', message: 'cni plugin not initialized' }],
});
const [inPodNetwork, onHost] = [
  { spec: { containers: [] } },
  { spec: { containers: [], hostNetwork: true } },
];

describe('findRunObstacle', () => {
  for (const [what, facts, pods, problem] of [
    ['nothing is wrong', READY, [inPodNetwork], undefined],
    [
      'no answer',
      { problem: 'refused' },
      [inPodNetwork],
      /cannot use the container runtime on unix:\/\/s: refused/,
    ],
    ['not ready', without('RuntimeReady'), [inPodNetwork], /is not ready: cni plugin/],
    [
      'no network',
      without('NetworkReady'),
      [onHost, inPodNetwork],
      /no pod network.*\nput a CNI configuration/,
    ],
    ['no network that is needed', without('NetworkReady'), [onHost], undefined],
    [
      'pods of another kubelet',
      { ...READY, podsOfOthers: ['a/1', 'a/2', 'a/3', 'a/4'] },
      [inPodNetwork],
      /a\/1, a\/2, a\/3 and 1 more/,
    ],
  ] as const)
    it(what, () => {
      const found = findRunObstacle('unix://s', facts, pods);
      if (problem === undefined) assert.equal(found, undefined);
      else assert.match(found ?? '', problem);
    });
});

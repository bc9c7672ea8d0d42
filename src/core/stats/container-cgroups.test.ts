import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findContainerCgroup } from './container-cgroups.ts';

describe('findContainerCgroup', () => {
  for (const [name, children, expected] of [
    ['by its id', ['other', 'abc123'], '/pods/one/abc123'],
    ['as a scope of containerd', ['cri-containerd-abc123.scope'], '/pods/one/cri-containerd-abc123.scope'],
    ['as a scope of CRI-O', ['crio-abc123.scope', 'crio-conmon-1.scope'], '/pods/one/crio-abc123.scope'],
    ['not by a part of an id', ['abc1234', 'xabc123', 'x-abc1234.scope'], undefined],
    ['not where there is none', [], undefined],
  ] as const)
    it(`finds it ${name}`, () =>
      assert.equal(findContainerCgroup('/pods/one', children, 'abc123'), expected));
});

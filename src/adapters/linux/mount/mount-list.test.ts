import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fitsMountList, renderMountList } from './mount-list.ts';

const TOKEN = {
  fsType: 'tmpfs',
  source: 'tmpfs',
  target: '/var/lib/kubelet/pods/0-1/volumes/kubernetes.io~projected/kube-api-access',
  options: ['size=1024', 'noswap'],
};

describe('the list of mounts', () => {
  it('has a line for each', () => {
    const bare = { ...TOKEN, target: '/a', options: [] };
    assert.equal(
      renderMountList([TOKEN, bare]),
      `tmpfs ${TOKEN.target} tmpfs size=1024,noswap 0 0\ntmpfs /a tmpfs defaults 0 0\n`,
    );
  });

  it('has nothing that could end a word or a line, or mean something else there', () => {
    assert.equal(fitsMountList(TOKEN), true);
    for (const bad of [
      { target: '/a b' },
      { target: '/a\nb' },
      { target: '/a\\040b' },
      { target: '' },
      { target: 'a' },
      { source: '#' },
      { source: 'LABEL="a"' },
      { source: '' },
      { options: ['size=1', ''] },
      { options: ['size=1,exec'] },
    ])
      assert.equal(fitsMountList({ ...TOKEN, ...bad }), false);
  });
});

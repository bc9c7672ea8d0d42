import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toPodUid } from './ids.ts';
import {
  containerDirectory,
  hostsFilePath,
  pluginsDirectory,
  podDirectory,
  volumeDirectory,
  volumesDirectory,
} from './pod-paths.ts';

describe('pod paths', () => {
  it('are upstream’s', () => {
    const root = '/var/lib/kubelet';
    const uid = toPodUid('u');
    assert.deepEqual(
      [
        podDirectory(root, uid),
        volumesDirectory(root, uid),
        pluginsDirectory(root, uid),
        containerDirectory(root, uid, 'main'),
        hostsFilePath(root, uid),
        volumeDirectory(root, uid, 'kubernetes.io/empty-dir', 'tmp'),
      ],
      [
        '/var/lib/kubelet/pods/u',
        '/var/lib/kubelet/pods/u/volumes',
        '/var/lib/kubelet/pods/u/plugins',
        '/var/lib/kubelet/pods/u/containers/main',
        '/var/lib/kubelet/pods/u/etc-hosts',
        '/var/lib/kubelet/pods/u/volumes/kubernetes.io~empty-dir/tmp',
      ],
    );
  });

  it('stay inside the directory of the pod', () => {
    const uid = toPodUid('u');
    for (const name of ['', '.', '..', '../x', '/etc', 'a/b', 'a\0b']) {
      assert.throws(() => toPodUid(name), { code: 'invalid-argument' });
      assert.throws(() => containerDirectory('/r', uid, name), { code: 'invalid-argument' });
      assert.throws(() => volumeDirectory('/r', uid, 'kubernetes.io/x', name), { code: 'invalid-argument' });
    }
  });
});

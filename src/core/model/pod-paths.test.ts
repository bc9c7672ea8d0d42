import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
    assert.deepEqual(
      [
        podDirectory(root, 'u'),
        volumesDirectory(root, 'u'),
        pluginsDirectory(root, 'u'),
        containerDirectory(root, 'u', 'main'),
        hostsFilePath(root, 'u'),
        volumeDirectory(root, 'u', 'kubernetes.io/empty-dir', 'tmp'),
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
});

/** Facts and nodes for tests of the node status; a test changes what it is about. */
import type { Node } from '../../src/core/api/node.ts';
import type { NodeStatusFacts } from '../../src/core/node-status/node-status-facts.ts';

export const SAMPLE_NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
export const SAMPLE_NOW = '2026-01-02T03:04:05Z';

const GI = 1024 ** 3;

export const SAMPLE_NODE_FACTS: NodeStatusFacts = {
  nodeName: 'worker-1',
  addresses: { requested: [], externalCloud: false, ips: ['10.0.0.7'] },
  resources: {
    machine: {
      cpuCount: 4,
      memoryBytes: 8 * GI,
      ephemeralStorageBytes: 100 * GI,
      hugepages: [
        { pageBytes: 2 * 1024 ** 2, totalBytes: 0 },
        { pageBytes: GI, totalBytes: GI },
      ],
    },
    maxPods: 110,
    podsPerCore: 0,
    localStorage: true,
    reserved: { cpu: '500m', memory: '1Gi', 'ephemeral-storage': '10Gi' },
    devices: [],
  },
  system: {
    machineId: 'machine',
    systemUuid: 'system',
    bootId: 'boot-1',
    kernelVersion: '6.1.0-18-amd64',
    osImage: 'Debian GNU/Linux 12 (bookworm)',
    operatingSystem: 'linux',
    architecture: 'amd64',
    swapBytes: 0,
  },
  runtime: { name: 'containerd', version: 'v2.1.9' },
  kubeletVersion: 'v1.36.4+ts.0.1.0',
  kubeletPort: 10250,
  shutdownGuard: undefined,
  images: [
    { id: 'sha256:a', repoTags: ['pause:3.10'], repoDigests: ['pause@sha256:a'], sizeBytes: 300_000 },
    { id: 'sha256:b', repoTags: ['web:1'], repoDigests: ['web@sha256:b'], sizeBytes: 9_000_000 },
  ],
  maxImages: 50,
  runtimeHandlers: [
    { name: 'runc', recursiveReadOnlyMounts: true, userNamespaces: true },
    { name: '', recursiveReadOnlyMounts: true, userNamespaces: false },
  ],
  runtimeFeatures: { supplementalGroupsPolicy: true },
  pressures: { memory: false, disk: false, pid: false },
  problems: {},
  canCapCpu: true,
  volumesInUse: undefined,
  declaredFeatures: undefined,
};

/** A node that an administrator created. */
export const SAMPLE_BARE_NODE: Node = { metadata: { name: 'worker-1', uid: 'u1', resourceVersion: '7' } };

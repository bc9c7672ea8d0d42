/** What the node shows whose kubelet answers sub-commands in tests: pods, their past, what they use and hold. */
import type { Pod } from '../../src/core/api/pod.ts';
import type { RememberedEvent } from '../../src/core/events/remembered-event.ts';
import type { ResourceReport } from '../../src/core/numa-memory/resource-report.ts';
import type { UsageReading } from '../../src/ports/host/node-statistics.ts';
import type { RecordedTimeline } from '../../src/server/pods/timeline-route.ts';

export const CLI_NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

export const cliPod = (namespace: string, name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `${name}-n1`,
    namespace,
    uid: `uid-${name}`,
    annotations: { 'kubernetes.io/config.source': 'file' },
  },
  spec: { nodeName: 'n1', containers: [{ name: 'main' }, { name: 'side' }] },
  status: {
    phase: 'Running',
    startTime: new Date(CLI_NOW_MS - 60_000).toISOString(),
    containerStatuses: ['main', 'side'].map((container) => ({
      name: container,
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      lastState: {},
      ready: true,
      restartCount: 0,
      image: '',
      imageID: '',
      containerID: `containerd://${container}-1`,
    })),
  },
});

const time = new Date(CLI_NOW_MS).toISOString();
const used = (usageNanoCores: number, workingSetBytes: number) => ({
  cpu: { time, usageNanoCores },
  memory: { time, workingSetBytes },
});
export const cliUsage: UsageReading = {
  atMs: CLI_NOW_MS,
  summary: {
    node: {
      nodeName: 'n1',
      startTime: time,
      cpu: { time, usageNanoCores: 1e9 },
      memory: { time, workingSetBytes: 256 * 1024 ** 2, availableBytes: 768 * 1024 ** 2 },
    },
    pods: [
      {
        podRef: { namespace: 'kube-system', name: 'dns-n1', uid: 'uid-dns' },
        startTime: time,
        ...used(5e6, 90 * 1024 ** 2),
        containers: [{ name: 'main', startTime: time, ...used(5e6, 80 * 1024 ** 2) }],
      },
      {
        podRef: { namespace: 'default', name: 'web-n1', uid: 'uid-web' },
        startTime: time,
        memory: { time, workingSetBytes: 10 * 1024 ** 2 },
        containers: [],
      },
    ],
  },
};

export const cliHistory = {
  atMs: [CLI_NOW_MS - 10_000, CLI_NOW_MS],
  of: (uid?: string) => ({
    cpuNanoCores: uid === undefined ? [5e8, 1e9] : [null, null],
    memoryBytes: [0, 1],
  }),
};

export const cliEvents: RememberedEvent[] = [
  {
    object: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web-n1', uid: 'uid-web' },
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off',
    count: 1,
    firstAtMs: CLI_NOW_MS - 5_000,
    lastAtMs: CLI_NOW_MS - 5_000,
  },
  {
    object: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
    type: 'Normal',
    reason: 'Starting',
    message: 'x',
    count: 1,
    firstAtMs: CLI_NOW_MS - 5_000,
    lastAtMs: CLI_NOW_MS - 5_000,
  },
];

export const cliAssignments: ResourceReport = {
  cpuPolicy: 'static',
  memoryPolicy: 'None',
  topologyPolicy: 'none',
  nodes: [
    {
      id: 0,
      sockets: [0],
      cpus: [
        { cpus: '0', owner: 'reserved, shared' },
        { cpus: '1,5', owner: 'default/web-n1 main' },
      ],
      memory: [{ type: 'memory', bytes: 2 ** 30, owner: 'shared' }],
    },
  ],
  devices: [{ resource: 'example.com/gpu', id: 'gpu0', numaNodes: [0], owner: 'free' }],
};

export const cliTimeline: RecordedTimeline = {
  seenAtMs: CLI_NOW_MS - 5_000,
  steps: [
    { what: 'admission', startMs: CLI_NOW_MS - 5_000, endMs: CLI_NOW_MS - 4_999 },
    { what: 'image', about: 'evil\u001b[31m\n', startMs: CLI_NOW_MS - 4_000, endMs: CLI_NOW_MS - 3_000 },
    { what: 'start', about: 'main', startMs: CLI_NOW_MS - 3_000, endMs: CLI_NOW_MS - 2_500 },
    { what: 'ready', startMs: CLI_NOW_MS - 2_500, endMs: CLI_NOW_MS - 2_500 },
  ],
  leftOut: 0,
};

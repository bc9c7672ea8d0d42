/**
 * Statistics of a pod on real containerd: what `/stats/summary` and
 * `/metrics/resource` say is what the pod does.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import type { ContainerStats, PodStats, Summary } from '../../src/core/stats/summary.ts';
import { type TestNode, withNode } from './node.ts';
import { container, samplePod } from './sample-pods.ts';

const MIB = 1024 * 1024;
/** What the pod below is made to use. */
const ROOTFS_BYTES = 3 * MIB;
const VOLUME_BYTES = 2 * MIB;
const LOG_BYTES = MIB;
const MEMORY_BYTES = 8 * MIB;
const BUSY_CORES = 0.1;
/** Two shells, two sleeps. */
const PROCESSES = 4;
/** The runtime looks at writable layers every 10 s. */
const LAYER_DEADLINE_MS = 30_000;

const WRITER = [
  `head -c ${ROOTFS_BYTES} /dev/zero >/written`,
  `head -c ${VOLUME_BYTES} /dev/zero >/data/file`,
  `head -c ${MEMORY_BYTES} /dev/zero >/memory/file`,
  `head -c ${LOG_BYTES} /dev/zero | tr '\\0' x; echo`,
  'sleep 1000 & sleep 1000 & wait',
].join('; ');

const POD = samplePod('measured', {
  terminationGracePeriodSeconds: 0,
  containers: [
    container('writer', ['sh', '-c', WRITER], {
      volumeMounts: [
        { name: 'data', mountPath: '/data' },
        { name: 'memory', mountPath: '/memory' },
        { name: 'facts', mountPath: '/facts' },
      ],
    }),
    container('busy', ['sh', '-c', 'while :; do :; done'], {
      resources: { limits: { cpu: `${BUSY_CORES}`, memory: '32Mi' } },
    }),
  ],
  volumes: [
    { name: 'data', emptyDir: {} },
    { name: 'memory', emptyDir: { medium: 'Memory' } },
    { name: 'facts', downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
  ],
});

function ask(node: TestNode, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${node.kubelet.readOnlyPort}${path}`);
}

async function summary(node: TestNode, query = ''): Promise<Summary> {
  const response = await ask(node, `/stats/summary${query}`);
  assert.equal(response.status, 200);
  return (await response.json()) as Summary;
}

async function measured(node: TestNode, query = ''): Promise<PodStats | undefined> {
  const { pods } = await summary(node, query);
  return pods.find(({ podRef }) => podRef.name === node.podName('measured'));
}

function containerOf(pod: PodStats, name: string): ContainerStats {
  const found = pod.containers.find((candidate) => candidate.name === name);
  assert.ok(found, `no container "${name}" in ${JSON.stringify(pod)}`);
  return found;
}

/** A refused connection moves bytes both ways. */
async function touchNetwork(ip: string): Promise<void> {
  const socket = connect({ host: ip, port: 9 });
  await new Promise((resolve) => socket.once('error', resolve).once('connect', resolve));
  socket.destroy();
}

function isAbout(actual: number | undefined, expected: number, share: number): boolean {
  return actual !== undefined && Math.abs(actual - expected) <= expected * share;
}

describe('statistics', () => {
  it('show what a pod uses', () =>
    withNode({ config: { volumeStatsAggPeriod: '1s' } }, async (node) => {
      await node.writeManifest('measured.yaml', POD);
      const { status, metadata } = await node.waitReady('measured');
      await touchNetwork(status.podIP ?? '');
      const shown = await node.waitFor(
        'the pod to have written, and the runtime to have counted its layer',
        async () => {
          const pod = await measured(node);
          return pod !== undefined && isAtRest(pod) && pod;
        },
        LAYER_DEADLINE_MS,
      );
      checkPod(shown, metadata.uid);
      checkContainers(containerOf(shown, 'writer'), containerOf(shown, 'busy'));
      await checkNode(node);
      await checkReduced(node);
      await checkResources(node, shown);
    }));
});

/** All was written and measured since: the processes that wrote are gone, and there were two samples. */
function isAtRest(pod: PodStats): boolean {
  const rootfs = pod.containers.find(({ name }) => name === 'writer')?.rootfs;
  const isCounted = (rootfs?.usedBytes ?? 0) >= ROOTFS_BYTES && pod.volume?.length === 3;
  return isCounted && pod.cpu?.usageNanoCores !== undefined && pod.process_stats?.process_count === PROCESSES;
}

function checkPod(pod: PodStats, uid: string): void {
  assert.equal(pod.podRef.uid, uid);
  const { network } = pod;
  assert.equal(network?.name, 'eth0');
  assert.ok((network?.rxBytes ?? 0) > 0 && (network?.txBytes ?? 0) > 0, JSON.stringify(network));
  assert.ok((pod.memory?.workingSetBytes ?? 0) >= MEMORY_BYTES, JSON.stringify(pod.memory));
  const volumes = new Map(pod.volume?.map((volume) => [volume.name, volume]));
  assert.ok(isAbout(volumes.get('data')?.usedBytes, VOLUME_BYTES, 0.05), JSON.stringify(pod.volume));
  assert.ok(isAbout(volumes.get('memory')?.usedBytes, MEMORY_BYTES, 0.05), JSON.stringify(pod.volume));
  assert.ok((volumes.get('facts')?.inodesUsed ?? 0) >= 3, JSON.stringify(pod.volume));
  const used = pod['ephemeral-storage']?.usedBytes ?? 0;
  assert.ok(used >= ROOTFS_BYTES + VOLUME_BYTES + LOG_BYTES, `ephemeral storage ${used}`);
  assert.ok(used < ROOTFS_BYTES + VOLUME_BYTES + MEMORY_BYTES + LOG_BYTES, `ephemeral storage ${used}`);
}

function checkContainers(writer: ContainerStats, busy: ContainerStats): void {
  assert.ok(isAbout(writer.rootfs?.usedBytes, ROOTFS_BYTES, 0.1), JSON.stringify(writer.rootfs));
  assert.ok((writer.logs?.usedBytes ?? 0) >= LOG_BYTES, JSON.stringify(writer.logs));
  assert.equal(writer.logs?.inodesUsed, 1);
  assert.equal(writer.memory?.availableBytes, undefined);
  assert.ok((busy.cpu?.usageCoreNanoSeconds ?? 0) > 1e8, JSON.stringify(busy.cpu));
  assert.ok(isAbout(busy.cpu?.usageNanoCores, BUSY_CORES * 1e9, 0.5), JSON.stringify(busy.cpu));
  const { availableBytes = 0, workingSetBytes = 0 } = busy.memory ?? {};
  assert.equal(availableBytes + workingSetBytes, 32 * MIB);
}

async function checkNode(node: TestNode): Promise<void> {
  const { node: stats } = await summary(node);
  assert.equal(stats.nodeName, node.name);
  assert.ok((stats.cpu?.usageNanoCores ?? 0) > 0, JSON.stringify(stats.cpu));
  assert.ok((stats.memory?.availableBytes ?? 0) > 0, JSON.stringify(stats.memory));
  for (const fs of [stats.fs, stats.runtime?.imageFs, stats.runtime?.containerFs])
    assert.ok((fs?.capacityBytes ?? 0) > 0 && (fs?.inodesFree ?? 0) > 0, JSON.stringify(fs));
  assert.ok((stats.rlimit?.maxpid ?? 0) > (stats.rlimit?.curproc ?? Number.POSITIVE_INFINITY));
  const pods = stats.systemContainers?.find(({ name }) => name === 'pods');
  assert.ok((pods?.memory?.workingSetBytes ?? 0) >= MEMORY_BYTES, JSON.stringify(pods));
}

async function checkReduced(node: TestNode): Promise<void> {
  const reduced = await measured(node, '?only_cpu_and_memory=true');
  assert.deepEqual(
    [reduced?.network, reduced?.volume, reduced?.containers[0]?.rootfs],
    [undefined, undefined, undefined],
  );
  assert.ok((reduced?.memory?.workingSetBytes ?? 0) > 0);
}

async function checkResources(node: TestNode, pod: PodStats): Promise<void> {
  const response = await ask(node, '/metrics/resource');
  const text = await response.text();
  const labels = `namespace="default",pod="${pod.podRef.name}"`;
  const findValue = (name: string, of: string): number => {
    const match = new RegExp(`^${name}${of === '' ? '' : `\\{${of}\\}`} (\\S+) \\d{13}$`, 'm').exec(text);
    assert.ok(match, `no ${name} of ${of} in ${text}`);
    return Number(match[1]);
  };
  assert.ok(findValue('container_cpu_usage_seconds_total', `container="busy",${labels}`) > 0.1);
  assert.ok(findValue('pod_memory_working_set_bytes', labels) >= MEMORY_BYTES);
  assert.ok(findValue('node_cpu_usage_seconds_total', '') > 1);
  assert.match(text, new RegExp(`^container_start_time_seconds\\{container="busy",${labels}\\} \\d+$`, 'm'));
  assert.match(text, /^resource_scrape_error 0$/m);
}

/** Statistics on cgroup v2: what the kernel's own files say at that moment is what callers get. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ListedPod } from '../../../scripts/demo/kubelet-process.ts';
import type { ContainerStats, PodStats, Summary } from '../../../src/core/stats/summary.ts';
import { cgroupDirectory, containerCgroup, IS_UNIFIED } from '../../integration/cgroup-paths.ts';
import { containerStatus, type TestNode, withNode } from '../../integration/node.ts';
import { container, samplePod } from '../../integration/sample-pods.ts';

const MIB = 2 ** 20;
const LIMIT_BYTES = 48 * MIB;
const CACHE_BYTES = 8 * MIB;
/** What the kernel takes and gives back between two looks. */
const SLACK_BYTES = MIB;
/** Callers within this time share one reading. */
const SHARED_MS = 6_000;

/** Has a file in the page cache and does a little, within its limits. */
const WORK = `head -c ${CACHE_BYTES} /dev/zero >/file; cat /file >/dev/null; while :; do i=1; while [ $i -lt 2000 ]; do i=$((i + 1)); done; sleep 0.2; done`;

interface Numbers {
  readonly usage: number;
  readonly workingSet: number;
  readonly rss: number;
  readonly faults: number;
  readonly cpuNs: number;
}

function readNumbers(directory: string): Numbers {
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
  const find = (file: string, key: string): number =>
    Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(read(file))?.[1]);
  const usage = Number(read('memory.current'));
  return {
    usage,
    workingSet: Math.max(0, usage - find('memory.stat', 'inactive_file')),
    rss: find('memory.stat', 'anon'),
    faults: find('memory.stat', 'pgfault'),
    cpuNs: find('cpu.stat', 'usage_usec') * 1_000,
  };
}

async function ask(node: TestNode, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${node.kubelet.readOnlyPort}${path}`);
  assert.equal(response.status, 200);
  return response.text();
}

async function readPod(node: TestNode): Promise<PodStats> {
  const { pods } = JSON.parse(await ask(node, '/stats/summary?only_cpu_and_memory=true')) as Summary;
  const found = pods.find(({ podRef }) => podRef.name === node.podName('measured'));
  return found ?? assert.fail('the pod has no statistics');
}

/** Between what was there before and after it was read; memory may go both ways. */
function checkNumbers(shown: PodStats | ContainerStats, before: Numbers, after: Numbers): void {
  const { memory, cpu } = shown;
  const near = (name: string, value: number | undefined, low: number, high: number): void =>
    assert.ok(
      value !== undefined && value >= low && value <= high,
      `${name} ${value}, the kernel says ${low} to ${high}`,
    );
  const nearMemory = (name: string, value: number | undefined, of: (one: Numbers) => number): void =>
    near(
      name,
      value,
      Math.min(of(before), of(after)) - SLACK_BYTES,
      Math.max(of(before), of(after)) + SLACK_BYTES,
    );
  nearMemory('usage', memory?.usageBytes, ({ usage }) => usage);
  nearMemory('working set', memory?.workingSetBytes, ({ workingSet }) => workingSet);
  nearMemory('resident', memory?.rssBytes, ({ rss }) => rss);
  near('page faults', memory?.pageFaults, before.faults, after.faults);
  near('CPU time', cpu?.usageCoreNanoSeconds, before.cpuNs, after.cpuNs);
}

/** The lines of a metric with these labels, without the time they may carry. */
function findValue(text: string, name: string, labels: readonly string[]): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
  const found = lines.filter((line) => labels.every((label) => line.includes(label)));
  assert.equal(found.length, 1, `${name} of ${labels.join(', ')} in\n${lines.join('\n')}`);
  return Number(found[0]?.slice((found[0]?.lastIndexOf('} ') ?? 0) + 2).split(' ')[0]);
}

/** What `/metrics/cadvisor` calls the container and its limits. */
async function checkMetrics(node: TestNode, directory: string, pod: ListedPod): Promise<void> {
  const before = readNumbers(directory);
  const text = await ask(node, '/metrics/cadvisor');
  const after = readNumbers(directory);
  const id = `id="${directory.replace('/sys/fs/cgroup', '')}"`;
  const labels = ['container="main"', `pod="${pod.metadata.name}"`, 'namespace="default"', id];
  const read = (name: string): number => findValue(text, name, labels);
  assert.equal(read('container_spec_memory_limit_bytes'), LIMIT_BYTES);
  assert.equal(read('container_spec_cpu_quota'), 20_000);
  assert.equal(read('container_spec_cpu_period'), 100_000);
  const set = read('container_memory_working_set_bytes');
  assert.ok(
    set >= Math.min(before.workingSet, after.workingSet) - SLACK_BYTES &&
      set <= Math.max(before.workingSet, after.workingSet) + SLACK_BYTES,
    `working set ${set}: ${JSON.stringify([before, after])}`,
  );
  assert.ok(read('container_memory_cache') >= CACHE_BYTES);
  assert.ok(read('container_cpu_cfs_periods_total') > 0);
  assert.ok(read('container_memory_max_usage_bytes') >= before.usage - SLACK_BYTES);
}

describe('statistics on cgroup v2', { skip: !IS_UNIFIED && 'this machine has cgroup v1' }, () => {
  it('are those of the kernel, of a pod and of its container, in both forms', () =>
    withNode({}, async (node) => {
      const limits = { cpu: '200m', memory: String(LIMIT_BYTES) };
      const main = container('main', ['sh', '-c', WORK], {
        resources: { requests: limits, limits },
        // Not one that goes on: what it starts in the container is measured with it.
        startupProbe: { exec: { command: ['test', '-s', '/file'] }, periodSeconds: 1 },
      });
      const spec = { terminationGracePeriodSeconds: 0, containers: [main] };
      await node.writeManifest('measured.json', samplePod('measured', spec));
      const pod = await node.waitReady('measured');
      const id = (containerStatus(pod, 'main').containerID ?? '').replace('containerd://', '');
      const whole = cgroupDirectory(node, '', `pod${pod.metadata.uid}`);
      const inside = join(whole, containerCgroup(id));
      await readPod(node);
      await new Promise((resolve) => setTimeout(resolve, SHARED_MS));

      const before = [whole, inside].map(readNumbers);
      const shown = await readPod(node);
      const after = [whole, inside].map(readNumbers);
      const [first] = shown.containers;
      for (const [index, stats] of [shown, first].entries()) {
        const [low, high] = [before[index], after[index]];
        assert.ok(stats !== undefined && low !== undefined && high !== undefined);
        checkNumbers(stats, low, high);
      }
      assert.equal((first?.memory?.availableBytes ?? 0) + (first?.memory?.workingSetBytes ?? 0), LIMIT_BYTES);
      await new Promise((resolve) => setTimeout(resolve, SHARED_MS));
      await checkMetrics(node, inside, pod);
    }));
});

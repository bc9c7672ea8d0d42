/**
 * The kubelet is killed again and again while pods run: the API objects must
 * not change for that, and each new kubelet must work at once.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node } from '../../../src/core/api/node.ts';
import { AuditLog, WRITES } from './audit-log.ts';
import {
  type Cluster,
  conditionOf,
  NEEDS_CLUSTER,
  requireVariable,
  waitFor,
  waitForReadyPods,
  withCluster,
} from './cluster.ts';
import { Daemon } from './daemon.ts';
import { PodWatch, toMarks } from './pod-watch.ts';
import { sleeper } from './sample-objects.ts';

const PODS = 20;
const KILLS = 20;
const START_LIMIT_MS = 2_000;
/** How many of the starts a busy machine may spoil: most of them show what the kubelet can do. */
const SPARED = KILLS / 2;
/** And how late one of those may be. Waiting for a lock, a lease or the next look takes longer. */
const LATE_MS = 5_000;

/** Without and with readiness probes: those must stay ready although no kubelet probes them for a while. */
const PROBES = [
  {},
  { readinessProbe: { exec: { command: ['true'] }, periodSeconds: 2, failureThreshold: 1 } },
  { startupProbe: { exec: { command: ['true'] }, periodSeconds: 1 } },
  { livenessProbe: { exec: { command: ['true'] }, periodSeconds: 3 } },
];

describe('kill -9 of the kubelet, twenty times', NEEDS_CLUSTER, () => {
  it('restarts no container, flips no Ready, and new pods start within two seconds', (t) =>
    withCluster(async (cluster, namespace) => {
      const pods = Array.from({ length: PODS }, (_, n) =>
        sleeper(`stays-${n}`, { fields: PROBES[n % PROBES.length] ?? {} }),
      );
      await cluster.apply(namespace, ...pods);
      const before = toMarks(await waitForReadyPods(cluster, namespace, PODS));
      await using watch = new PodWatch(cluster, namespace);
      await watch.waitForReady('stays-0');
      const kubelet = Daemon.find('kubelet-cluster');
      const nodeBefore = toReadiness(await cluster.node());
      // A line about the last of them may come a little after its answer: the log counts from the next start on.
      await measureUsualStart(cluster, namespace, watch, 'usual');
      const audit = new AuditLog(requireVariable('KUBELET_TS_HOST_DIR'));
      const starts: Start[] = [];
      for (let n = 0; n < KILLS; n++) {
        await kubelet.kill();
        const name = `new-${n}`;
        await cluster.apply(namespace, sleeper(name, { nodeName: cluster.nodeName }));
        kubelet.start();
        const spawnedAtMs = performance.now();
        const backAtMs = await waitFor('the kubelet to answer', isHealthy);
        const readyAtMs = await watch.waitForReady(name);
        await cluster.kubectl('-n', namespace, 'delete', 'pod', name, '--wait=false');
        starts.push({
          bootMs: backAtMs - spawnedAtMs,
          readyMs: Math.max(0, readyAtMs - backAtMs),
          usualMs: await measureUsualStart(cluster, namespace, watch, `usual-${n}`),
        });
      }
      t.diagnostic(`the process was back after, ms: ${render(starts.map(({ bootMs }) => bootMs))}`);
      t.diagnostic(`ready after it was back, ms: ${render(starts.map(({ readyMs }) => readyMs))}`);
      t.diagnostic(`ready when it lives on, ms: ${render(starts.map(({ usualMs }) => usualMs))}`);
      const after = await waitForReadyPods(cluster, namespace, PODS);
      const own = watch.changes.filter((line) => line.startsWith('stays-'));
      assert.deepEqual(own, [], 'an API watcher saw nothing');
      assert.deepEqual(toMarks(after), before);
      assert.deepEqual(toReadiness(await cluster.node()), nodeBefore, 'the node never was less than ready');
      const writes = audit
        .read()
        .filter(({ verb, resource }) => WRITES.includes(verb) && resource === 'pods');
      const ownWrites = writes.filter(({ name }) => name.startsWith('stays-'));
      assert.deepEqual(ownWrites, [], 'nothing was written about pods that nothing happened to');
      const late = starts.filter((start) => start.readyMs > toLimitMs(start));
      const text = late.map((start) => `${Math.round(start.readyMs)} of ${Math.round(toLimitMs(start))}`);
      assert.ok(late.length <= SPARED, `too many new pods took longer, in ms: ${text.join(', ')}`);
      const stuck = starts.filter((start) => start.readyMs > toLimitMs(start) + LATE_MS);
      assert.deepEqual(stuck, [], 'no start waits for anything but the machine');
    }));
});

interface Start {
  /** From the start of the process until it answered. */
  readonly bootMs: number;
  /** From then until the new pod was ready. */
  readonly readyMs: number;
  /** From the creation of another pod right afterwards until that was ready. */
  readonly usualMs: number;
}

/** The time says whether it was anything else in between. */
function toReadiness(node: Node): object {
  const { status, lastTransitionTime } = conditionOf(node, 'Ready') ?? { status: 'Unknown' };
  return { status, lastTransitionTime };
}

/** Two seconds, or twice what this machine needs at this moment to start a process or a pod, where that is more. */
function toLimitMs({ bootMs, usualMs }: Start): number {
  return Math.max(START_LIMIT_MS, 2 * bootMs, 2 * usualMs);
}

/** A pod beside a kubelet that lives on. */
async function measureUsualStart(
  cluster: Cluster,
  namespace: string,
  watch: PodWatch,
  name: string,
): Promise<number> {
  const beganMs = performance.now();
  await cluster.apply(namespace, sleeper(name, { nodeName: cluster.nodeName }));
  const tookMs = (await watch.waitForReady(name)) - beganMs;
  await cluster.kubectl('-n', namespace, 'delete', 'pod', name, '--wait=false');
  return tookMs;
}

/** When it answered. */
async function isHealthy(): Promise<number | false> {
  const answer = await fetch(`http://127.0.0.1:${requireVariable('KUBELET_HEALTHZ_PORT')}/healthz`);
  return answer.ok && performance.now();
}

function render(values: readonly number[]): string {
  return values.map((value) => Math.round(value)).join(' ');
}

/**
 * The kubelet is killed again and again while pods run: nobody who looks at
 * the API may notice, and it is of use again at once.
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
/** How many of the starts a busy machine may spoil. */
const SPARED = 2;

/** Without and with readiness probes: those must stay ready although nobody probes them for a while. */
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
      const usualMs = await measureUsualStart(cluster, namespace, watch);
      // Only now: a line about the last start may come a little after its answer.
      const audit = new AuditLog(requireVariable('KUBELET_TS_HOST_DIR'));
      const startMs: number[] = [];
      const sinceSpawnMs: number[] = [];
      for (let n = 0; n < KILLS; n++) {
        await kubelet.kill();
        const name = `new-${n}`;
        await cluster.apply(namespace, sleeper(name, { nodeName: cluster.nodeName }));
        kubelet.start();
        const spawnedAtMs = performance.now();
        const backAtMs = await waitFor('the kubelet to answer', isHealthy);
        const readyAtMs = await watch.waitForReady(name);
        startMs.push(Math.max(0, readyAtMs - backAtMs));
        sinceSpawnMs.push(readyAtMs - spawnedAtMs);
        await cluster.kubectl('-n', namespace, 'delete', 'pod', name, '--wait=false');
      }
      t.diagnostic(`ready after the process was back, ms: ${render(startMs)}`);
      t.diagnostic(`ready after the process was started, ms: ${render(sinceSpawnMs)}`);
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
      const limitMs = Math.max(START_LIMIT_MS, 2 * usualMs);
      t.diagnostic(`a start with a kubelet that lives on takes ${Math.round(usualMs)} ms`);
      const late = startMs.filter((ms) => ms > limitMs);
      assert.ok(late.length <= SPARED, `too many new pods took longer: ${render(late)} ms`);
    }));
});

/** The time says whether it was anything else in between. */
function toReadiness(node: Node): object {
  const { status, lastTransitionTime } = conditionOf(node, 'Ready') ?? { status: 'Unknown' };
  return { status, lastTransitionTime };
}

/** The median: what this machine needs now, busy as it may be. */
async function measureUsualStart(cluster: Cluster, namespace: string, watch: PodWatch): Promise<number> {
  const tookMs: number[] = [];
  for (let n = 0; n < 5; n++) {
    const name = `usual-${n}`;
    const beganMs = performance.now();
    await cluster.apply(namespace, sleeper(name, { nodeName: cluster.nodeName }));
    tookMs.push((await watch.waitForReady(name)) - beganMs);
    await cluster.kubectl('-n', namespace, 'delete', 'pod', name, '--wait=false');
  }
  return tookMs.toSorted((a, b) => a - b)[2] ?? 0;
}

/** When it answered. */
async function isHealthy(): Promise<number | false> {
  const answer = await fetch(`http://127.0.0.1:${requireVariable('KUBELET_HEALTHZ_PORT')}/healthz`);
  return answer.ok && performance.now();
}

function render(values: readonly number[]): string {
  return values.map((value) => Math.round(value)).join(' ');
}

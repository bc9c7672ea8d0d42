/**
 * The API server goes away: killed, or behind a network that swallows
 * packets. Pods do not notice, and when it is back the node is too, without
 * asking for everything many times over.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Lease } from '../../../src/core/api/lease.ts';
import { LEASES } from '../../../src/ports/cluster/api-resource.ts';
import { ApiServerOutage } from './api-server-outage.ts';
import { type ApiRequest, AuditLog, countBy } from './audit-log.ts';
import { BlackHole, CUTTABLE } from './black-hole.ts';
import {
  type Cluster,
  isReady,
  NEEDS_CLUSTER,
  requireVariable,
  waitFor,
  waitForReadyPods,
  withCluster,
} from './cluster.ts';
import { Daemon } from './daemon.ts';
import { toMarks } from './pod-watch.ts';
import { sleeper } from './sample-objects.ts';

const PODS = 10;
const BACK_LIMIT_MS = 15_000;
/** One to start again, and one more because the server's own memory may not have been warm. */
const MAX_LISTS = 2;
/** What the kubelet logs when a ping on the connection of its watches is not answered. */
const LOST = /connection to the API server lost.*main/;
/** How long after it is back a storm would show. */
const LOOK_MS = 10_000;

/** The outages that a node must survive last minutes; a test run has no such time. */
const API_DOWN_MS = Number(process.env['KUBELET_TS_API_DOWN_SECONDS'] ?? 15) * 1000;
const BLACK_HOLE_MS = Number(process.env['KUBELET_TS_BLACK_HOLE_SECONDS'] ?? 20) * 1000;

describe('an API server that goes away', NEEDS_CLUSTER, () => {
  it('is killed and restarted: no pod restarts, the node is back at once, no list is repeated', (t) =>
    withCluster(async (cluster, namespace) => {
      const before = await startPods(cluster, namespace);
      await using outage = await ApiServerOutage.begin(cluster);
      await delay(API_DOWN_MS);
      const audit = new AuditLog(requireVariable('KUBELET_TS_HOST_DIR'));
      const startedAtMs = Date.now();
      await outage.end();
      const healedAtMs = Date.now();
      const backMs = (await measureReturn(cluster, startedAtMs)) - healedAtMs;
      t.diagnostic(`away for ${API_DOWN_MS} ms; the node was back ${backMs} ms after the API server`);
      await expectCalm(cluster, namespace, before, audit, (text) => t.diagnostic(text));
      assert.ok(backMs <= BACK_LIMIT_MS, `the node took ${backMs} ms`);
    }));

  it('is behind a black hole that heals: the same', (t) =>
    withCluster(async (cluster, namespace) => {
      const before = await startPods(cluster, namespace);
      const kubelet = Daemon.find('kubelet-cluster');
      await using hole = await BlackHole.prepare(requireVariable('KUBELET_TS_API_PORT'));
      await kubelet.kill();
      const audit = new AuditLog(requireVariable('KUBELET_TS_HOST_DIR'));
      kubelet.start(CUTTABLE);
      try {
        await waitForHeartbeat(cluster, Date.now());
        // The first heartbeat may come before it: only a watch that stands can be cut.
        await waitFor('the watch of pods', () => audit.read().some(isPodWatch), 120_000);
        const logSize = kubelet.logSize;
        await hole.open();
        const cutAtMs = Date.now();
        // What it asked at its start does not count.
        audit.read();
        const isNoticed = (): boolean => LOST.test(kubelet.readLog(logSize));
        await Promise.all([
          delay(BLACK_HOLE_MS),
          waitFor('the kubelet to find its connection dead', isNoticed, 120_000),
        ]);
        assert.ok((await readHeartbeat(cluster)) <= cutAtMs, 'no heartbeat came through the hole');
        await hole.close();
        const healedAtMs = Date.now();
        const backMs = (await measureReturn(cluster, healedAtMs)) - healedAtMs;
        t.diagnostic(`cut off for ${BLACK_HOLE_MS} ms; the node was back ${backMs} ms after it healed`);
        await expectCalm(cluster, namespace, before, audit, (text) => t.diagnostic(text));
        assert.ok(backMs <= BACK_LIMIT_MS, `the node took ${backMs} ms`);
      } finally {
        // Without the group: other tests need it as it was.
        await kubelet.kill();
        kubelet.start();
        await waitForHeartbeat(cluster, Date.now());
      }
    }));
});

const isPodWatch = ({ verb, resource }: ApiRequest): boolean => verb === 'watch' && resource === 'pods';

type Marks = ReturnType<typeof toMarks>;

async function startPods(cluster: Cluster, namespace: string): Promise<Marks> {
  const pods = Array.from({ length: PODS }, (_, n) => sleeper(`stays-${n}`));
  await cluster.apply(namespace, ...pods);
  return toMarks(await waitForReadyPods(cluster, namespace, PODS));
}

/** When the node was Ready by a heartbeat that is new. */
async function measureReturn(cluster: Cluster, sinceMs: number): Promise<number> {
  await waitForHeartbeat(cluster, sinceMs);
  await waitFor('the node to be Ready', async () => isReady(await cluster.node()), 120_000);
  return Date.now();
}

async function waitForHeartbeat(cluster: Cluster, sinceMs: number): Promise<void> {
  await waitFor('a heartbeat of the node', async () => (await readHeartbeat(cluster)) >= sinceMs, 120_000);
}

async function readHeartbeat({ api, nodeName }: Cluster): Promise<number> {
  const ref = { resource: LEASES, namespace: 'kube-node-lease', name: nodeName };
  const lease = await api.get<Lease>(ref);
  return Date.parse(lease?.spec?.renewTime ?? '');
}

/** Every container is the one from before, the node starts new pods, and nothing was listed again and again. */
async function expectCalm(
  cluster: Cluster,
  namespace: string,
  before: Marks,
  audit: AuditLog,
  print: (text: string) => void,
): Promise<void> {
  await delay(LOOK_MS);
  const after = await waitForReadyPods(cluster, namespace, PODS);
  const containersOf = (marks: Marks) =>
    Object.fromEntries(Object.entries(marks).map(([name, { containers }]) => [name, containers]));
  assert.deepEqual(containersOf(toMarks(after)), containersOf(before), 'no container was restarted');
  await cluster.apply(namespace, sleeper('new', { nodeName: cluster.nodeName }));
  await waitForReadyPods(cluster, namespace, 1, 'app=new');
  const requests = audit.read();
  const lists = countBy(
    requests.filter(({ verb }) => verb === 'list'),
    ({ resource, namespace: place, name }) => `${resource} ${place} ${name}`,
  );
  print(
    `requests of the node: ${JSON.stringify(countBy(requests, ({ verb, resource }) => `${verb} ${resource}`))}`,
  );
  for (const [what, count] of Object.entries(lists))
    assert.ok(count <= MAX_LISTS, `${what} was listed ${count} times`);
  await expectInMetrics(cluster);
}

/** Who looks at the kubelet's metrics sees that the watch was cut and that it lives. */
async function expectInMetrics({ kubectl, nodeName }: Cluster): Promise<void> {
  const text = await kubectl('get', '--raw', `/api/v1/nodes/${nodeName}/proxy/metrics`);
  const readValue = (name: string): number =>
    Number(new RegExp(`^kubelet_agent_watch_${name}\\{kind="pods"\\} (\\S+)$`, 'm').exec(text)?.[1]);
  const [reconnects, relists] = [readValue('reconnects_total'), readValue('relists_total')];
  assert.ok(reconnects + relists >= 1, `reconnects ${reconnects}, relists ${relists}`);
  assert.ok(readValue('last_event_age_seconds') < 90, 'the watch of pods has heard something');
}

/**
 * The metrics of a kubelet with a pod, seen by those they are made for:
 * Prometheus' own checker, and a Prometheus that scrapes every path.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type TestNode, withNode } from './node.ts';
import { checkMetrics, PrometheusProcess } from './prometheus-process.ts';
import { container, samplePod } from './sample-pods.ts';

const PATHS = ['/metrics', '/metrics/cadvisor', '/metrics/resource', '/metrics/probes', '/metrics/slis'];
/** Two scrapes, on a machine that may be busy. */
const SCRAPE_DEADLINE_MS = 30_000;

/** Names that upstream gave against the rules, and which clients know. */
const UNRULY = new RegExp(
  [
    'cadvisor_version_info .*camelCase',
    'container_fs_inodes_total .*"_total"',
    'container_memory_failcnt .*"_total"',
    'container_cpu_load_d_average_10s .*abbreviated',
    'container_cpu_load_average_10s .*abbreviated',
    'kubelet_evictions .*"_total"',
    'kubelet_preemptions .*"_total"',
    'kubelet_\\w+_count .*"(_count|_total)"',
    'kubelet_pleg_discard_events .*"_total"',
    'kubelet_certificate_manager_\\w+_errors .*"_total"',
    'kubelet_server_expiration_renew_errors .*"_total"',
    'kubelet_pod_resize_duration_milliseconds .*base unit',
    'kubelet_topology_manager_admission_duration_ms .*(abbreviated|base unit)',
    'volume_manager_selinux_\\w+ .*"_total"',
  ].join('|'),
);

const POD = samplePod('scraped', {
  terminationGracePeriodSeconds: 0,
  containers: [
    container('main', ['sh', '-c', 'while :; do :; done'], {
      resources: { limits: { cpu: '0.1', memory: '32Mi' } },
      readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
    }),
  ],
});

async function read(node: TestNode, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${node.kubelet.readOnlyPort}${path}`);
  assert.equal(response.status, 200, path);
  return response.text();
}

describe('metrics', () => {
  it('pass the checks of promtool and are scraped by Prometheus', () =>
    withNode({}, async (node) => {
      await node.writeManifest('scraped.yaml', POD);
      await node.waitReady('scraped');
      await read(node, '/healthz');
      for (const path of PATHS) {
        const text = await read(node, path);
        assert.match(text, /^# HELP /, path);
        const complaints = (await checkMetrics(text)).filter((line) => !UNRULY.test(line));
        assert.deepEqual(complaints, [], path);
      }
      const prometheus = await PrometheusProcess.start(node.kubelet.readOnlyPort, PATHS);
      try {
        await checkScrapes(node, prometheus);
      } finally {
        await prometheus.stop();
      }
    }));
});

async function checkScrapes(node: TestNode, prometheus: PrometheusProcess): Promise<void> {
  const pod = `pod="${node.podName('scraped')}"`;
  await node.waitFor(
    'Prometheus to have scraped every path',
    async () => {
      const targets = await prometheus.targets();
      return targets.length === PATHS.length && targets.every(({ health }) => health === 'up');
    },
    SCRAPE_DEADLINE_MS,
  );
  assert.deepEqual(
    (await prometheus.targets()).map(({ lastError }) => lastError),
    PATHS.map(() => ''),
  );
  // The rules that most dashboards are made of.
  for (const [expression, isRight] of [
    [`sum(container_memory_working_set_bytes{${pod},container="main",image!=""})`, (value) => value > 0],
    [`container_spec_memory_limit_bytes{${pod},container="main"}`, (value) => value === 32 * 1024 * 1024],
    [`container_network_receive_bytes_total{${pod},interface="eth0"}`, (value) => value >= 0],
    [`pod_memory_working_set_bytes{${pod}}`, (value) => value > 0],
    [`prober_probe_total{${pod},result="successful"}`, (value) => value > 0],
    ['kubelet_running_pods', (value) => value >= 1],
    ['machine_cpu_cores', (value) => value >= 1],
    ['kubernetes_healthcheck{name="ping"}', (value) => value === 1],
  ] satisfies [string, (value: number) => boolean][]) {
    const values = await prometheus.query(expression);
    assert.ok(values.length > 0 && values.every(isRight), `${expression}: ${values.join()}`);
  }
  await node.waitFor(
    'a rate of CPU time between two scrapes',
    async () => {
      const [rate = 0] = await prometheus.query(
        `rate(container_cpu_usage_seconds_total{${pod},container="main"}[30s])`,
      );
      return rate > 0.02 && rate < 0.2;
    },
    SCRAPE_DEADLINE_MS,
  );
}

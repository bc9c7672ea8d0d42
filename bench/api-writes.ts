/**
 * Counts what a kubelet writes to the API server to start and to stop a pod,
 * ours beside the upstream one, on the same control plane in one run. The
 * server's audit log is the judge. Fails when ours writes more.
 *
 * usage: test/cluster/live.sh --script bench/api-writes.ts [--pods 10]     (make bench-writes)
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { withCluster } from '../test/cluster/live/cluster.ts';
import { measurePodWrites, renderPerPod } from '../test/cluster/live/pod-writes.ts';

const run = promisify(execFile);
const KUBELET = join(import.meta.dirname, '../test/cluster/kubelet.sh');

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { pods: { type: 'string', default: '10' } } });
  const pods = Number(values.pods);
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const totals = { upstream: 0, ours: 0 };
  say(`writes per pod, ${pods} pods one after the other`);
  for (const kind of ['upstream', 'ours'] as const) {
    await run(KUBELET, ['up', kind]);
    await withCluster(async (cluster, namespace) => {
      const { start, stop } = await measurePodWrites(cluster, namespace, pods);
      totals[kind] = start.length + stop.length;
      say(`  ${kind}, start: ${renderPerPod(start, pods)}`);
      say(`  ${kind}, stop:  ${renderPerPod(stop, pods)}`);
    });
  }
  const isMore = totals.ours > totals.upstream;
  say(`${isMore ? 'NOT ok' : 'ok'}: ours wrote ${totals.ours} times, upstream ${totals.upstream} times`);
  process.exitCode = isMore ? 1 : 0;
}

await main();

/** What the node writes to the API server to start pods and to stop them, by the server's audit log. */
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiRequest, AuditLog, countBy, WRITES } from './audit-log.ts';
import { type Cluster, requireVariable, waitFor, waitForReadyPods } from './cluster.ts';
import { sleeper } from './sample-objects.ts';

/** Late events and a second look at a status come within this of what came before. */
const SETTLE_MS = 3_000;

export interface PodWrites {
  readonly start: readonly ApiRequest[];
  readonly stop: readonly ApiRequest[];
}

/** One pod after the other, so that nothing is merged that a single pod would cause. Heartbeats do not count. */
export async function measurePodWrites(
  cluster: Cluster,
  namespace: string,
  pods: number,
): Promise<PodWrites> {
  const audit = new AuditLog(requireVariable('KUBELET_TS_HOST_DIR'));
  const readNew = (): ApiRequest[] =>
    audit.read().filter((each) => WRITES.includes(each.verb) && each.namespace === namespace);
  /** All, once no more come. */
  const readWrites = async (): Promise<ApiRequest[]> => {
    const all: ApiRequest[] = [];
    let more: ApiRequest[];
    do {
      await delay(SETTLE_MS);
      more = readNew();
      all.push(...more);
    } while (more.length > 0);
    return all;
  };
  for (let n = 0; n < pods; n++) {
    await cluster.apply(namespace, sleeper(`pod-${n}`));
    await waitForReadyPods(cluster, namespace, n + 1);
  }
  const start = await readWrites();
  for (let n = 0; n < pods; n++) await cluster.kubectl('-n', namespace, 'delete', 'pod', `pod-${n}`);
  await waitFor('the end of the pods', async () => (await cluster.pods(namespace)).length === 0);
  return { start, stop: await readWrites() };
}

/** Of each kind, for one pod. */
export function renderPerPod(requests: readonly ApiRequest[], pods: number): string {
  const counts = countBy(requests, ({ verb, resource, subresource }) =>
    [verb, resource, subresource].filter((word) => word !== '').join(' '),
  );
  const entries = Object.entries({ total: requests.length, ...counts });
  return entries.map(([what, count]) => `${what} ${count / pods}`).join(', ');
}

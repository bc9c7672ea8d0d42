/** Calls of the PodResources service, counted. */
import type { PodResourceCall, PodResourceMeter } from '../../adapters/devices/pod-resources-server.ts';
import { Counter, type MetricRegistry } from '../../base/metric-registry.ts';

const PREFIX = 'kubelet_pod_resources_endpoint_';
const CALLS: readonly PodResourceCall[] = ['list', 'get', 'get_allocatable'];

export function countPodResources(registry: MetricRegistry): PodResourceMeter {
  const add = (name: string, what: string): Counter =>
    registry.add(
      new Counter({
        name: `${PREFIX}${name}`,
        help: `Number of ${what} the PodResource endpoint. Broken down by server api version.`,
        labels: ['server_api_version'],
      }),
    );
  const total = add('requests_total', 'cumulative requests to');
  const asked = new Map(CALLS.map((call) => [call, add(`requests_${call}`, `${call} requests to`)]));
  const failed = new Map(CALLS.map((call) => [call, add(`errors_${call}`, `failed ${call} requests to`)]));
  return {
    asked: (version, call) => {
      total.add(1, { server_api_version: version });
      asked.get(call)?.add(1, { server_api_version: version });
    },
    failed: (version, call) => failed.get(call)?.add(1, { server_api_version: version }),
  };
}

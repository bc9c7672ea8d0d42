/** From where on the machine a container, or a pod as a whole, could get its devices. */
import type { Container, Pod } from '../../core/api/pod.ts';
import { idsOf } from '../../core/devices/device.ts';
import { computeDeviceHints } from '../../core/devices/device-hints.ts';
import type { DeviceLedger } from '../../core/devices/device-ledger.ts';
import { requestsOf } from '../../core/devices/device-requests.ts';
import { countPodDevices } from '../../core/devices/pod-device-count.ts';
import { findReusable } from '../../core/devices/reusable-devices.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { containersOf, initContainersOf } from '../../core/model/pod-containers.ts';
import type { ResourceHints, TopologyHint } from '../../core/topology/topology-hint.ts';
import type { DeviceResources } from './device-resources.ts';

export interface DeviceHintParts {
  readonly resources: DeviceResources;
  readonly ledger: DeviceLedger;
  readonly numaNodes: readonly number[];
}

export function readDeviceHints(
  parts: DeviceHintParts,
  pod: Pod,
  container: Container,
): ResourceHints | undefined {
  const { resources, ledger } = parts;
  const uid = toPodUid(pod.metadata.uid);
  const all = containersOf(pod);
  const before = all.slice(
    0,
    all.findIndex(({ name }) => name === container.name),
  );
  const initNames = new Set(initContainersOf(pod).map(({ name }) => name));
  const hints = new Map<string, readonly TopologyHint[] | undefined>();
  for (const { resource, count } of requestsOf(container)) {
    if (resources.devices(resource) === undefined) continue;
    const held = ledger.get(uid, container.name, resource);
    const reusable = findReusable(ledger, uid, resource, before, initNames);
    hints.set(
      resource,
      toHints(parts, resource, count, held === undefined ? undefined : idsOf(held), reusable),
    );
  }
  return hints.size === 0 ? undefined : hints;
}

export function readPodDeviceHints(
  parts: DeviceHintParts,
  pod: Pod,
  wanted: readonly string[],
): ResourceHints | undefined {
  const uid = toPodUid(pod.metadata.uid);
  const hints = new Map<string, readonly TopologyHint[] | undefined>();
  for (const resource of wanted) {
    const held = parts.ledger.ofPod(uid).filter((one) => one.resource === resource);
    const ids = held.length === 0 ? undefined : [...new Set(held.flatMap(idsOf))];
    hints.set(resource, toHints(parts, resource, countPodDevices(pod, resource), ids, new Set()));
  }
  return hints.size === 0 ? undefined : hints;
}

/** `held` are the devices there are already: then only where those are is a hint. */
function toHints(
  { resources, ledger, numaNodes }: DeviceHintParts,
  resource: string,
  count: number,
  held: readonly string[] | undefined,
  reusable: ReadonlySet<string>,
): readonly TopologyHint[] | undefined {
  const devices = resources.devices(resource) ?? new Map();
  const demand = { count, devices, nodes: numaNodes };
  if (held !== undefined && held.length !== count) return [];
  if (held !== undefined) return computeDeviceHints({ ...demand, free: new Set(held), reusable: new Set() });
  const taken = ledger.taken(resource);
  const free = [...devices.values()].filter(
    ({ id, isHealthy }) => isHealthy && !taken.has(id) && !reusable.has(id),
  );
  return computeDeviceHints({ ...demand, free: new Set(free.map(({ id }) => id)), reusable });
}

/**
 * Gives containers the devices they ask for. Two steps, so that no plugin can
 * hold up pods that want nothing of it: devices are set aside at once, from
 * what is known; then, pod by pod, the plugin says what it prefers and what
 * comes with the devices, and the result is written down.
 *
 * Invariants: a device is set aside for one pod at a time; a container that
 * ran when the agent started keeps what it has and is never judged again;
 * nothing starts before its devices are on disk.
 */
import type { Later } from '../../base/async/later.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { Container, Pod } from '../../core/api/pod.ts';
import { chooseDevices, type DeviceDemand } from '../../core/devices/choose-devices.ts';
import { type DeviceAssignment, type DeviceGrant, groupByNuma, idsOf } from '../../core/devices/device.ts';
import type { DeviceCheckpoint } from '../../core/devices/device-checkpoint.ts';
import type { DeviceLedger } from '../../core/devices/device-ledger.ts';
import { type DeviceRequest, requestsOf, resourcesOf } from '../../core/devices/device-requests.ts';
import { checkHeldDevices } from '../../core/devices/held-devices.ts';
import { mergeGrants } from '../../core/devices/merge-grants.ts';
import { findReusable } from '../../core/devices/reusable-devices.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import { containersOf, initContainersOf } from '../../core/model/pod-containers.ts';
import type { AllocationFailure } from '../../core/topology/allocation-failure.ts';
import { nodesOf } from '../../core/topology/numa-mask.ts';
import { ANYWHERE, type ResourceHints, type TopologyHint } from '../../core/topology/topology-hint.ts';
import type { Kit } from '../../ports/kit.ts';
import type { HardwareSource } from '../assign/hardware-source.ts';
import type { HintProvider } from '../assign/hint-provider.ts';
import type { DeviceRecords } from './device-records.ts';
import type { DeviceResources } from './device-resources.ts';
import { readDeviceHints, readPodDeviceHints } from './read-device-hints.ts';
import { type Reservation, settleDevices } from './settle-devices.ts';
import { waitForPlugins } from './wait-for-plugins.ts';

export interface DeviceAssignerParts {
  readonly kit: Pick<Kit, 'clock' | 'logger' | 'events' | 'meter'>;
  readonly resources: DeviceResources;
  readonly records: DeviceRecords;
  readonly ledger: DeviceLedger;
  /** The memory nodes of the machine. */
  readonly numaNodes: readonly number[];
  /** The containers that run now, as `<uid>/<name>`; undefined when that cannot be found out. */
  readonly readRunning: (stop: AbortSignal) => Promise<ReadonlySet<string> | undefined>;
}

export class DeviceAssigner implements HintProvider, HardwareSource {
  readonly name = 'devices';
  readonly #parts: DeviceAssignerParts;
  readonly #reserved = new Map<PodUid, Reservation[]>();
  /** As `<uid>/<container>`; of pods that have ended since no more. */
  readonly #ranBefore = new Set<string>();

  constructor(parts: DeviceAssignerParts) {
    this.#parts = parts;
    parts.resources.subscribe(() => parts.records.schedule());
  }

  async load(stop: AbortSignal): Promise<void> {
    const { records, resources, ledger } = this.#parts;
    const read = (): DeviceCheckpoint => ({ assignments: ledger.all(), registered: resources.registered() });
    const saved = await records.load(read);
    if (saved === undefined) return;
    for (const assignment of saved.assignments) this.#adopt(assignment);
    for (const resource of saved.registered.keys()) resources.await(resource);
    // Any of them may run when the runtime does not say, and what runs is not judged again.
    const recorded = saved.assignments.map(({ podUid, container }) => `${podUid}/${container}`);
    for (const one of (await this.#parts.readRunning(stop)) ?? recorded) this.#ranBefore.add(one);
  }

  flush(): Promise<void> {
    return this.#parts.records.flush();
  }

  concerns(pod: Pod): boolean {
    return this.#parts.ledger.has(toPodUid(pod.metadata.uid)) || this.#offered(pod).length > 0;
  }

  /**
   * Resolves when the plugins of the pod's devices are there, or are no longer
   * waited for. What runs needs none of them, whatever else the pod has.
   */
  whenReady(pod: Pod): Promise<void> | undefined {
    const judged = containersOf(pod).filter(({ name }) => !this.#ran(pod, name));
    const wanted = new Set(judged.flatMap(requestsOf).map(({ resource }) => resource));
    const offered = this.#offered(pod).filter((name) => wanted.has(name));
    return waitForPlugins(this.#parts, pod, offered);
  }

  hints(pod: Pod, container: Container): ResourceHints | undefined {
    if (this.#ran(pod, container.name)) return undefined;
    return readDeviceHints(this.#parts, pod, container);
  }

  podHints(pod: Pod): ResourceHints | undefined {
    return readPodDeviceHints(this.#parts, pod, this.#offered(pod));
  }

  allocate(pod: Pod, container: Container, place: TopologyHint): AllocationFailure | undefined {
    if (this.#ran(pod, container.name)) return undefined;
    for (const request of requestsOf(container)) {
      if (this.#parts.resources.devices(request.resource) === undefined) continue;
      const message = this.#reserve(pod, container, request, place);
      if (message !== undefined) return { message };
    }
    return undefined;
  }

  /** Completes what `allocate` began for the pod. */
  settle(pod: Pod): Later<AllocationFailure | undefined> {
    const reservations = this.#reserved.get(toPodUid(pod.metadata.uid));
    if (reservations === undefined) return undefined;
    return this.#settle(pod, reservations);
  }

  held(): Iterable<PodUid> {
    return this.#parts.ledger.pods();
  }

  release(uid: PodUid): void {
    this.#reserved.delete(uid);
    // A static pod that comes back has the UID of the one before.
    for (const one of this.#ranBefore) if (one.startsWith(`${uid}/`)) this.#ranBefore.delete(one);
    if (this.#parts.ledger.release(uid)) this.#parts.records.schedule();
  }

  /** What comes with the devices of a container; plugins that want to know before it starts are called. */
  async readHardware(pod: Pod, container: Container, signal: AbortSignal): Promise<DeviceGrant> {
    await this.#allocateMissing(pod, container);
    const assignments = this.#parts.ledger.ofContainer(toPodUid(pod.metadata.uid), container.name);
    for (const assignment of assignments) await this.#preStart(assignment, signal);
    return mergeGrants(
      assignments.flatMap(({ response }) => (response === undefined ? [] : [response.grant])),
    );
  }

  /** A container that ran when the agent started, and of whose devices there is no record, starts again. */
  async #allocateMissing(pod: Pod, container: Container): Promise<void> {
    const uid = toPodUid(pod.metadata.uid);
    for (const request of requestsOf(container)) {
      const { resources, ledger } = this.#parts;
      if (resources.devices(request.resource) === undefined) continue;
      if (ledger.get(uid, container.name, request.resource) !== undefined) continue;
      const message = this.#reserve(pod, container, request, ANYWHERE);
      if (message !== undefined) throw new AgentError('unavailable', message);
    }
    const failure = await this.settle(pod);
    if (failure !== undefined) throw new AgentError('unavailable', failure.message);
  }

  async #preStart(assignment: DeviceAssignment, signal: AbortSignal): Promise<void> {
    const serving = this.#parts.resources.serving(assignment.resource);
    if (serving?.options.preStartRequired !== true) return;
    try {
      await serving.plugin.preStart(idsOf(assignment), signal);
    } catch (error) {
      const message = `device plugin PreStartContainer rpc failed with err: ${errorText(error)}`;
      throw new AgentError('unavailable', message, { cause: error });
    }
  }

  #adopt(assignment: DeviceAssignment): void {
    try {
      this.#parts.ledger.put(assignment);
    } catch (error) {
      // A file that gives a device to two pods is wrong about one of them.
      this.#parts.kit.logger.error('device checkpoint contradicts itself', error, {
        podUid: assignment.podUid,
        resource: assignment.resource,
      });
    }
  }

  #ran({ metadata }: Pod, container: string): boolean {
    return this.#ranBefore.has(`${metadata.uid}/${container}`);
  }

  /** The resources the pod asks for that a plugin offers or offered. */
  #offered(pod: Pod): string[] {
    return [...resourcesOf(pod)].filter((name) => this.#parts.resources.devices(name) !== undefined);
  }

  /** Why there are no devices for the container; undefined when it has them. */
  #reserve(pod: Pod, container: Container, request: DeviceRequest, place: TopologyHint): string | undefined {
    const { ledger, resources } = this.#parts;
    const uid = toPodUid(pod.metadata.uid);
    const devices = resources.devices(request.resource) ?? new Map();
    const held = ledger.get(uid, container.name, request.resource);
    const checked = checkHeldDevices({ podUid: uid, container: container.name, ...request, devices, held });
    if (checked !== undefined) return checked.message;
    const affinity = place.nodes === undefined ? undefined : nodesOf(place.nodes);
    const demand = (): DeviceDemand => this.#demand(pod, container, request, affinity);
    const choice = chooseDevices(demand());
    if (!choice.ok) return choice.message;
    const assignment = {
      podUid: uid,
      container: container.name,
      resource: request.resource,
      ids: groupByNuma(choice.ids, devices),
      response: undefined,
    };
    ledger.put(assignment);
    const reservations = this.#reserved.get(uid) ?? [];
    this.#reserved.set(uid, [...reservations, { assignment, demand }]);
    return undefined;
  }

  #demand(
    pod: Pod,
    container: Container,
    { resource, count }: DeviceRequest,
    affinity: readonly number[] | undefined,
  ): DeviceDemand {
    const { ledger, resources } = this.#parts;
    const uid = toPodUid(pod.metadata.uid);
    const all = containersOf(pod);
    const before = all.slice(
      0,
      all.findIndex(({ name }) => name === container.name),
    );
    const initNames = new Set(initContainersOf(pod).map(({ name }) => name));
    const reusable = findReusable(ledger, uid, resource, before, initNames);
    const own = before.flatMap(({ name }) => ledger.get(uid, name, resource) ?? []).flatMap(idsOf);
    const taken = new Set([...ledger.takenFrom(uid, resource), ...own.filter((id) => !reusable.has(id))]);
    return { resource, count, reusable, devices: resources.devices(resource) ?? new Map(), taken, affinity };
  }

  async #settle(pod: Pod, reservations: readonly Reservation[]): Promise<AllocationFailure | undefined> {
    const { ledger, records } = this.#parts;
    const uid = toPodUid(pod.metadata.uid);
    const message = (await settleDevices(this.#parts, uid, reservations)) ?? (await records.store());
    // The pod may have been released while the plugin was asked.
    if (this.#reserved.get(uid) !== reservations) return undefined;
    this.#reserved.delete(uid);
    if (message === undefined) return undefined;
    for (const { assignment } of reservations) ledger.releaseOne(assignment);
    records.schedule();
    return { message };
  }
}

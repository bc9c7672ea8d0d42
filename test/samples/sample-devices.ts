/** Devices, pods that ask for them, and the device room of an agent on fakes. */

import { PodAssigner } from '../../src/agent/assign/pod-assigner.ts';
import { DeviceAssigner } from '../../src/agent/devices/device-assigner.ts';
import { DeviceHealth } from '../../src/agent/devices/device-health.ts';
import { DevicePlugins } from '../../src/agent/devices/device-plugins.ts';
import { DeviceRecords } from '../../src/agent/devices/device-records.ts';
import { DeviceResources } from '../../src/agent/devices/device-resources.ts';
import type { Container, Pod } from '../../src/core/api/pod.ts';
import type { Device } from '../../src/core/devices/device.ts';
import { DeviceLedger } from '../../src/core/devices/device-ledger.ts';
import { toPodUid } from '../../src/core/model/ids.ts';
import { noMeter } from '../../src/ports/agent-meter.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { FakeDevicePluginHost } from '../fakes/fake-device-plugins.ts';
import { FakeFiles } from '../fakes/fake-files.ts';
import { RecordingEvents } from '../fakes/recording-events.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import { NO_TOPOLOGY_POLICY } from './no-topology.ts';
import { samplePod } from './sample-pods.ts';

export const RESOURCE = 'x.io/dev';

export function sampleDevices(...ids: readonly string[]): Device[] {
  return ids.map((id) => ({ id, isHealthy: true, numaNodes: [] }));
}

export function wants(name: string, count: number, more: Partial<Container> = {}): Container {
  return { name, image: 'i', resources: { limits: { [RESOURCE]: String(count) } }, ...more };
}

export function devicePod(
  uid: string,
  containers: readonly Container[],
  initContainers: readonly Container[] = [],
): Pod {
  return samplePod({ containers, initContainers }, { metadata: { uid: toPodUid(uid), name: uid } });
}

/** One life of the device room; `files` carry over to the next. */
export class DeviceRoom {
  readonly clock: FakeClock;
  readonly logger = new RecordingLogger();
  readonly events = new RecordingEvents();
  readonly host = new FakeDevicePluginHost();
  readonly ledger = new DeviceLedger();
  readonly resources: DeviceResources;
  readonly records: DeviceRecords;
  readonly assigner: DeviceAssigner;
  readonly plugins: DevicePlugins;
  readonly health: DeviceHealth;
  readonly pods: PodAssigner;
  readonly files: FakeFiles;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(files = new FakeFiles(), running: readonly string[] | 'unknown' = [], clock = new FakeClock()) {
    this.files = files;
    this.clock = clock;
    const { logger, events, host, ledger } = this;
    const kit = { clock, logger, events, meter: noMeter };
    this.resources = new DeviceResources(clock);
    this.records = new DeviceRecords({ ...kit, directory: '/devices', files, host });
    const { resources, records } = this;
    const readRunning = async (): Promise<ReadonlySet<string> | undefined> =>
      running === 'unknown' ? undefined : new Set(running);
    this.assigner = new DeviceAssigner({ kit, resources, records, ledger, numaNodes: [0, 1], readRunning });
    this.plugins = new DevicePlugins({ ...kit, host, resources });
    this.health = new DeviceHealth(resources, ledger);
    const numa = { nodes: [0, 1], distance: () => undefined };
    this.pods = new PodAssigner({ ...kit, providers: [this.assigner], policy: NO_TOPOLOGY_POLICY, numa });
  }

  async start(): Promise<this> {
    await this.assigner.load(this.#stop.signal);
    this.#running = this.plugins.run(this.#stop.signal);
    await this.clock.settle();
    return this;
  }

  /** The message of the refusal; undefined when the pod has its devices. */
  async admit(pod: Pod): Promise<string | undefined> {
    await this.pods.whenReady(pod);
    const refusal = (await this.pods.assign(pod)) ?? (await this.pods.settle(pod));
    return refusal?.message;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.plugins.close();
    await this.#running;
    await this.plugins.flush();
    await this.assigner.flush();
  }
}

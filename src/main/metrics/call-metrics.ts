/** Times the calls behind ports whose adapters do not count: sandboxes, pulls, cgroups, volumes. */
import type { CsiCall } from '../../adapters/csi/csi-client.ts';
import type { Clock } from '../../base/async/clock.ts';
import { Counter, Histogram, type MetricRegistry } from '../../base/metric-registry.ts';
import { type TimedCall, timeCalls } from '../../base/timed-calls.ts';
import type { PodCgroups } from '../../ports/host/cgroups.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import type { ImageService } from '../../ports/runtime/image-service.ts';
import type { VolumeDriver, VolumeDriverFamily, VolumeRequest } from '../../ports/storage/volume-driver.ts';

const PULL_BUCKETS = [1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600];
const VOLUME_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];
const MB = 1024 * 1024;
const GB = 1024 * MB;
/** Upper bounds, each belonging to its range. */
const SIZES: readonly (readonly [number, string])[] = [
  [10 * MB, '0-10MB'],
  [100 * MB, '10MB-100MB'],
  [500 * MB, '100MB-500MB'],
  [GB, '500MB-1GB'],
  [5 * GB, '1GB-5GB'],
  [10 * GB, '5GB-10GB'],
  [20 * GB, '10GB-20GB'],
  [30 * GB, '20GB-30GB'],
  [40 * GB, '30GB-40GB'],
  [60 * GB, '40GB-60GB'],
  [100 * GB, '60GB-100GB'],
];

/** The range of an image's size; `N/A` when it is not known. */
export function toSizeRange(bytes: number | undefined): string {
  if (bytes === undefined || bytes === 0) return 'N/A';
  return SIZES.find(([bound]) => bytes <= bound)?.[1] ?? 'GT100GB';
}

/** By the method of a driver, in the words of upstream's metric. */
const VOLUME_OPERATIONS: Readonly<Record<string, string>> = {
  mount: 'volume_mount',
  unmount: 'volume_unmount',
  map: 'map_volume',
  unmap: 'unmap_volume',
};

export class CallMetrics {
  readonly #clock: Pick<Clock, 'steady'>;
  readonly #sandboxSeconds: Histogram;
  readonly #sandboxErrors: Counter;
  readonly #pullSeconds: Histogram;
  readonly #cgroupSeconds: Histogram;
  readonly #storageSeconds: Histogram;
  readonly #csiSeconds: Histogram;

  constructor(registry: MetricRegistry, clock: Pick<Clock, 'steady'>) {
    this.#clock = clock;
    this.#sandboxSeconds = registry.add(
      new Histogram({
        name: 'kubelet_run_podsandbox_duration_seconds',
        help: 'Duration in seconds of the run_podsandbox operations. Broken down by RuntimeClass.Handler.',
        labels: ['runtime_handler'],
      }),
    );
    this.#sandboxErrors = registry.add(
      new Counter({
        name: 'kubelet_run_podsandbox_errors_total',
        help: 'Cumulative number of the run_podsandbox operation errors by RuntimeClass.Handler.',
        labels: ['runtime_handler'],
      }),
    );
    this.#pullSeconds = registry.add(
      new Histogram({
        name: 'kubelet_image_pull_duration_seconds',
        help: 'Duration in seconds to pull an image.',
        labels: ['image_size_in_bytes'],
        buckets: PULL_BUCKETS,
      }),
    );
    this.#cgroupSeconds = registry.add(
      new Histogram({
        name: 'kubelet_cgroup_manager_duration_seconds',
        help: 'Duration in seconds for cgroup manager operations. Broken down by method.',
        labels: ['operation_type'],
      }),
    );
    this.#storageSeconds = registry.add(
      new Histogram({
        name: 'storage_operation_duration_seconds',
        help: 'Storage operation duration',
        labels: ['migrated', 'operation_name', 'status', 'volume_plugin'],
        buckets: VOLUME_BUCKETS,
      }),
    );
    this.#csiSeconds = registry.add(
      new Histogram({
        name: 'csi_operations_seconds',
        help: 'Container Storage Interface operation duration with gRPC error code status total',
        labels: ['driver_name', 'grpc_status_code', 'method_name', 'migrated'],
        buckets: VOLUME_BUCKETS,
      }),
    );
  }

  runtime(runtime: ContainerRuntime): ContainerRuntime {
    return timeCalls(runtime, this.#clock, ({ method, args, durationMs, error }) => {
      if (method !== 'runSandbox') return;
      const labels = { runtime_handler: String(args[1] ?? '') };
      this.#sandboxSeconds.observe(durationMs / 1000, labels);
      if (error !== undefined) this.#sandboxErrors.add(1, labels);
    });
  }

  images(images: ImageService): ImageService {
    const observe = async (image: string, durationMs: number): Promise<void> => {
      const info = await images.imageStatus(image, { label: 'metrics' }).catch(() => undefined);
      const range = { image_size_in_bytes: toSizeRange(info?.sizeBytes) };
      this.#pullSeconds.observe(durationMs / 1000, range);
    };
    return timeCalls(images, this.#clock, ({ method, args, durationMs, error }) => {
      if (method === 'pullImage' && error === undefined) void observe(String(args[0]), durationMs);
    });
  }

  cgroups(cgroups: PodCgroups): PodCgroups {
    const types: Readonly<Record<string, string>> = { ensure: 'create', apply: 'update', remove: 'destroy' };
    return timeCalls(cgroups, this.#clock, ({ method, durationMs }) => {
      const type = types[method];
      if (type !== undefined) this.#cgroupSeconds.observe(durationMs / 1000, { operation_type: type });
    });
  }

  volumes(driver: VolumeDriver): VolumeDriver {
    /** Who serves a volume is only known while it is set up. */
    const served = new Map<string, string>();
    const onEnd = (call: TimedCall): void => {
      const operation_name = VOLUME_OPERATIONS[call.method];
      if (operation_name === undefined) return;
      const request = call.args[0] as Partial<VolumeRequest>;
      const key = `${request.podUid}/${request.name}`;
      const csi = request.persistent?.volume.spec.csi ?? request.volume?.csi;
      if (csi !== undefined) served.set(key, `${driver.plugin}:${csi.driver}`);
      const volume_plugin = served.get(key) ?? driver.plugin;
      const status = hasFailed(call) ? 'fail-unknown' : 'success';
      if (status === 'success' && call.method.startsWith('unm')) served.delete(key);
      const labels = { migrated: 'false', operation_name, status, volume_plugin };
      this.#storageSeconds.observe(call.durationMs / 1000, labels);
    };
    const timed = timeCalls(driver, this.#clock, onEnd);
    if (driver.block === undefined) return timed;
    const block = timeCalls(driver.block, this.#clock, onEnd);
    return new Proxy(timed, {
      get: (target, name) => (name === 'block' ? block : Reflect.get(target, name)),
    });
  }

  /** Drivers that come and go are measured like the others. */
  volumeFamily(family: VolumeDriverFamily): VolumeDriverFamily {
    const find = async (name: string): Promise<VolumeDriver | undefined> => {
      const driver = await family.find(name);
      return driver === undefined ? undefined : this.volumes(driver);
    };
    return { source: family.source, find };
  }

  /** A call of a storage driver has ended. */
  csi(driver: string, { method, code, durationMs }: CsiCall): void {
    const labels = { driver_name: driver, grpc_status_code: code, method_name: method, migrated: 'false' };
    this.#csiSeconds.observe(durationMs / 1000, labels);
  }
}

/** A refusal is an answer and not an error, and a failure all the same. */
function hasFailed({ value, error }: TimedCall): boolean {
  return error !== undefined || (value as { ok?: boolean } | undefined)?.ok === false;
}

/**
 * Sets up the volumes of pods, keeps their content current and takes them
 * away. Single writer of the volume facts that decisions look at.
 *
 *   unknown ──mount──► ready ──unmount──► none
 *      └───────────unmount────────────────┘        (after a start of the agent)
 *
 * Invariants: everything mounted for a pod lies below its directory, and the
 * place of a mount is made before the mount; so whatever a kill leaves is
 * found by its directory and the mount table alone.
 */

import { advanceBackOff, type BackOffPolicy } from '../../base/async/back-off.ts';
import type { StringMap } from '../../core/api/meta.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { Volume } from '../../core/api/volume.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { pluginsDirectory, podDirectory, volumesDirectory } from '../../core/model/pod-paths.ts';
import type { VolumeFacts } from '../../core/model/volume-facts.ts';
import { isSameShown } from '../../core/pod/desire.ts';
import type { PreparedBlockVolume } from '../../core/spec/devices.ts';
import type { PreparedSubPath, PreparedVolume } from '../../core/spec/mounts.ts';
import type { SubPath } from '../../core/spec/sub-paths.ts';
import { toUsedVolumes } from '../../core/volume/used-volumes.ts';
import { type ObjectReference, showsObject } from '../../core/volume/volume-objects.ts';
import { toLimitRejection } from '../../core/volume/volume-source.ts';
import type { ObjectReader } from '../../ports/cluster/object-reader.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Mounter } from '../../ports/host/mounter.ts';
import type { Kit } from '../../ports/kit.ts';
import { listVolumePlugins, type VolumePlugins } from './list-volume-plugins.ts';
import { PodVolumes } from './pod-volumes.ts';
import { recordVolumeFailures } from './record-volume-failures.ts';
import { resolveVolumes } from './resolve-volumes.ts';
import { setUpVolume } from './set-up-volume.ts';
import type { StoragePorts } from './storage-ports.ts';
import { bindSubPaths, removeSubPaths } from './sub-path-mounts.ts';
import type { PodGauges } from './volume-measurer.ts';
import { findVolumePlaces } from './volume-places.ts';
import { subscribeVolumes } from './volume-subscriptions.ts';

const BACK_OFF: BackOffPolicy = { initialMs: 500, maxMs: 122_000, factor: 2, forgetAfterMs: 600_000 };

/** A node gets no event when a claim is bound: it has to read it again. */
const CLAIM_RETRY_MS = 5_000;
export interface VolumeReconcilerParts {
  readonly kit: Pick<Kit, 'clock' | 'logger'> & { readonly events: Pick<EventRecorder, 'record'> };
  readonly host: { readonly files: HostFiles; readonly mounter: Mounter };
  readonly storage: StoragePorts;
  readonly objects: Pick<ObjectReader, 'subscribe'>;
  readonly node: Pick<NodeProfile, 'rootDir' | 'nodeName'>;
  /** The labels of the node: a persistent volume may be for some nodes only. */
  readonly readNodeLabels: () => StringMap;
  /** Something a pod waits for has changed. */
  readonly onChange: (uid: PodUid) => void;
  /** A pod has more volumes than before. */
  readonly onMounted: (uid: PodUid) => void;
}

export type MountResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly message: string;
      readonly retryAtMs: number;
      /** The node cannot have the volumes: why the pod is not to stay. */
      readonly rejection?: { readonly reason: string; readonly message: string } | undefined;
    };

export class VolumeReconciler {
  readonly name = 'volumes';
  readonly #parts: VolumeReconcilerParts;
  readonly #pods = new Map<PodUid, PodVolumes>();

  constructor(parts: VolumeReconcilerParts) {
    this.#parts = parts;
  }

  /** Takes note of the pod as it is desired now and returns what is known of its volumes. */
  sync(uid: PodUid, pod: Pod): VolumeFacts {
    const state = this.#pods.get(uid);
    const used = toUsedVolumes(pod);
    if (state === undefined) return { ready: used.length === 0, held: true };
    const isNews = !isSameShown(state.pod, pod);
    state.pod = pod;
    // Labels, annotations and resources may be shown to containers.
    if (isNews && state.pick(({ mount }) => mount).size > 0) this.refresh(uid);
    return {
      ready: used.every(({ name }) => state.has(name)),
      held: state.held,
      ...(state.changedAtMs === undefined ? {} : { changedAtMs: state.changedAtMs }),
    };
  }

  /** The volumes that containers of the pod may mount, by name. */
  prepared(uid: PodUid): ReadonlyMap<string, PreparedVolume> {
    return this.#pods.get(uid)?.pick(({ mount }) => mount) ?? new Map();
  }

  /** The volumes that containers of the pod may have as devices, by name. */
  preparedBlocks(uid: PodUid): ReadonlyMap<string, PreparedBlockVolume> {
    return this.#pods.get(uid)?.pick(({ device }) => device) ?? new Map();
  }

  listVolumePlugins(): VolumePlugins {
    return listVolumePlugins([...this.#pods.values()], this.#parts.storage.drivers);
  }

  /** The gauges of the pod's volumes; undefined for a pod without any. */
  gauges(uid: PodUid): PodGauges | undefined {
    const state = this.#pods.get(uid);
    if (state === undefined) return undefined;
    return { pod: state.pod, gauges: state.pick(({ gauge }) => gauge), signal: state.work.signal };
  }

  /** The groups that the pod's persistent volumes are open to. */
  groups(uid: PodUid): readonly number[] {
    return [
      ...(this.#pods
        .get(uid)
        ?.pick(({ group }) => group)
        .values() ?? []),
    ];
  }

  /** Sets up what is not, side by side. Rejects only when `signal` aborted; a failure is recorded as an event. */
  async mount(uid: PodUid, pod: Pod, signal: AbortSignal): Promise<MountResult> {
    const state = this.#pods.get(uid) ?? new PodVolumes(pod);
    this.#pods.set(uid, state);
    state.pod = pod;
    state.held = true;
    if (state.work.signal.aborted) state.work = new AbortController();
    this.#subscribe(uid, state);
    return state.inTurn(async () => {
      await this.#makeDirectories(uid);
      const missing = toUsedVolumes(pod).filter(({ name }) => !state.has(name));
      return this.#setUp(uid, state, missing, AbortSignal.any([signal, state.work.signal]));
    });
  }

  /**
   * Takes away everything of the pod that is mounted or kept as a volume, as
   * far as its directories show. Rejects with AgentError when something stays.
   */
  async unmount(uid: PodUid, pod: Pod, signal: AbortSignal): Promise<void> {
    const state = this.#pods.get(uid) ?? new PodVolumes(pod);
    this.#pods.set(uid, state);
    state.quiet();
    state.work.abort(new Error('the volumes of the pod go'));
    await state.inTurn(async () => {
      const { kit, host, storage, node } = this.#parts;
      const parts = { ...host, ...storage, node, logger: kit.logger };
      await removeSubPaths(parts, uid, signal);
      state.volumes.clear();
      for (const { place, remove } of await findVolumePlaces(parts, uid)) {
        signal.throwIfAborted();
        await remove(place, signal);
      }
      storage.attachments?.forgetPod(uid);
      state.uses.clear();
      state.held = false;
    });
  }

  /** Brings mounted volumes up to date, or those that show `object`; without effect for a pod that has none. */
  refresh(uid: PodUid, object?: ObjectReference): void {
    const state = this.#pods.get(uid);
    if (state === undefined || ![...state.volumes.values()].some(({ mayChange }) => mayChange)) return;
    for (const volume of toUsedVolumes(state.pod))
      if (object === undefined || showsObject(volume, object)) state.stale.add(volume.name);
    if (state.refreshWaits) return;
    state.refreshWaits = true;
    const { signal } = state.work;
    state
      .inTurn(() => this.#refreshNow(uid, state, signal))
      .catch((error: unknown) => {
        if (!signal.aborted)
          this.#parts.kit.logger.error('cannot refresh the volumes of a pod', error, { podUid: uid });
      });
  }

  /** Binds each part of a volume that the container mounts to a place of its own; by the mount's index. */
  prepareSubPaths(
    uid: PodUid,
    container: string,
    subPaths: readonly SubPath[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, PreparedSubPath>> {
    const { host, storage, node } = this.#parts;
    const volumes = this.#pods.get(uid)?.volumes ?? new Map();
    return bindSubPaths({ ...host, ...storage, node }, { uid, container }, subPaths, volumes, signal);
  }

  /** Something of its volumes may be on the node. */
  holds(uid: PodUid): boolean {
    return this.#pods.get(uid)?.held ?? false;
  }

  /** Something was found that should be gone: the next decision takes the volumes away once more. */
  unmountAgain(uid: PodUid): void {
    const state = this.#pods.get(uid);
    if (state !== undefined) state.held = true;
  }

  /** Nothing of the pod is left. */
  podGone({ uid }: { readonly uid: PodUid }): void {
    this.#pods.get(uid)?.quiet();
    this.#pods.delete(uid);
  }

  /** The agent stops: volumes stay as they are. */
  close(): void {
    for (const state of this.#pods.values()) {
      state.quiet();
      state.work.abort(new Error('the agent stops'));
    }
  }

  async #setUp(
    uid: PodUid,
    state: PodVolumes,
    volumes: readonly Volume[],
    signal: AbortSignal,
  ): Promise<MountResult> {
    const { kit, host, storage, node, readNodeLabels, onMounted } = this.#parts;
    const { clock, events } = kit;
    const { found, problems } = await resolveVolumes(storage.claims, state.pod, volumes, signal);
    const parts = { ...host, ...storage, events, node, readNodeLabels, pods: this.#pods };
    const mounted = await Promise.all(found.map((group) => setUpVolume(parts, uid, state, group, signal)));
    signal.throwIfAborted();
    onMounted(uid);
    for (const { refreshAtMs } of mounted)
      if (refreshAtMs !== undefined) this.#refreshAt(uid, state, refreshAtMs);
    const all = [...problems, ...mounted.flatMap(({ problem }) => problem ?? [])];
    const [first] = all;
    if (first === undefined) {
      state.backOff = undefined;
      return { ok: true };
    }
    const unmounted = toUsedVolumes(state.pod).flatMap(({ name }) => (state.has(name) ? [] : [name]));
    const rejection = toLimitRejection(unmounted, all);
    if (rejection === undefined) recordVolumeFailures(events, state.pod, unmounted, all);
    const nowMs = clock.now();
    state.backOff = advanceBackOff(BACK_OFF, state.backOff, nowMs, nowMs);
    const delayMs =
      problems.length > 0 ? Math.min(state.backOff.delayMs, CLAIM_RETRY_MS) : state.backOff.delayMs;
    return {
      ok: false,
      message: `volume "${first.volume}": ${first.message}`,
      retryAtMs: nowMs + delayMs,
      rejection,
    };
  }

  async #refreshNow(uid: PodUid, state: PodVolumes, signal: AbortSignal): Promise<void> {
    state.refreshWaits = false;
    if (signal.aborted) return;
    const shown = toUsedVolumes(state.pod).filter(
      ({ name }) => state.stale.has(name) && state.volumes.get(name)?.mayChange === true,
    );
    state.stale.clear();
    if (shown.length === 0) return;
    const result = await this.#setUp(uid, state, shown, signal);
    if (!result.ok) this.#refreshAt(uid, state, result.retryAtMs);
  }

  /** Parents first: a volume's own directory may be open to every user, these are not. */
  async #makeDirectories(uid: PodUid): Promise<void> {
    const { host, node } = this.#parts;
    for (const make of [podDirectory, volumesDirectory, pluginsDirectory])
      await host.files.makeDirectory(make(node.rootDir, uid), 0o750);
  }

  #subscribe(uid: PodUid, state: PodVolumes): void {
    const { objects, storage } = this.#parts;
    subscribeVolumes({ ...storage, objects }, uid, state, {
      refresh: (object) => this.refresh(uid, object),
      wake: () => this.#wakeIfWaiting(uid, state),
    });
  }

  /** A pod that has all its volumes has nothing to decide because something they show has changed. */
  #wakeIfWaiting(uid: PodUid, state: PodVolumes): void {
    const { kit, onChange } = this.#parts;
    state.changedAtMs = kit.clock.now();
    state.backOff = undefined;
    if (toUsedVolumes(state.pod).some(({ name }) => !state.has(name))) onChange(uid);
  }

  #refreshAt(uid: PodUid, state: PodVolumes, atMs: number): void {
    state.refreshAt(this.#parts.kit.clock, atMs, () => this.refresh(uid));
  }
}

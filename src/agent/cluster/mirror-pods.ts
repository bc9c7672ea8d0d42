/**
 * Mirror pods: the API server's image of each static pod, so that the cluster
 * sees what the node runs by itself. They are made and removed to match the
 * static pods; deleting one through the API never stops anything here.
 */
import { sleep } from '../../base/async/clock.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import { computeRetryDelay, type RetryPolicy } from '../../base/async/retry-delay.ts';
import { errorText, hasCode } from '../../base/errors.ts';
import type { Node } from '../../core/api/node.ts';
import type { Pod } from '../../core/api/pod.ts';
import {
  CONFIG_HASH_ANNOTATION,
  CONFIG_MIRROR_ANNOTATION,
  CONFIG_SOURCE_ANNOTATION,
  fullName,
  isStatic,
  podRef,
} from '../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import { PODS } from '../../ports/cluster/api-resource.ts';
import type { ApiServer } from '../../ports/cluster/api-server.ts';
import type { Kit } from '../../ports/kit.ts';
import type { DesiredPods } from '../desired/desired-pods.ts';

const RETRY: RetryPolicy = { initialMs: 2_000, maxMs: 10_000 };

export interface MirrorPodsParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly api: Pick<ApiServer, 'create' | 'delete'>;
  readonly desired: DesiredPods;
  readonly readNode: () => Node | undefined;
  /** A mirror was created, changed or deleted: the static pod's status may have to be patched. */
  readonly onChange: (staticPod: DesiredPod) => void;
}

export class MirrorPods {
  readonly name = 'mirror pods';
  readonly #parts: MirrorPodsParts;
  readonly #wakeUps: Mailbox;
  #mirrors = new Map<string, Pod>();
  #delivered = false;
  /** Pods of the API server, by what their records said: they have no mirrors. */
  readonly #ofApi = new Set<PodUid>();
  /** A mirror waits for the end of another pod of its name. */
  #isHeldUp = false;
  /** Names under which the API server already had something when we came. */
  readonly #taken = new Set<string>();

  constructor(parts: MirrorPodsParts) {
    this.#parts = parts;
    this.#wakeUps = new Mailbox(parts.clock);
  }

  /** By full name. */
  get(name: string): Pod | undefined {
    return this.#mirrors.get(name);
  }

  /** Takes the mirrors the API server has now; most often no other than before, as other pods change much more. */
  deliver(mirrors: readonly Pod[]): void {
    const before = this.#mirrors;
    const now = new Map(mirrors.map((mirror) => [fullName(mirror), mirror]));
    const isSame =
      now.size === before.size && [...now].every(([name, mirror]) => before.get(name) === mirror);
    if (this.#delivered && isSame) return;
    this.#mirrors = now;
    this.#delivered = true;
    for (const name of now.keys()) this.#taken.delete(name);
    for (const [name, record] of this.#staticPods())
      if (before.get(name)?.metadata.resourceVersion !== now.get(name)?.metadata.resourceVersion)
        this.#parts.onChange(record);
    this.wake();
  }

  /** The node was registered or the static pods changed. */
  wake(): void {
    this.#wakeUps.post('changed');
  }

  async run(stop: AbortSignal): Promise<void> {
    const { clock, desired } = this.#parts;
    using _subscription = desired.records.subscribe((uid, record) => this.#onRecord(uid, record));
    desired.onAllSourcesSeen(() => this.wake());
    let failures = 0;
    while (!stop.aborted) {
      const done = await this.#reconcile(stop);
      if (done) {
        failures = 0;
        await this.#wakeUps.wait(stop);
      }
      // Asleep to wake-ups: pods come and go, and each would be one more try.
      else await sleep(clock, computeRetryDelay(RETRY, failures++, 0), stop);
    }
  }

  /** Pods of the API server have no mirrors, whatever becomes of them; one may only stand in the way. */
  #onRecord(uid: PodUid, record: DesiredPod | undefined): void {
    if (record?.source === 'api') this.#ofApi.add(uid);
    else if (!this.#ofApi.delete(uid) || this.#isHeldUp) this.wake();
  }

  /** True when everything matches as far as it can now. Names do not wait for each other. */
  async #reconcile(stop: AbortSignal): Promise<boolean> {
    if (!this.#delivered) return true;
    this.#isHeldUp = false;
    const pods = this.#staticPods();
    const names = new Set([...this.#mirrors.keys(), ...pods.keys()]);
    const results = await Promise.all(
      [...names].map((name) => this.#reconcileOne(name, pods.get(name), stop)),
    );
    return results.every((done) => done);
  }

  async #reconcileOne(name: string, record: DesiredPod | undefined, stop: AbortSignal): Promise<boolean> {
    const mirror = this.#mirrors.get(name);
    const isRight = mirror !== undefined && record !== undefined && isMirrorOf(mirror, record.pod);
    if (isRight || (record !== undefined && this.#hasPredecessor(record))) return true;
    if (mirror !== undefined) {
      if (record === undefined && !this.#isOrphan(name, mirror)) return true;
      if (!(await this.#remove(mirror, record !== undefined, stop))) return false;
    }
    const node = this.#parts.readNode();
    if (record === undefined || !isMirrored(record) || stop.aborted) return true;
    if (node?.metadata.uid === undefined || node.metadata.uid === '') return true;
    if (node.metadata.deletionTimestamp !== undefined) return true;
    return this.#create(record, node, stop);
  }

  /** One of the same name is still ending: the mirror shows how that goes. */
  #hasPredecessor({ uid, pod }: DesiredPod): boolean {
    return this.#isHeld(fullName(pod), uid);
  }

  /** Whether there is a pod of that name, or another one than this. */
  #isHeld(name: string, uid?: PodUid): boolean {
    const records = [...this.#parts.desired.records.values()];
    const isHeld = records.some((other) => other.uid !== uid && fullName(other.pod) === name);
    if (isHeld) this.#isHeldUp = true;
    return isHeld;
  }

  /** Only when the sources have spoken and nothing of that name is still ending. */
  #isOrphan(name: string, { metadata }: Pod): boolean {
    const { desired } = this.#parts;
    if (desired.mayHide(metadata.annotations?.[CONFIG_SOURCE_ANNOTATION])) return false;
    return desired.allSourcesSeen && !this.#isHeld(name);
  }

  #staticPods(): Map<string, DesiredPod> {
    const records = [...this.#parts.desired.records.values()];
    const fixed = records.filter(
      ({ pod, source, termination }) =>
        source !== 'runtime' && isStatic(pod) && termination?.cause !== 'removed',
    );
    return new Map(fixed.map((record) => [fullName(record.pod), record]));
  }

  async #create(record: DesiredPod, node: Node, stop: AbortSignal): Promise<boolean> {
    const { api, logger, onChange } = this.#parts;
    const { pod } = record;
    const name = fullName(pod);
    try {
      const mirror = await api.create<Pod>(PODS, toMirror(pod, node), { signal: stop });
      logger.info('mirror pod created', { pod: podRef(pod) });
      // A delivery may have brought it already, in a newer version.
      if (!this.#mirrors.has(name)) this.#mirrors.set(name, mirror);
      this.#taken.delete(name);
      onChange(record);
      return true;
    } catch (error) {
      const found = this.#mirrors.get(name);
      if (hasCode(error, 'already-exists')) {
        if (found !== undefined && isMirrorOf(found, pod)) return true;
        // Usually our own, on its way here; only a name that stays taken is worth a word.
        if (!this.#taken.has(name)) {
          this.#taken.add(name);
          return false;
        }
      }
      if (!stop.aborted)
        logger.warn('cannot create the mirror pod', { pod: podRef(pod), err: errorText(error) });
      return false;
    }
  }

  async #remove(mirror: Pod, guardUid: boolean, stop: AbortSignal): Promise<boolean> {
    const { api, logger } = this.#parts;
    const { namespace, name, uid } = mirror.metadata;
    try {
      await api.delete(
        { resource: PODS, namespace, name },
        { signal: stop, gracePeriodSeconds: 0, ...(guardUid ? { uid } : {}) },
      );
      logger.info('mirror pod deleted', { pod: podRef(mirror) });
    } catch (error) {
      if (!hasCode(error, 'not-found') && !hasCode(error, 'conflict')) {
        if (!stop.aborted)
          logger.warn('cannot delete the mirror pod', { pod: podRef(mirror), err: errorText(error) });
        return false;
      }
    }
    const key = fullName(mirror);
    if (this.#mirrors.get(key)?.metadata.uid === uid) this.#mirrors.delete(key);
    return true;
  }
}

/** A terminating static pod gets no new mirror; one that finished by itself does, to show how. */
function isMirrored({ termination }: DesiredPod): boolean {
  return termination === undefined || termination.cause === 'completed';
}

/** True when the mirror shows this very version of the static pod and is not on its way out. */
export function isMirrorOf(mirror: Pod, pod: Pod): boolean {
  const { annotations, deletionTimestamp } = mirror.metadata;
  return (
    deletionTimestamp === undefined &&
    annotations?.[CONFIG_MIRROR_ANNOTATION] === pod.metadata.annotations?.[CONFIG_HASH_ANNOTATION]
  );
}

function toMirror(pod: Pod, node: Node): object {
  const { uid: _uid, ...metadata } = pod.metadata;
  const hash = pod.metadata.annotations?.[CONFIG_HASH_ANNOTATION] ?? '';
  const owner = {
    apiVersion: 'v1',
    kind: 'Node',
    name: node.metadata.name,
    uid: node.metadata.uid,
    controller: true,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [CONFIG_MIRROR_ANNOTATION]: hash },
      ownerReferences: [owner],
    },
    spec: pod.spec,
  };
}

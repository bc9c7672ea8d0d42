/**
 * Gives each pod with users of its own a range of ids that no other pod has,
 * for as long as the pod has a directory: the file there is what counts, and
 * is read again after a start of the agent.
 *
 * Invariant: a range is in its pod's file before anything runs with it.
 */
import { Mutex } from '../../base/async/mutex.ts';
import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Pod } from '../../core/api/pod.ts';
import { type PodUid, parsePodUid, toPodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { podDirectory, podsDirectory } from '../../core/model/pod-paths.ts';
import type { IdMapping } from '../../core/model/sandbox-config.ts';
import {
  chooseSlot,
  parseMapping,
  renderMapping,
  toDefaultRange,
  type UserIdRange,
} from '../../core/node/user-ids.ts';
import { checkUserNamespace } from '../../core/spec/namespaces.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Kit } from '../../ports/kit.ts';

/** Enough on every machine. */
const DEFAULT_IDS_PER_POD = 65_536;

export interface UserNamespacesParts extends Pick<Kit, 'logger' | 'random'> {
  readonly files: HostFiles;
  readonly node: Pick<NodeProfile, 'rootDir' | 'runtimeHandlers'>;
  readonly range?: UserIdRange | undefined;
}

export class UserNamespaces {
  readonly name = 'user namespaces';
  readonly #parts: UserNamespacesParts;
  readonly #range: UserIdRange;
  readonly #mappings = new Map<PodUid, IdMapping>();
  readonly #mutex = new Mutex();
  #isLoaded = false;

  constructor(parts: UserNamespacesParts) {
    this.#parts = parts;
    this.#range = parts.range ?? toDefaultRange(DEFAULT_IDS_PER_POD);
  }

  /** The pod's ids; undefined for a pod that has the node's users, or that the runtime cannot serve. */
  async mappingOf(pod: Pod, handler: string): Promise<Outcome<IdMapping | undefined>> {
    const uid = toPodUid(pod.metadata.uid);
    if (pod.spec.hostUsers !== false || !checkUserNamespace(pod, handler, this.#parts.node).ok)
      return accept(undefined);
    // One after the other: no other pod chooses between a choice and its write.
    return this.#mutex.run(() => this.#find(uid));
  }

  /** The pod's directory is gone. */
  podGone({ uid }: { readonly uid: PodUid }): void {
    this.#mappings.delete(uid);
  }

  async #find(uid: PodUid): Promise<Outcome<IdMapping>> {
    await this.#load();
    const known = this.#mappings.get(uid);
    if (known !== undefined) return accept(known);
    const { files, node, random } = this.#parts;
    const stored = await this.#read(uid);
    if (stored !== undefined && !stored.ok)
      return refuse(`cannot use "${this.#pathOf(uid)}": ${stored.message}`);
    const chosen = stored ?? chooseSlot(this.#range, this.#taken(), random());
    if (!chosen.ok) return chosen;
    if (stored === undefined) {
      await files.makeDirectory(podDirectory(node.rootDir, uid), 0o750);
      await files.writeFile(this.#pathOf(uid), renderMapping(chosen.value), 0o644);
    }
    this.#mappings.set(uid, chosen.value);
    return chosen;
  }

  /** What pods of earlier lives of the agent have. */
  async #load(): Promise<void> {
    if (this.#isLoaded) return;
    const { files, node, logger } = this.#parts;
    for (const name of await files.listDirectory(podsDirectory(node.rootDir))) {
      const uid = parsePodUid(name);
      if (uid === undefined) continue;
      const stored = await this.#read(uid);
      if (stored?.ok === true) this.#mappings.set(uid, stored.value);
      else if (stored !== undefined)
        logger.warn('cannot use the stored user ids of a pod', { podUid: uid, why: stored.message });
    }
    this.#isLoaded = true;
  }

  /** Undefined when the pod has none. */
  async #read(uid: PodUid): Promise<Outcome<IdMapping> | undefined> {
    const text = await this.#parts.files.readFile(this.#pathOf(uid));
    if (text === undefined || text === '') return undefined;
    const mapping = parseMapping(text, this.#range);
    if (mapping.ok && this.#taken(uid).has(mapping.value.hostId))
      return refuse(`host id ${mapping.value.hostId} is another pod's`);
    return mapping;
  }

  #taken(except?: PodUid): Set<number> {
    const others = [...this.#mappings].filter(([uid]) => uid !== except);
    return new Set(others.map(([, { hostId }]) => hostId));
  }

  #pathOf(uid: PodUid): string {
    return `${podDirectory(this.#parts.node.rootDir, uid)}/userns`;
  }
}

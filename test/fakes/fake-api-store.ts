/**
 * The state of a fake API server: objects by place, versions, a log of changes
 * that watches continue from and that can be compacted. Follows the real rules
 * for names, versions, UIDs, graceful pod deletion and status sub-resources as
 * far as a node agent can see them. Knows no HTTP; FakeApiServer and
 * FakeApiClient stand on it.
 */
import { applyPatch, type Json, type JsonObject, type PatchType } from './fake-api-patch.ts';
import { type Collection, matchesFields } from './fake-api-path.ts';

/** Thrown for every refusal, with the fields of a Status object. */
export class FakeApiRefusal extends Error {
  readonly code: number;
  readonly reason: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: number, reason: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  toStatus(): JsonObject {
    const { code, reason, message, retryAfterSeconds } = this;
    const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code,
      reason,
      message,
      ...details,
    };
  }
}

export interface StoredObject extends JsonObject {
  metadata: { name: string; namespace?: string; uid: string; resourceVersion: string } & JsonObject;
}

interface Change {
  readonly version: number;
  readonly collection: string;
  readonly before: StoredObject | undefined;
  readonly after: StoredObject | undefined;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: JsonObject;
}

interface Watcher {
  readonly of: Collection;
  readonly fieldSelector: string;
  readonly onEvent: (event: WatchEvent) => void;
}

export interface DeleteRequest {
  readonly uid?: string;
  readonly gracePeriodSeconds?: number;
}

export class FakeApiStore {
  readonly #objects = new Map<string, StoredObject>();
  readonly #watchers = new Set<Watcher>();
  readonly #now: () => number;
  #log: Change[] = [];
  #version = 1;
  #oldestVersion = 0;
  #uids = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get version(): string {
    return String(this.#version);
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  get(of: Collection, name: string): StoredObject {
    const found = this.#objects.get(keyOf(of, name));
    if (found === undefined) throw new FakeApiRefusal(404, 'NotFound', `${of.plural} "${name}" not found`);
    return structuredClone(found);
  }

  list(of: Collection, fieldSelector = ''): StoredObject[] {
    return [...this.#objects.entries()]
      .filter(([key, object]) => isWithin(key, of) && matchesFields(object, fieldSelector))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => structuredClone(object));
  }

  create(of: Collection, object: JsonObject): StoredObject {
    const meta = (object['metadata'] ?? {}) as JsonObject;
    const version = String(++this.#version);
    const name = String(meta['name'] ?? `${String(meta['generateName'] ?? '')}${version}`);
    if (this.#objects.has(keyOf(of, name)))
      throw new FakeApiRefusal(409, 'AlreadyExists', `${of.plural} "${name}" already exists`);
    const stored: StoredObject = {
      ...structuredClone(object),
      metadata: {
        ...structuredClone(meta),
        name,
        ...(of.namespace === undefined ? {} : { namespace: of.namespace }),
        uid: String(meta['uid'] ?? `uid-${++this.#uids}`),
        resourceVersion: version,
        creationTimestamp: this.#timestamp(),
      },
    };
    return this.#write(of, undefined, stored);
  }

  /** PUT. A resourceVersion in the object must be the newest; none means whatever it is. */
  replace(of: Collection, name: string, object: JsonObject, subresource = ''): StoredObject {
    const before = this.get(of, name);
    const meta = (object['metadata'] ?? {}) as JsonObject;
    this.#checkVersion(of, before, meta['resourceVersion']);
    this.#checkUid(of, before, meta['uid']);
    const next = subresource === 'status' ? { ...before, status: object['status'] ?? null } : object;
    return this.#change(of, before, next);
  }

  patch(of: Collection, name: string, patch: Json, type: PatchType, subresource = ''): StoredObject {
    const before = this.get(of, name);
    const patched = applyPatch(before, patch, type) as StoredObject;
    this.#checkVersion(of, before, patched.metadata.resourceVersion);
    this.#checkUid(of, before, patched.metadata.uid);
    // What a sub-resource does not own stays, and the other way round.
    const kept = subresource === 'status' ? 'spec' : 'status';
    const next: JsonObject = { ...patched, [kept]: before[kept] };
    if (next[kept] === undefined) delete next[kept];
    return this.#change(of, before, next);
  }

  /** A pod bound to a node goes in two steps: marked first, gone with grace 0. */
  delete(of: Collection, name: string, request: DeleteRequest = {}): StoredObject {
    const before = this.get(of, name);
    this.#checkUid(of, before, request.uid);
    const spec = (before['spec'] ?? {}) as JsonObject;
    const graceSeconds = request.gracePeriodSeconds ?? Number(spec['terminationGracePeriodSeconds'] ?? 30);
    if (of.plural === 'pods' && spec['nodeName'] !== undefined && graceSeconds > 0) {
      const deletionTimestamp = this.#timestamp(graceSeconds);
      const marks = { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds };
      return this.#change(of, before, { ...before, metadata: { ...before.metadata, ...marks } });
    }
    this.#version++;
    const gone = { ...before, metadata: { ...before.metadata, resourceVersion: this.version } };
    this.#objects.delete(keyOf(of, name));
    this.#announce({ version: this.#version, collection: keyOf(of, name), before: gone, after: undefined });
    return gone;
  }

  /** Continues from `fromVersion`; refuses with 410 when the log no longer reaches back so far. */
  watch(
    of: Collection,
    fieldSelector: string,
    fromVersion: string,
    onEvent: (event: WatchEvent) => void,
  ): Disposable {
    const from = Number(fromVersion || 0);
    if (from !== 0 && from < this.#oldestVersion)
      throw new FakeApiRefusal(410, 'Expired', `too old resource version: ${from} (${this.#oldestVersion})`);
    const watcher: Watcher = { of, fieldSelector, onEvent };
    if (from === 0) for (const object of this.list(of, fieldSelector)) onEvent({ type: 'ADDED', object });
    else for (const change of this.#log) if (change.version > from) this.#notify(watcher, change);
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** Sends every watch a bookmark at the newest version. */
  bookmark(): void {
    const object = { kind: 'Bookmark', metadata: { resourceVersion: this.version } };
    for (const watcher of this.#watchers) watcher.onEvent({ type: 'BOOKMARK', object });
  }

  /** Forgets all changes: a watch from an older version is refused with 410. */
  compact(): void {
    this.#version++;
    this.#oldestVersion = this.#version;
    this.#log = [];
  }

  #change(of: Collection, before: StoredObject, next: JsonObject): StoredObject {
    const meta = (next['metadata'] ?? {}) as JsonObject;
    const { name, uid } = before.metadata;
    const metadata = { ...meta, name, uid, resourceVersion: before.metadata.resourceVersion };
    const after = { ...structuredClone(next), metadata } as StoredObject;
    if (JSON.stringify(after) === JSON.stringify(before)) return before;
    after.metadata.resourceVersion = String(++this.#version);
    return this.#write(of, before, after);
  }

  #write(of: Collection, before: StoredObject | undefined, after: StoredObject): StoredObject {
    const collection = keyOf(of, after.metadata.name);
    this.#objects.set(collection, after);
    this.#announce({ version: Number(after.metadata.resourceVersion), collection, before, after });
    return structuredClone(after);
  }

  #announce(change: Change): void {
    this.#log.push(change);
    for (const watcher of [...this.#watchers]) this.#notify(watcher, change);
  }

  /** An object that comes to match a selector is added, one that no longer does is deleted. */
  #notify({ of, fieldSelector, onEvent }: Watcher, { collection, before, after }: Change): void {
    if (!isWithin(collection, of)) return;
    const matched = before !== undefined && matchesFields(before, fieldSelector);
    const matches = after !== undefined && matchesFields(after, fieldSelector);
    if (!matched && !matches) return;
    const type = matches ? (matched ? 'MODIFIED' : 'ADDED') : 'DELETED';
    onEvent({ type, object: structuredClone(matches ? after : (after ?? before)) as StoredObject });
  }

  #checkVersion(of: Collection, before: StoredObject, version: Json | undefined): void {
    const { name, resourceVersion } = before.metadata;
    if (version === undefined || version === '' || version === resourceVersion) return;
    const why = 'the object has been modified; please apply your changes to the latest version and try again';
    throw new FakeApiRefusal(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${of.plural} "${name}": ${why}`,
    );
  }

  #checkUid(of: Collection, before: StoredObject, uid: Json | undefined): void {
    if (uid === undefined || uid === '' || uid === before.metadata.uid) return;
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${before.metadata.uid}`;
    throw new FakeApiRefusal(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${of.plural} "${before.metadata.name}": ${why}`,
    );
  }

  #timestamp(plusSeconds = 0): string {
    return `${new Date(this.#now() + plusSeconds * 1000).toISOString().slice(0, 19)}Z`;
  }
}

/** `<group>/<version>/<plural>|<namespace>/<name>`. */
function keyOf(of: Collection, name: string): string {
  return `${of.place}|${of.namespace ?? ''}/${name}`;
}

function isWithin(key: string, of: Collection): boolean {
  return key.startsWith(of.namespace === undefined ? `${of.place}|` : `${of.place}|${of.namespace}/`);
}

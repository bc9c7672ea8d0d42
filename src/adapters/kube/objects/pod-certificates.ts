/**
 * Certificates of pods: a key is made here, a PodCertificateRequest asks for
 * its certificate, and the answer is watched for. Kept in memory only: after a
 * start of the agent new ones are asked for.
 *
 *   nothing ─► asked ─► issued ─► asked again (the old one serves) ─► issued …
 *     ▲          ├─► denied or failed, for good
 *     └──────────┘ the request was deleted
 *
 * What the watch shows is kept, because a fast signer answers before we know
 * the name of our own request.
 */

import type { Clock } from '../../../base/async/clock.ts';
import { KeyedEmitter } from '../../../base/async/keyed-emitter.ts';
import { errorText } from '../../../base/errors.ts';
import { accept, type Outcome, refuse } from '../../../base/outcome.ts';
import {
  computeCertificateState,
  type PodCertificateAnswer,
  type PodCertificateState,
  type StoredPodCertificateRequest,
  toPodCertificateAnswer,
  toPodCertificateRequest,
} from '../../../core/certificate/pod-certificate-request.ts';
import { POD_CERTIFICATE_REQUESTS, SERVICE_ACCOUNTS } from '../../../ports/cluster/api-resource.ts';
import { type ApiObject, type ApiServer, apiStatusOf } from '../../../ports/cluster/api-server.ts';
import type {
  PodCertificate,
  ProjectedCertificateRequest,
} from '../../../ports/cluster/projected-credentials.ts';
import { createStubRequest, type StubRequest } from '../../tls/stub-request.ts';

export interface PodCertificateSettings {
  readonly api: Pick<ApiServer, 'create' | 'follow' | 'get'>;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly nodeName: string;
  /** Undefined while the node object is not known. */
  readonly readNodeUid: () => string | undefined;
  /** Makes keys; for tests, which cannot wait for a real one. */
  readonly createStub?: (keyType: string) => Promise<StubRequest | undefined>;
}

export interface CertificateCount {
  readonly signerName: string;
  readonly state: PodCertificateState;
  readonly count: number;
}

const MINUTE_MS = 60_000;
/** Spreads refreshes, and the patience with a request that has vanished. */
const JITTER_MS = 5 * MINUTE_MS;
const LOST_MS = 10 * MINUTE_MS;
const NOT_YET = 'credential bundle is not issued yet';

type Refusal = Extract<PodCertificateAnswer, { kind: 'refused' }>;

interface Issued {
  readonly key: string;
  readonly chain: string;
  readonly refreshAtMs: number;
  readonly expiresAtMs: number;
}

interface Entry {
  readonly podUid: string;
  readonly namespace: string;
  readonly signerName: string;
  issued?: Issued;
  asked?: { readonly name: string; readonly key: string; readonly lostAtMs: number };
  refusal?: Refusal;
  /** Events are recorded once. */
  readonly reported: Set<string>;
}

export class PodCertificates {
  readonly #settings: PodCertificateSettings;
  readonly #entries = new Map<string, Entry>();
  readonly #changes = new KeyedEmitter();
  /** The requests of this node as the API server has them, by namespace and name. */
  readonly #requests = new Map<string, StoredPodCertificateRequest>();
  readonly #stop = new AbortController();
  #following: Promise<void> | undefined;

  constructor(settings: PodCertificateSettings) {
    this.#settings = settings;
  }

  async certificate(
    request: ProjectedCertificateRequest,
    signal?: AbortSignal,
  ): Promise<Outcome<PodCertificate>> {
    const { clock } = this.#settings;
    this.#following ??= this.#follow();
    const entry = this.#entryOf(request);
    const nowMs = clock.now();
    if (entry.asked !== undefined && nowMs > entry.asked.lostAtMs && this.#requestOf(entry) === undefined)
      delete entry.asked;
    const isDue = entry.issued === undefined || nowMs >= entry.issued.refreshAtMs;
    if (isDue && entry.refusal === undefined && entry.asked === undefined) {
      const problem = await this.#ask(entry, request, signal);
      if (problem !== undefined && entry.issued === undefined) return refuse(problem);
    }
    this.#warnOnce(entry, request.warn);
    const { issued, refusal } = entry;
    if (issued !== undefined) {
      const { key, chain, refreshAtMs } = issued;
      return accept({ key, chain, refreshAtMs: Math.max(refreshAtMs, clock.now() + MINUTE_MS) });
    }
    return refuse(refusal?.message ?? NOT_YET);
  }

  subscribe(podUid: string, onChange: () => void): Disposable {
    return this.#changes.subscribe(podUid, onChange);
  }

  forget(podUid: string): void {
    for (const [key, entry] of this.#entries) if (entry.podUid === podUid) this.#entries.delete(key);
  }

  close(): void {
    this.#stop.abort();
  }

  /** How many certificates of each signer are in which state. */
  count(): CertificateCount[] {
    const nowMs = this.#settings.clock.now();
    const counts = new Map<string, CertificateCount>();
    for (const entry of this.#entries.values()) {
      const { signerName } = entry;
      const state = toState(entry, nowMs);
      const key = `${signerName}\0${state}`;
      counts.set(key, { signerName, state, count: (counts.get(key)?.count ?? 0) + 1 });
    }
    return [...counts.values()];
  }

  #entryOf({ pod, volume, index, source }: ProjectedCertificateRequest): Entry {
    const { uid, namespace } = pod.metadata;
    const key = `${uid}/${volume}/${index}`;
    const { signerName } = source;
    const entry = this.#entries.get(key) ?? {
      podUid: uid,
      namespace,
      signerName,
      reported: new Set<string>(),
    };
    this.#entries.set(key, entry);
    return entry;
  }

  /** What went wrong, if anything. */
  async #ask(
    entry: Entry,
    { pod, source }: ProjectedCertificateRequest,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const { api, clock, random, nodeName, createStub = createStubRequest } = this.#settings;
    const options = signal === undefined ? {} : { signal };
    try {
      const accountName = pod.spec.serviceAccountName || 'default';
      const { namespace } = pod.metadata;
      const account = await api.get<ApiObject>(
        { resource: SERVICE_ACCOUNTS, namespace, name: accountName },
        options,
      );
      if (account === undefined) return `serviceaccounts ${JSON.stringify(accountName)} not found`;
      const nodeUid = this.#settings.readNodeUid();
      if (nodeUid === undefined) return 'the node is not registered yet';
      const stub = await createStub(source.keyType);
      if (stub === undefined) return `unknown key type ${JSON.stringify(source.keyType)}`;
      const names = { accountName, accountUid: account.metadata.uid ?? '', nodeName, nodeUid };
      const body = toPodCertificateRequest(pod, source, names, Buffer.from(stub.request).toString('base64'));
      const made = await api.create<StoredPodCertificateRequest>(POD_CERTIFICATE_REQUESTS, body, options);
      const lostAtMs = clock.now() + LOST_MS + random() * JITTER_MS;
      entry.asked = { name: made.metadata.name, key: stub.key, lostAtMs };
      this.#settle(entry);
      return undefined;
    } catch (error) {
      return apiStatusOf(error)?.message ?? errorText(error);
    }
  }

  async #follow(): Promise<void> {
    const { api, nodeName } = this.#settings;
    const query = { resource: POD_CERTIFICATE_REQUESTS, fieldSelector: `spec.nodeName=${nodeName}` };
    await api.follow<StoredPodCertificateRequest>(query).run(this.#stop.signal, {
      onReplace: (items) => {
        this.#requests.clear();
        for (const item of items) this.#requests.set(toKey(item.metadata), item);
        for (const entry of this.#entries.values()) this.#settle(entry);
      },
      onEvent: (type, object) => {
        const entry = [...this.#entries.values()].find(
          ({ asked, namespace }) =>
            asked?.name === object.metadata.name && namespace === object.metadata.namespace,
        );
        if (type === 'DELETED') {
          this.#requests.delete(toKey(object.metadata));
          // No wake-up: the next regular attempt requests again, at its own pace.
          if (entry !== undefined) delete entry.asked;
          return;
        }
        this.#requests.set(toKey(object.metadata), object);
        if (entry !== undefined) this.#settle(entry);
      },
    });
  }

  #requestOf({ asked, namespace }: Entry): StoredPodCertificateRequest | undefined {
    return asked && this.#requests.get(toKey({ namespace, name: asked.name }));
  }

  /** Takes the answer to the entry's request, once there is one. */
  #settle(entry: Entry): void {
    const request = this.#requestOf(entry);
    const answer = request && toPodCertificateAnswer(request);
    if (entry.asked === undefined || answer === undefined) return;
    const { random, clock } = this.#settings;
    if (answer.kind === 'issued') {
      const { chain, expiresAtMs, beginRefreshAtMs = clock.now() + 60 * MINUTE_MS } = answer;
      const refreshAtMs = beginRefreshAtMs + random() * JITTER_MS;
      entry.issued = { key: entry.asked.key, chain, refreshAtMs, expiresAtMs };
      entry.reported.clear();
    } else entry.refusal = answer;
    delete entry.asked;
    this.#changes.emit(entry.podUid);
  }

  #warnOnce(entry: Entry, warn: ProjectedCertificateRequest['warn']): void {
    const { refusal, issued, reported } = entry;
    const once = (reason: string, message: string): void => {
      if (!reported.has(reason)) warn(reason, message);
      reported.add(reason);
    };
    if (refusal !== undefined) once(refusal.condition, refusal.eventMessage);
    const state = issued && computeCertificateState(issued, this.#settings.clock.now());
    if (state === 'expired') once('CertificateExpired', 'PodCertificate expired');
    if (state === 'overdue_for_refresh')
      once('CertificateOverdueForRefresh', 'PodCertificate refresh overdue');
  }
}

function toState({ refusal, issued }: Entry, nowMs: number): PodCertificateState {
  if (refusal !== undefined) return refusal.condition === 'Denied' ? 'denied' : 'failed';
  return issued === undefined ? 'not_yet_issued' : computeCertificateState(issued, nowMs);
}

function toKey({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/**
 * Certificates of pods: a key is made here, a PodCertificateRequest asks for
 * its certificate, and the answer is watched for. Kept in memory only: after a
 * start of the agent new ones are asked for.
 *
 *   nothing ─► asked ─► issued ─► asked again (the old one serves) ─► issued …
 *                └─► denied or failed, for good
 */
import type { Clock } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import { accept, type Outcome, refuse } from '../../core/spec/outcome.ts';
import { POD_CERTIFICATE_REQUESTS, SERVICE_ACCOUNTS } from '../../ports/api-resource.ts';
import { type ApiObject, type ApiServer, apiStatusOf } from '../../ports/api-server.ts';
import type { CertificateRequest, PodCertificate } from '../../ports/projected-credentials.ts';
import { createStubRequest } from '../tls/stub-request.ts';

export type StoredRequest = ApiObject & {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly certificateChain?: string;
    readonly beginRefreshAt?: string;
    readonly notAfter?: string;
  };
};

export interface PodCertificateSettings {
  readonly api: Pick<ApiServer, 'create' | 'follow' | 'get'>;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly nodeName: string;
  /** Undefined while the node object is not known. */
  readonly readNodeUid: () => string | undefined;
}

const MINUTE_MS = 60_000;
/** Spreads refreshes, and the patience with a request that has vanished. */
const JITTER_MS = 5 * MINUTE_MS;
const LOST_MS = 10 * MINUTE_MS;
const OVERDUE_MS = 10 * MINUTE_MS;
const NOT_YET = 'credential bundle is not issued yet';

interface Issued {
  readonly key: string;
  readonly chain: string;
  readonly refreshAtMs: number;
  readonly expiresAtMs: number;
}

interface Entry {
  readonly podUid: string;
  readonly namespace: string;
  issued?: Issued;
  asked?: { readonly name: string; readonly key: string; readonly lostAtMs: number };
  failure?: { readonly reason: 'Denied' | 'Failed'; readonly message: string };
  /** Events are recorded once. */
  readonly told: Set<string>;
}

export class PodCertificates {
  readonly #settings: PodCertificateSettings;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #stop = new AbortController();
  #following: Promise<void> | undefined;

  constructor(settings: PodCertificateSettings) {
    this.#settings = settings;
  }

  async certificate(request: CertificateRequest, signal?: AbortSignal): Promise<Outcome<PodCertificate>> {
    const { clock } = this.#settings;
    this.#following ??= this.#follow();
    const entry = this.#entryOf(request);
    const nowMs = clock.now();
    if (entry.asked !== undefined && nowMs > entry.asked.lostAtMs) delete entry.asked;
    const isDue = entry.issued === undefined || nowMs >= entry.issued.refreshAtMs;
    if (isDue && entry.failure === undefined && entry.asked === undefined) {
      const problem = await this.#ask(entry, request, signal);
      if (problem !== undefined && entry.issued === undefined) return refuse(problem);
    }
    this.#tell(entry, request.warn);
    const { issued, failure } = entry;
    if (issued !== undefined) {
      const refreshAtMs = isDue ? nowMs + MINUTE_MS : issued.refreshAtMs;
      return accept({ key: issued.key, chain: issued.chain, refreshAtMs });
    }
    if (failure === undefined) return refuse(NOT_YET);
    return refuse(failure.message);
  }

  subscribe(podUid: string, onChange: () => void): Disposable {
    const listeners = this.#listeners.get(podUid) ?? new Set();
    this.#listeners.set(podUid, listeners);
    const listener = (): void => onChange();
    listeners.add(listener);
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0) this.#listeners.delete(podUid);
      },
    };
  }

  forget(podUid: string): void {
    for (const [key, entry] of this.#entries) if (entry.podUid === podUid) this.#entries.delete(key);
  }

  close(): void {
    this.#stop.abort();
  }

  #entryOf({ pod, volume, index }: CertificateRequest): Entry {
    const { uid, namespace } = pod.metadata;
    const key = `${uid}/${volume}/${index}`;
    const entry = this.#entries.get(key) ?? { podUid: uid, namespace, told: new Set<string>() };
    this.#entries.set(key, entry);
    return entry;
  }

  /** What went wrong, if anything. */
  async #ask(
    entry: Entry,
    { pod, source }: CertificateRequest,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const { api, clock, random } = this.#settings;
    const stub = createStubRequest(source.keyType);
    if (stub === undefined) return `unknown key type ${JSON.stringify(source.keyType)}`;
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
      const { nodeName } = this.#settings;
      const names = { accountName, accountUid: account.metadata.uid ?? '', nodeName, nodeUid };
      const body = toRequest(pod, source, names, stub.request);
      const made = await api.create<StoredRequest>(POD_CERTIFICATE_REQUESTS, body, options);
      const lostAtMs = clock.now() + LOST_MS + random() * JITTER_MS;
      entry.asked = { name: made.metadata.name, key: stub.key, lostAtMs };
      this.#take(made);
      return undefined;
    } catch (error) {
      return apiStatusOf(error)?.message ?? errorText(error);
    }
  }

  async #follow(): Promise<void> {
    const { api, nodeName } = this.#settings;
    const query = { resource: POD_CERTIFICATE_REQUESTS, fieldSelector: `spec.nodeName=${nodeName}` };
    await api.follow<StoredRequest>(query).run(this.#stop.signal, {
      onReplace: (items) => {
        for (const item of items) this.#take(item);
      },
      onEvent: (type, object) => {
        if (type !== 'DELETED') this.#take(object);
      },
    });
  }

  #take({ metadata, status }: StoredRequest): void {
    const entry = [...this.#entries.values()].find(
      ({ asked, namespace }) => asked?.name === metadata.name && namespace === metadata.namespace,
    );
    if (entry?.asked === undefined) return;
    const met = status?.conditions?.find((condition) => condition.status === 'True');
    const { random, clock } = this.#settings;
    if (met?.type === 'Issued') {
      const begin = Date.parse(status?.beginRefreshAt ?? '');
      const expires = Date.parse(status?.notAfter ?? '');
      entry.issued = {
        key: entry.asked.key,
        chain: toChain(status?.certificateChain ?? ''),
        refreshAtMs: (Number.isNaN(begin) ? clock.now() + 60 * MINUTE_MS : begin) + random() * JITTER_MS,
        expiresAtMs: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires,
      };
      entry.told.clear();
    } else if (met?.type === 'Denied' || met?.type === 'Failed') {
      const { reason = '', message = '' } = met;
      const text = `reason=${JSON.stringify(reason)} message=${JSON.stringify(message)}`;
      const verb = met.type.toLowerCase();
      entry.failure = {
        reason: met.type,
        message: `PodCertificateRequest was permanently ${verb}: ${text}`,
      };
    } else return;
    delete entry.asked;
    for (const listener of [...(this.#listeners.get(entry.podUid) ?? [])]) listener();
  }

  #tell({ issued, failure, told }: Entry, warn: CertificateRequest['warn']): void {
    const once = (reason: string, message: string): void => {
      if (!told.has(reason)) warn(reason, message);
      told.add(reason);
    };
    const nowMs = this.#settings.clock.now();
    if (failure !== undefined) once(failure.reason, failure.message);
    if (issued === undefined) return;
    if (nowMs >= issued.expiresAtMs) once('CertificateExpired', 'PodCertificate expired');
    else if (nowMs >= issued.refreshAtMs + OVERDUE_MS)
      once('CertificateOverdueForRefresh', 'PodCertificate refresh overdue');
  }
}

function toRequest(
  { metadata }: Pod,
  { signerName, maxExpirationSeconds, userAnnotations }: CertificateRequest['source'],
  names: { accountName: string; accountUid: string; nodeName: string; nodeUid: string },
  request: Uint8Array,
): object {
  const { name, uid, namespace } = metadata;
  return {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'PodCertificateRequest',
    metadata: {
      namespace,
      generateName: 'req-',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid }],
    },
    spec: {
      signerName,
      podName: name,
      podUID: uid,
      serviceAccountName: names.accountName,
      serviceAccountUID: names.accountUid,
      nodeName: names.nodeName,
      nodeUID: names.nodeUid,
      ...(maxExpirationSeconds === undefined ? {} : { maxExpirationSeconds }),
      stubPKCS10Request: Buffer.from(request).toString('base64'),
      ...(userAnnotations === undefined ? {} : { unverifiedUserAnnotations: userAnnotations }),
    },
  };
}

/** Certificates only, without headers or what stands between them. */
function toChain(text: string): string {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => `${block}\n`).join('');
}

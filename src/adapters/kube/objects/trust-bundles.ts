/**
 * The trust bundles of the cluster, followed from the first time that a pod
 * wants one. Anchors are shown in a meaningless order, so that no workload
 * relies on it; it stays the same while the agent runs.
 */
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import type { Clock } from '../../../base/async/clock.ts';
import { AgentError, errorText, hasCode } from '../../../base/errors.ts';
import { accept, type Outcome, refuse } from '../../../base/outcome.ts';
import { type LabelSelector, matchesLabels } from '../../../core/api/label-selector.ts';
import type { StringMap } from '../../../core/api/meta.ts';
import type { TrustBundleSource } from '../../../core/api/volume.ts';
import { CLUSTER_TRUST_BUNDLES, CLUSTER_TRUST_BUNDLES_ALPHA } from '../../../ports/cluster/api-resource.ts';
import type { ApiObject, ApiResource, ApiServer } from '../../../ports/cluster/api-server.ts';
import { FollowedList } from '../../../ports/cluster/followed-list.ts';
import type { ListWatch } from '../../../ports/cluster/list-watch.ts';

export type TrustBundle = ApiObject & {
  readonly metadata: { readonly labels?: StringMap };
  readonly spec: { readonly signerName?: string; readonly trustBundle: string };
};

export interface TrustBundleSettings {
  readonly api: Pick<ApiServer, 'follow' | 'list'>;
  readonly clock: Clock;
  /** Makes the order of anchors one of its own. */
  readonly salt?: Uint8Array;
}

const SYNC_WAIT_MS = 10_000;
const MAX_SELECTOR_BYTES = 100 * 1024;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export class TrustBundles {
  readonly #settings: TrustBundleSettings;
  readonly #salt: Uint8Array;
  readonly #bundles: FollowedList<TrustBundle>;
  readonly #stop = new AbortController();
  #following: Promise<string | undefined> | undefined;

  constructor(settings: TrustBundleSettings) {
    this.#settings = settings;
    this.#salt = settings.salt ?? randomBytes(16);
    const watch: Pick<ListWatch<TrustBundle>, 'run'> = {
      run: async (stop, handlers) =>
        settings.api.follow<TrustBundle>({ resource: await this.#discover() }).run(stop, handlers),
    };
    this.#bundles = new FollowedList({ watch, toKept: (bundle) => bundle });
  }

  async anchors(source: TrustBundleSource, signal?: AbortSignal): Promise<Outcome<string>> {
    const { name, signerName, labelSelector, optional = false } = source;
    if (!name && !signerName)
      return refuse('ClusterTrustBundle projection requires either name or signerName to be set');
    const { length } = JSON.stringify(labelSelector ?? {});
    if (length > MAX_SELECTOR_BYTES)
      return refuse(`label selector length (${length}) is larger than ${MAX_SELECTOR_BYTES}`);
    const problem = await this.#whenSynced(signal);
    if (problem !== undefined) return refuse(problem);
    if (name) return this.#byName(name, optional);
    return this.#bySigner(signerName ?? '', labelSelector, optional);
  }

  subscribe(onChange: () => void): Disposable {
    return this.#bundles.subscribe(onChange);
  }

  close(): void {
    this.#stop.abort();
  }

  #byName(name: string, optional: boolean): Outcome<string> {
    const bundle = this.#bundles.get(name);
    if (bundle !== undefined) return accept(this.#render([bundle]));
    if (optional) return accept('');
    const missing = `clustertrustbundle.certificates.k8s.io ${JSON.stringify(name)} not found`;
    return refuse(`while getting ClusterTrustBundle: ${missing}`);
  }

  #bySigner(signer: string, selector: LabelSelector | undefined, optional: boolean): Outcome<string> {
    const found = this.#bundles
      .values()
      .filter(
        ({ metadata, spec }) => spec.signerName === signer && matchesLabels(selector, metadata.labels ?? {}),
      );
    if (found.length > 0) return accept(this.#render(found));
    if (optional) return accept('');
    return refuse('combination of signerName and labelSelector matched zero ClusterTrustBundles');
  }

  /** Each certificate once, whatever else the bundles say. */
  #render(bundles: readonly TrustBundle[]): string {
    const byHash = new Map<string, string>();
    for (const { spec } of bundles)
      for (const [pem] of spec.trustBundle.matchAll(PEM)) {
        const der = toDer(pem);
        if (der === undefined) continue;
        const hash = createHash('sha256').update(this.#salt).update(der).digest('hex');
        byHash.set(hash, toPem(der));
      }
    return [...byHash]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, pem]) => pem)
      .join('');
  }

  /** What is in the way, if anything. */
  async #whenSynced(signal?: AbortSignal): Promise<string | undefined> {
    this.#following ??= this.#bundles.run(this.#stop.signal).then(() => undefined, errorText);
    if (this.#bundles.isSynced) return undefined;
    const waited = this.#bundles
      .isSyncedWithin(this.#settings.clock, SYNC_WAIT_MS, signal)
      .then(() => undefined);
    const problem = await Promise.race([this.#following, waited]);
    if (problem !== undefined) {
      // The next caller tries again.
      this.#following = undefined;
      return problem;
    }
    return this.#bundles.isSynced ? undefined : 'ClusterTrustBundle informer has not yet synced';
  }

  /** The newest form that the API server has. Rejects when it has none. */
  async #discover(): Promise<ApiResource> {
    for (const resource of [CLUSTER_TRUST_BUNDLES, CLUSTER_TRUST_BUNDLES_ALPHA])
      try {
        await this.#settings.api.list({ resource, pageSize: 1 });
        return resource;
      } catch (error) {
        if (!hasCode(error, 'not-found')) throw error;
      }
    const message = 'ClusterTrustBundle projection is not supported in static kubelet mode';
    throw new AgentError('unimplemented', message);
  }
}

function toDer(pem: string): Buffer | undefined {
  try {
    return new X509Certificate(pem).raw;
  } catch {
    return undefined;
  }
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

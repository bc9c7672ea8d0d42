/**
 * A signer for the certificates of pods: an authority of its own, made with
 * openssl, that answers PodCertificateRequests through their status as a
 * signer in a cluster does. openssl also checks the proof in each request.
 */
import { execFile } from 'node:child_process';
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { StoredPodCertificateRequest } from '../../../src/core/certificate/pod-certificate-request.ts';
import { POD_CERTIFICATE_REQUESTS } from '../../../src/ports/cluster/api-resource.ts';
import { type Cluster, waitFor } from './cluster.ts';
import { Daemon } from './daemon.ts';

const run = promisify(execFile);
const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export type LiveRequest = StoredPodCertificateRequest & {
  readonly metadata: { readonly namespace: string; readonly ownerReferences?: readonly object[] };
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly podName: string;
    readonly stubPKCS10Request: string;
  };
};

/** A certificate of an authority that signs nothing, as PEM. */
export async function makeAuthority(name: string): Promise<string> {
  const subject = ['-subj', `/CN=${name}`, '-days', '2', '-keyout', '/dev/null'];
  return (await run('openssl', ['req', '-x509', ...EC, ...subject])).stdout;
}

export class CertificateSigner implements AsyncDisposable {
  readonly name = `example.com/live-${randomBytes(4).toString('hex')}`;
  readonly #cluster: Cluster;
  readonly #directory: string;

  private constructor(cluster: Cluster, directory: string) {
    this.#cluster = cluster;
    this.#directory = directory;
  }

  static async create(cluster: Cluster): Promise<CertificateSigner> {
    const directory = await mkdtemp(join(tmpdir(), 'kubelet-signer-'));
    const [key, certificate] = [join(directory, 'ca.key'), join(directory, 'ca.crt')];
    const authority = ['-subj', '/CN=live-signer', '-days', '2', '-keyout', key, '-out', certificate];
    await run('openssl', ['req', '-x509', ...EC, ...authority]);
    return new CertificateSigner(cluster, directory);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true });
  }

  /** The requests for this pod, oldest first. */
  async requests(namespace: string, podName: string): Promise<readonly LiveRequest[]> {
    const { items } = await this.#cluster.api.list<LiveRequest>({
      resource: POD_CERTIFICATE_REQUESTS,
      namespace,
    });
    return items
      .filter(({ spec }) => spec.podName === podName)
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  }

  /** The pending request for this pod. */
  pending(namespace: string, podName: string): Promise<LiveRequest> {
    return waitFor(`a request for a certificate of "${podName}"`, async () =>
      (await this.requests(namespace, podName)).find(({ status }) => (status?.conditions ?? []).length === 0),
    );
  }

  /** Issues a certificate for 24 hours, to be renewed after 12, and returns it. */
  async issue(request: LiveRequest): Promise<X509Certificate> {
    const { certificate, status } = await this.#sign(request, 12 * HOUR_MS);
    await this.#answer(request, status);
    return certificate;
  }

  /**
   * The same with a date of renewal that has passed. The API server takes none
   * that is so near: this is put into its store behind its back.
   */
  async issueOverdue(request: LiveRequest): Promise<X509Certificate> {
    const { certificate, status } = await this.#sign(request, -6 * MINUTE_MS);
    const { resourceVersion: _version, ...metadata } = request.metadata;
    const object = {
      apiVersion: 'certificates.k8s.io/v1beta1',
      kind: 'PodCertificateRequest',
      ...request,
      metadata,
      status,
    };
    const key = `/registry/podcertificaterequests/${metadata.namespace}/${metadata.name}`;
    const etcd = Daemon.find('cluster-kube-apiserver').argument('--etcd-servers');
    const answer = await fetch(`${etcd}/v3/kv/put`, {
      method: 'POST',
      body: JSON.stringify({ key: btoa(key), value: btoa(JSON.stringify(object)) }),
    });
    if (!answer.ok) throw new Error(`etcd refused: ${await answer.text()}`);
    return certificate;
  }

  async refuse(request: LiveRequest, type: 'Denied' | 'Failed', reason: string, message: string) {
    await this.#answer(request, { conditions: [toCondition(type, reason, message)] });
  }

  async #sign(
    { metadata, spec }: LiveRequest,
    refreshInMs: number,
  ): Promise<{ certificate: X509Certificate; status: object }> {
    const file = (extension: string): string => join(this.#directory, `${metadata.name}.${extension}`);
    await writeFile(file('csr'), Buffer.from(spec.stubPKCS10Request, 'base64'));
    await run('openssl', ['req', '-inform', 'DER', '-in', file('csr'), '-verify', '-noout']);
    const authority = ['-CA', join(this.#directory, 'ca.crt'), '-CAkey', join(this.#directory, 'ca.key')];
    const what = ['-subj', `/CN=${spec.podName}`, '-days', '1', '-set_serial', String(Date.now())];
    const request = ['x509', '-req', '-inform', 'DER', '-in', file('csr'), '-out', file('crt')];
    await run('openssl', [...request, ...authority, ...what]);
    const certificateChain = await readFile(file('crt'), 'utf8');
    const certificate = new X509Certificate(certificateChain);
    const toTime = (date: number | Date): string => new Date(date).toISOString().replace(/\.\d+Z$/, 'Z');
    const status = {
      conditions: [toCondition('Issued', 'Signed', 'by the live test')],
      certificateChain,
      notBefore: toTime(certificate.validFromDate),
      notAfter: toTime(certificate.validToDate),
      beginRefreshAt: toTime(Date.now() + refreshInMs),
    };
    return { certificate, status };
  }

  async #answer(request: LiveRequest, status: object): Promise<void> {
    const { namespace, name } = request.metadata;
    await this.#cluster.api.patch(
      { resource: POD_CERTIFICATE_REQUESTS, namespace, name },
      { status },
      { kind: 'merge', subresource: 'status' },
    );
  }
}

function toCondition(type: string, reason: string, message: string): object {
  return { type, status: 'True', reason, message, lastTransitionTime: new Date().toISOString() };
}

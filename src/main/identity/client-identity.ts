/**
 * The node's identity at the API server: the kubeconfig as it is, or a client
 * certificate that the node requests itself and, if so configured, renews.
 * A start does not wait for a certificate: what needs the API server does,
 * and static pods run meanwhile.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ApiClient } from '../../adapters/kube/api-client.ts';
import {
  checkNodeKubeconfig,
  writeNodeKubeconfig,
} from '../../adapters/kube/credentials/bootstrap-kubeconfig.ts';
import { credentialFiles } from '../../adapters/kube/credentials/credential-files.ts';
import { type Kubeconfig, loadKubeconfig } from '../../adapters/kube/credentials/kubeconfig.ts';
import { replaceFile } from '../../adapters/linux/files/atomic-file.ts';
import { CertificateFiles } from '../../adapters/tls/certificate-files.ts';
import {
  computeRequestName,
  createKey,
  makeCertificateRequest,
  signCertificateRequest,
} from '../../adapters/tls/certificate-request.ts';
import { CertificateRenewer } from '../../agent/certificate/certificate-renewer.ts';
import { requestFirstCertificate } from '../../agent/certificate/first-certificate.ts';
import { type Clock, sleep } from '../../base/async/clock.ts';
import { AgentError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { toClientTemplate } from '../../core/certificate/certificate-template.ts';
import { decideIdentityLost, isExpired } from '../../core/certificate/decide-rotation.ts';
import { CLIENT_SIGNER, CLIENT_USAGES } from '../../core/certificate/signing-request.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import type { CertificateHooks } from '../metrics/certificate-metrics.ts';

const SIGNER = { signerName: CLIENT_SIGNER, usages: CLIENT_USAGES };
const LOSS_CHECK_MS = 10_000;

export interface IdentityParts {
  readonly loaded: LoadedConfiguration;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hooks: CertificateHooks | undefined;
  /** A client with everything but the credentials settled. */
  readonly connect: (
    kubeconfig: Kubeconfig,
    readClient?: () => { certificate: string; key: string } | undefined,
  ) => ApiClient;
}

export interface Identity {
  readonly client: ApiClient;
  /** Resolves when the client has credentials, or with `stop`: before that every call would be refused. */
  whenReady(stop: AbortSignal): Promise<void>;
  /** Renews until `stop`; resolves early with true when the node has lost its identity for good. */
  run(stop: AbortSignal): Promise<boolean>;
}

/** Rejects with AgentError when there are no usable credentials, nor a way to get some. */
export async function createIdentity(parts: IdentityParts): Promise<Identity> {
  const { loaded, logger } = parts;
  const { kubeconfig: path, bootstrapKubeconfig } = loaded.flags;
  const isRotated = loaded.config.rotateCertificates;
  if (!(await needsBootstrap(parts))) {
    const kubeconfig = await loadKubeconfig(path, credentialFiles);
    if (isRotated) return createRotating(parts, kubeconfig);
    const client = parts.connect(kubeconfig);
    await client.checkCredentials();
    return { client, whenReady: async () => {}, run: async () => false };
  }
  const bootstrap = await loadKubeconfig(bootstrapKubeconfig, credentialFiles);
  logger.info('bootstrapping the client certificate', { bootstrapKubeconfig, kubeconfig: path });
  if (!isRotated) return createOnce(parts, bootstrap);
  await writeNodeKubeconfig(path, bootstrap, toStore(parts).currentPath);
  return createRotating(parts, { ...bootstrap, user: {} }, bootstrap);
}

function toStore(
  { loaded, clock }: IdentityParts,
  fallback?: { readonly certificate: string; readonly key: string },
): CertificateFiles {
  return new CertificateFiles({
    directory: loaded.flags.certDir,
    prefix: 'kubelet-client',
    clock,
    fallback,
  });
}

async function needsBootstrap({ loaded, clock, logger }: IdentityParts): Promise<boolean> {
  const { kubeconfig, bootstrapKubeconfig } = loaded.flags;
  if (bootstrapKubeconfig === '') return false;
  const { usable, problem } = await checkNodeKubeconfig(kubeconfig, credentialFiles, clock.now());
  if (problem !== undefined) logger.warn('kubeconfig not usable', { kubeconfig, err: problem });
  return !usable;
}

async function createRotating(
  parts: IdentityParts,
  kubeconfig: Kubeconfig,
  bootstrap?: Kubeconfig,
): Promise<Identity> {
  const { nodeName, clock, logger, hooks, connect } = parts;
  const { certificate, key } = kubeconfig.user;
  const fallback =
    certificate?.kind === 'file' && key?.kind === 'file'
      ? { certificate: certificate.path, key: key.path }
      : undefined;
  const bootstrapClient = bootstrap === undefined ? undefined : connect(bootstrap);
  const template = toClientTemplate(nodeName);
  const renewer: CertificateRenewer = new CertificateRenewer({
    what: 'client',
    signer: SIGNER,
    chooseApi: (current) => (current === undefined ? (bootstrapClient ?? client) : client).api,
    store: toStore(parts, fallback),
    makeRequest: makeCertificateRequest,
    readTemplate: () => template,
    kit: { clock, random: Math.random, logger },
    hooks: hooks ?? {},
  });
  const client: ApiClient = connect(kubeconfig, () => renewer.current);
  await renewer.load();
  if (certificate?.kind === 'data' && key?.kind === 'data')
    await renewer.seed(certificate.text.reveal(), key.text.reveal());
  hooks?.follow(renewer);
  await client.checkCredentials();
  const ready = new AbortController();
  if (renewer.current !== undefined) ready.abort();
  const reload = async (): Promise<void> => {
    await client.reloadCredentials();
    ready.abort();
    await bootstrapClient?.close();
  };
  return {
    client,
    whenReady: (stop) => sleep(clock, Number.POSITIVE_INFINITY, AbortSignal.any([ready.signal, stop])),
    run: (stop) => runRotation(parts, renewer, reload, stop),
  };
}

async function runRotation(
  { clock, logger }: IdentityParts,
  renewer: CertificateRenewer,
  reload: () => Promise<void>,
  stop: AbortSignal,
): Promise<boolean> {
  const onIssued = (): void =>
    void reload().catch((error: unknown) => logger.error('cannot use the new client certificate', error));
  using _subscription = renewer.subscribe(onIssued);
  const end = new AbortController();
  const renewing = renewer.run(AbortSignal.any([stop, end.signal]));
  let lastSeenMs = clock.steady();
  let lost = false;
  while (!stop.aborted && !lost) {
    await sleep(clock, LOSS_CHECK_MS, stop);
    const { current, serverAnswers } = renewer;
    if (current !== undefined) lastSeenMs = clock.steady();
    lost = decideIdentityLost({ lastSeenMs, serverAnswers }, clock.steady());
  }
  end.abort();
  await renewing;
  if (lost)
    logger.error(
      'no valid client certificate, and the API server answers',
      new AgentError('unauthenticated', 'a new start is needed'),
    );
  return lost;
}

/** Without rotation: one certificate, and the end of the agent when none is issued. */
function createOnce(parts: IdentityParts, bootstrap: Kubeconfig): Identity {
  const { clock, logger } = parts;
  const pem = { kind: 'file', path: toStore(parts).currentPath } as const;
  const client = parts.connect({ ...bootstrap, user: { certificate: pem, key: pem } });
  const ready = new AbortController();
  const run = async (stop: AbortSignal): Promise<boolean> => {
    try {
      await bootstrapOnce(parts, bootstrap, stop);
      await client.reloadCredentials();
    } catch (error) {
      if (!stop.aborted) logger.error('cannot get a client certificate', error);
      return !stop.aborted;
    }
    ready.abort();
    return false;
  };
  const whenReady = (stop: AbortSignal): Promise<void> =>
    sleep(clock, Number.POSITIVE_INFINITY, AbortSignal.any([ready.signal, stop]));
  return { client, whenReady, run };
}

/** One request under a name that a later start finds again. */
async function bootstrapOnce(parts: IdentityParts, bootstrap: Kubeconfig, stop: AbortSignal): Promise<void> {
  const { loaded, nodeName, clock, logger, connect } = parts;
  const { kubeconfig, certDir } = loaded.flags;
  const store = toStore(parts);
  const temporaryKey = join(certDir, 'kubelet-client.key.tmp');
  const key = (await store.read())?.key ?? (await readOrMakeKey(temporaryKey));
  const template = toClientTemplate(nodeName);
  const request = {
    ...SIGNER,
    request: signCertificateRequest(template, key),
    name: computeRequestName(template, CLIENT_USAGES, key),
  };
  const client = connect(bootstrap);
  try {
    const issued = await requestFirstCertificate({ api: client.api, request, clock, logger }, stop);
    if (isExpired(await store.write(issued, key), clock.now()))
      throw new AgentError('failed-precondition', 'the certificate that was issued has expired already');
  } finally {
    await client.close();
  }
  await rm(temporaryKey, { force: true });
  await writeNodeKubeconfig(kubeconfig, bootstrap, store.currentPath);
}

async function readOrMakeKey(path: string): Promise<string> {
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found !== undefined) return found;
  const key = createKey();
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await replaceFile(path, { content: key, mode: 0o600 });
  return key;
}

/**
 * Builds and starts the main port (10250) from the configuration: its
 * certificate, who may ask, and what is told and done. Fails closed: a way
 * to know callers that is configured but cannot work stops the start.
 */

import type { CriConnection } from '../adapters/cri/connect-cri.ts';
import { checkpointContainer } from '../adapters/cri/cri-checkpoint.ts';
import { CriStreaming } from '../adapters/cri/cri-streaming.ts';
import { ContainerLogReader } from '../adapters/linux/logs/container-log-reader.ts';
import { NodeLogFiles } from '../adapters/linux/logs/node-log-files.ts';
import { type IssuedPair, ServingCertificate } from '../adapters/tls/serving-certificate.ts';
import { toTlsParameters } from '../adapters/tls/tls-parameters.ts';
import type { Clock } from '../base/clock.ts';
import { AgentError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Scope } from '../base/scope.ts';
import type { NodeProfile } from '../core/model/node-profile.ts';
import type { ApiServer } from '../ports/api-server.ts';
import { type Authorizer, allowAlways, createAccessAuthorizer } from '../server/auth/access-authorizer.ts';
import { ApiReviews } from '../server/auth/api-reviews.ts';
import { createAuthGuard } from '../server/auth/auth-guard.ts';
import { RequestAuthenticator } from '../server/auth/request-authenticator.ts';
import { TokenAuthenticator } from '../server/auth/token-authenticator.ts';
import { keepListening } from '../server/http/keep-listening.ts';
import type { ListenerTls } from '../server/http/listener-tls.ts';
import { createMainServer, type DebuggingParts, type MainServerSettings } from '../server/main-server.ts';
import type { LoadedConfiguration } from './config/load/load-configuration.ts';
import { durationMs } from './config/parse-duration.ts';
import { renderConfigz } from './config/render-config.ts';
import { renderFlags } from './config/render-flags.ts';
import { KUBERNETES_VERSION } from './config/version.ts';
import { AuthMetrics } from './metrics/auth-metrics.ts';
import type { NodeMetrics } from './metrics/node-metrics.ts';

const RETRY_MS = 5_000;
const HOST_LOGS = '/var/log';

export interface MainPortParts {
  readonly loaded: LoadedConfiguration;
  readonly cri: CriConnection;
  readonly node: Pick<NodeProfile, 'nodeName' | 'rootDir' | 'podLogsDir'>;
  readonly metrics: NodeMetrics;
  readonly startedAtMs: number;
  /** Where tokens and access are reviewed; absent standalone. */
  readonly api?: Pick<ApiServer, 'create'>;
  /** A certificate that somebody else looks after (serverTLSBootstrap). */
  readonly issued?: IssuedPair;
  /** Changes how much is logged. */
  readonly setVerbosity?: (level: number) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly scope: Scope;
}

type Shared = Pick<
  MainServerSettings,
  'checks' | 'informationalChecks' | 'pods' | 'metrics' | 'slis' | 'requests'
>;

/** Rejects with AgentError when the certificate cannot be had or callers could not be known. */
export async function startMainPort(parts: MainPortParts, shared: Shared): Promise<void> {
  const { loaded, clock, logger, scope } = parts;
  const guard = createGuard(parts);
  const settings: MainServerSettings = {
    ...shared,
    address: loaded.config.address,
    port: loaded.config.port,
    tls: await loadCertificate(parts),
    guard,
    debugging: loaded.config.enableDebuggingHandlers ? toDebugging(parts) : undefined,
    clock,
    log: logger,
  };
  const listener = createMainServer(settings);
  const onOpen = (port: number): void => logger.info('main port open', { port });
  const onUnavailable = (error: unknown): void =>
    logger.error('main port is not available', error, { retryMs: RETRY_MS });
  scope.run(
    (stop) => keepListening({ listener, retryMs: RETRY_MS, clock, onOpen, onUnavailable }, stop),
    (error) => logger.error('the main port failed', error),
  );
}

async function loadCertificate(parts: MainPortParts): Promise<ListenerTls> {
  const { loaded, node, issued, clock, logger, scope } = parts;
  const { config, flags, features } = loaded;
  const { clientCAFile } = config.authentication.x509;
  if (config.serverTLSBootstrap && issued === undefined)
    throw new AgentError('failed-precondition', 'cannot request a serving certificate without an API server');
  const certificate = new ServingCertificate({
    ...(issued === undefined ? {} : { issued }),
    ...(config.tlsCertFile === ''
      ? {}
      : { files: { certificate: config.tlsCertFile, key: config.tlsPrivateKeyFile } }),
    directory: flags.certDir,
    host: node.nodeName,
    ...(clientCAFile === '' ? {} : { clientCaFile: clientCAFile }),
    reload: {
      certificate: features.enabled('ReloadKubeletServerCertificateFile'),
      authorities: features.enabled('ReloadKubeletClientCAFile'),
    },
    clock,
    log: logger,
  });
  await certificate.load();
  scope.run(
    (stop) => certificate.run(stop),
    (error) => logger.error('following the serving certificate failed', error),
  );
  const parameters = toTlsParameters({
    minVersion: config.tlsMinVersion,
    cipherSuites: config.tlsCipherSuites,
    curves: config.tlsCurvePreferences,
  });
  return {
    parameters,
    current: () => certificate.current(),
    subscribe: (listener) => certificate.subscribe(listener),
  };
}

function createGuard({
  loaded,
  node,
  metrics,
  api,
  clock,
  logger,
}: MainPortParts): MainServerSettings['guard'] {
  const { authentication } = loaded.config;
  const counted = new AuthMetrics(metrics.registry, clock);
  const reviews = api === undefined ? undefined : new ApiReviews(counted.reviews(api));
  const random = Math.random;
  if (authentication.webhook.enabled && reviews === undefined)
    throw needsApi('authentication.webhook.enabled');
  const tokens =
    authentication.webhook.enabled && reviews !== undefined
      ? {
          tokens: new TokenAuthenticator({
            reviewer: reviews,
            cacheTtlMs: durationMs(authentication.webhook.cacheTTL),
            clock,
            random,
            meter: counted.tokenCache(),
          }),
        }
      : {};
  const authenticator = new RequestAuthenticator({
    certificates: authentication.x509.clientCAFile !== '',
    anonymous: authentication.anonymous.enabled,
    onCertificate: (expiresAtMs) => counted.certificate(expiresAtMs),
    clock,
    ...tokens,
  });
  const authorize = createAuthorizer(loaded, reviews, clock);
  return createAuthGuard({ authenticator, authorize, nodeName: node.nodeName, log: logger });
}

function createAuthorizer(
  { config }: LoadedConfiguration,
  reviewer: ApiReviews | undefined,
  clock: Clock,
): Authorizer {
  const { mode, webhook } = config.authorization;
  if (mode === 'AlwaysAllow') return allowAlways;
  if (reviewer === undefined) throw needsApi('authorization.mode');
  return createAccessAuthorizer({
    reviewer,
    allowedTtlMs: durationMs(webhook.cacheAuthorizedTTL),
    refusedTtlMs: durationMs(webhook.cacheUnauthorizedTTL),
    clock,
    random: Math.random,
  });
}

function needsApi(field: string): AgentError {
  return new AgentError('failed-precondition', `cannot open the main port: ${field} needs an API server`);
}

function toDebugging({
  loaded,
  cri,
  node,
  metrics,
  startedAtMs,
  clock,
  setVerbosity,
}: MainPortParts): DebuggingParts {
  const { config, flags, features, parsedFlags } = loaded;
  const { reader, runtime, client } = cri;
  return {
    logs: {
      runtime: reader,
      logs: new ContainerLogReader({ root: node.podLogsDir, clock }),
      splitStreams: features.enabled('PodLogsQuerySplitStreams'),
    },
    streaming: {
      reader,
      streaming: new CriStreaming(client),
      idleTimeoutMs: durationMs(config.streamingConnectionIdleTimeout),
      translateWebSockets: features.enabled('ExtendWebSocketsToKubelet'),
      onWebSocket: (subresource) => metrics.webSockets.add(1, { subresource }),
    },
    run: { runtime },
    ...(features.enabled('ContainerCheckpoint')
      ? {
          checkpoint: {
            directory: `${node.rootDir}/checkpoints`,
            checkpoint: (id, location, timeout) => checkpointContainer(client, id, location, timeout),
          },
        }
      : {}),
    configz: () => renderConfigz(withServingFiles(loaded)),
    flagz: features.enabled('ComponentFlagz'),
    statusz: features.enabled('ComponentStatusz'),
    component: {
      binaryVersion: KUBERNETES_VERSION.slice(1),
      startedAtMs,
      flags: renderFlags(parsedFlags).map(toFlagPair),
    },
    ...(config.enableProfilingHandler ? { profiling: { heapSnapshots: flags.enableHeapSnapshots } } : {}),
    ...(config.enableSystemLogHandler
      ? { nodeLogs: { nodeLogs: new NodeLogFiles(HOST_LOGS), queries: config.enableSystemLogQuery } }
      : {}),
    ...(config.enableDebugFlagsHandler && setVerbosity !== undefined ? { setVerbosity } : {}),
  };
}

/** With the pair that stands in for files nobody named, as callers know it from elsewhere. */
function withServingFiles({ config, flags }: LoadedConfiguration): LoadedConfiguration['config'] {
  if (config.serverTLSBootstrap || config.tlsCertFile !== '' || config.tlsPrivateKeyFile !== '')
    return config;
  const { certDir } = flags;
  return { ...config, tlsCertFile: `${certDir}/kubelet.crt`, tlsPrivateKeyFile: `${certDir}/kubelet.key` };
}

/** From `--name="value"`. */
function toFlagPair(text: string): readonly [string, string] {
  const mark = text.indexOf('=');
  return [text.slice(2, mark), JSON.parse(text.slice(mark + 1)) as string];
}

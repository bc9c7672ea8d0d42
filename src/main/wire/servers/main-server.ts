/**
 * Builds and starts the main server (port 10250) from the configuration: its
 * certificate, who may ask, and what is answered and done.
 */
import type { CriConnection } from '../../../adapters/cri/connect-cri.ts';
import { type IssuedPair, ServingCertificate } from '../../../adapters/tls/serving-certificate.ts';
import { toTlsParameters } from '../../../adapters/tls/tls-parameters.ts';
import type { RuntimeObserver } from '../../../agent/runtime/runtime-observer.ts';
import { AgentError } from '../../../base/errors.ts';
import type { NodeProfile } from '../../../core/model/node-profile.ts';
import type { ApiServer } from '../../../ports/cluster/api-server.ts';
import type { ListenerTls } from '../../../server/http/listener-tls.ts';
import { createMainServer, type MainServerSettings } from '../../../server/main-server.ts';
import type { PageSource } from '../../../server/page/page-source.ts';
import { startListening } from '../../process/taken-port.ts';
import type { Foundation } from '../foundation.ts';
import { wireGuard } from './auth.ts';
import { wireDebugging } from './debugging.ts';

export interface MainServerParts {
  readonly cri: CriConnection;
  readonly node: Pick<NodeProfile, 'nodeName' | 'rootDir' | 'podLogsDir'>;
  readonly observer: Pick<RuntimeObserver, 'lastSeen'>;
  readonly startedAtMs: number;
  /** Where tokens and access are reviewed; undefined standalone. */
  readonly api: Pick<ApiServer, 'create'> | undefined;
  /** A certificate that is renewed elsewhere (serverTLSBootstrap). */
  readonly issued: IssuedPair | undefined;
  readonly page: PageSource;
}

/** What it answers like the other servers, and the count of requests. */
export type CommonAnswers = Pick<MainServerSettings, 'answers' | 'requests'>;

/** Rejects with AgentError when the certificate or the port is unavailable, or callers could not be identified. */
export async function startMainServer(
  foundation: Foundation,
  parts: MainServerParts,
  shared: CommonAnswers,
): Promise<void> {
  const { loaded, clock, logger, scope, tracer } = foundation;
  const guard = wireGuard(foundation, parts.node.nodeName, parts.api);
  const listener = createMainServer({
    ...shared,
    place: { address: loaded.config.address, port: loaded.config.port },
    tls: await loadCertificate(foundation, parts),
    guard,
    debugging: await wireDebugging(foundation, parts),
    kit: { clock, logger, tracer },
  });
  scope.defer(() => listener.stop());
  const port = await startListening(listener, { setting: 'port', port: loaded.config.port });
  logger.info('main port open', { port });
}

async function loadCertificate(
  { loaded, clock, logger, scope }: Foundation,
  { node, issued }: MainServerParts,
): Promise<ListenerTls> {
  const { config, flags, features } = loaded;
  const { tlsCertFile, tlsPrivateKeyFile } = config;
  const { clientCAFile } = config.authentication.x509;
  if (config.serverTLSBootstrap && issued === undefined)
    throw new AgentError('failed-precondition', 'cannot request a serving certificate without an API server');
  const certificate = new ServingCertificate({
    issued,
    files: tlsCertFile === '' ? undefined : { certificate: tlsCertFile, key: tlsPrivateKeyFile },
    directory: flags.certDir,
    host: node.nodeName,
    clientCaFile: clientCAFile === '' ? undefined : clientCAFile,
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
    (error) => logger.error('serving certificate watch failed', error),
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

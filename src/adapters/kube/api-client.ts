/**
 * Puts the client together: a pool of connections and one only for heartbeats,
 * the turn queues, the credentials that follow their files, and the port on top.
 * Building does no I/O; the first call connects.
 */
import { sleep } from '../../base/async/clock.ts';
import type { TokenRate } from '../../base/async/token-bucket.ts';
import { errorText } from '../../base/errors.ts';
import type { ApiServer } from '../../ports/cluster/api-server.ts';
import type { Kit } from '../../ports/kit.ts';
import { ApiCaller, type ApiExchange } from './client/api-caller.ts';
import { ApiConnection, type ConnectionTiming } from './client/api-connection.ts';
import { chooseProxy } from './client/choose-proxy.ts';
import { ConnectionPool } from './client/connection-pool.ts';
import { createDial } from './client/dial.ts';
import { TurnQueue } from './client/turn-queue.ts';
import { type CredentialFiles, credentialFiles } from './credentials/credential-files.ts';
import { CredentialSource, type CredentialSourceSettings } from './credentials/credential-source.ts';
import { type ExecCredential, type ExecPlugin, runExecPlugin } from './credentials/exec-plugin.ts';
import type { Kubeconfig } from './credentials/kubeconfig.ts';
import { KubeApiServer } from './kube-api-server.ts';
import type { ReflectorTiming } from './watch/reflector-timing.ts';
import { WatchLedger, type WatchTotals } from './watch/watch-ledger.ts';

export interface ApiClientTuning {
  /** For every call that names none, except heartbeats. */
  readonly timeoutMs?: number;
  readonly files?: CredentialFiles;
  readonly credentialCheckMs?: number;
  readonly connection?: ConnectionTiming;
  readonly watch?: Partial<ReflectorTiming>;
}

export interface ApiClientSettings {
  readonly kubeconfig: Kubeconfig;
  readonly kit: Pick<Kit, 'clock' | 'logger' | 'random' | 'tracer'>;
  readonly limits: {
    /** kubeAPIQPS and kubeAPIBurst. */
    readonly calls: TokenRate;
    /** eventRecordQPS and eventBurst. */
    readonly events: TokenRate;
  };
  /** For lease and node status: the smaller of their period and the lease duration. */
  readonly heartbeatTimeoutMs: number;
  /** How the process appears: its name to the server, its environment to proxies and plugins. */
  readonly process: { readonly userAgent: string; readonly environment: NodeJS.ProcessEnv };
  /** Instead of the client certificate in the kubeconfig; call reloadCredentials after a change. */
  readonly readClient: CredentialSourceSettings['readClient'] | undefined;
  readonly observe: ((exchange: ApiExchange) => void) | undefined;
  /** Differs from the defaults in tests only. */
  readonly tuning?: ApiClientTuning;
}

export interface ApiClient {
  readonly api: ApiServer;
  /** Reads the credentials once, so that bad ones fail the start in words. */
  checkCredentials(): Promise<void>;
  /** Looks at the credential files until `stop`; a changed certificate makes new connections. */
  run(stop: AbortSignal): Promise<void>;
  /** Reads changed credential files now, for a caller that just wrote one. */
  reloadCredentials(): Promise<void>;
  /** Connections made so far. */
  connects(): { readonly main: number; readonly heartbeat: number };
  /** How the watches are, by kind of object. */
  watches(): readonly WatchTotals[];
  /** Drops all connections, because they seem to lead nowhere; watches go on from where they were. */
  renewConnections(reason: string): void;
  /** Ends all calls and connections. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 30_000;
const CREDENTIAL_CHECK_MS = 10_000;
const EXEC_TIMEOUT_MS = 60_000;

export function createApiClient(settings: ApiClientSettings): ApiClient {
  const { kit, kubeconfig, limits, tuning = {} } = settings;
  const { clock, logger } = kit;
  const { credentialCheckMs = CREDENTIAL_CHECK_MS } = tuning;
  const credentials = new CredentialSource({
    config: kubeconfig,
    files: tuning.files ?? credentialFiles,
    runExec: (plugin) => runPlugin(plugin, settings),
    clock,
    logger,
    checkIntervalMs: credentialCheckMs,
    readClient: settings.readClient,
    onTlsChange: () => {
      logger.info('API credentials changed, reconnecting');
      renewConnections('credentials changed');
    },
  });
  const main = new ConnectionPool(() => createConnection('main', settings, credentials));
  const heartbeat = createConnection('heartbeat', settings, credentials);
  const renewConnections = (reason: string): void => {
    for (const connection of [main, heartbeat]) connection.renew(reason);
  };
  const ledger = new WatchLedger();
  const caller = new ApiCaller({
    kit,
    links: { main, heartbeat },
    turns: { calls: new TurnQueue(clock, limits.calls), events: new TurnQueue(clock, limits.events) },
    timeouts: { callMs: tuning.timeoutMs ?? TIMEOUT_MS, heartbeatMs: settings.heartbeatTimeoutMs },
    credentials,
    pathPrefix: kubeconfig.server.pathname.replace(/\/+$/, ''),
    userAgent: settings.process.userAgent,
    observe: settings.observe,
  });
  return {
    api: new KubeApiServer(caller, { ...kit, ledger, timing: tuning.watch ?? {} }),
    checkCredentials: async () => void (await credentials.current()),
    run: (stop) => followCredentials(credentials, settings, credentialCheckMs, stop),
    reloadCredentials: async () => void (await credentials.renew()),
    connects: () => ({ main: main.connects, heartbeat: heartbeat.connects }),
    watches: () => ledger.totals(),
    renewConnections,
    close: async () => void (await Promise.all([main.close(), heartbeat.close()])),
  };
}

function createConnection(
  name: string,
  settings: ApiClientSettings,
  credentials: CredentialSource,
): ApiConnection {
  const { kubeconfig, kit, process } = settings;
  const { server, tlsServerName, insecure } = kubeconfig;
  const proxyUrl = kubeconfig.proxyUrl ?? chooseProxy(server, process.environment);
  return new ApiConnection({
    name,
    origin: server.origin,
    kit,
    timing: settings.tuning?.connection ?? {},
    dial: createDial({
      server,
      insecure,
      ...(tlsServerName === undefined ? {} : { tlsServerName }),
      ...(proxyUrl === undefined ? {} : { proxyUrl }),
      readTls: async () => (await credentials.current()).tls,
    }),
  });
}

async function followCredentials(
  credentials: CredentialSource,
  { kit: { clock, logger } }: ApiClientSettings,
  checkMs: number,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    await credentials.current().catch((error: unknown) => {
      logger.debug({ file: 'api-client', level: 1 }, 'no API credentials', { err: errorText(error) });
    });
    await sleep(clock, checkMs, stop);
  }
}

function runPlugin(
  plugin: ExecPlugin,
  { kubeconfig, process: { environment }, kit: { clock } }: ApiClientSettings,
): Promise<ExecCredential> {
  const { server, ca, insecure, tlsServerName, proxyUrl } = kubeconfig;
  const cluster = {
    server: server.href,
    ...(insecure ? { 'insecure-skip-tls-verify': true } : {}),
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
    ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl.href }),
    ...(ca?.kind === 'data'
      ? { 'certificate-authority-data': Buffer.from(ca.text.reveal()).toString('base64') }
      : {}),
  };
  return runExecPlugin(plugin, { cluster, environment, clock, timeoutMs: EXEC_TIMEOUT_MS });
}

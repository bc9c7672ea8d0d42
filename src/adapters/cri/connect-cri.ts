/**
 * Builds the connection to the container runtime: two gRPC channels (runtime
 * and images, independent even on one socket), the typed client, and the
 * ports on top. Nothing is sent before `connect()` or the first call.
 */
import type { Clock } from '../../base/async/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { ContainerStatsReader, PodStatsSource } from '../../ports/host/stats-reader.ts';
import type {
  ContainerRuntime,
  RuntimeCallOptions,
  RuntimeReader,
} from '../../ports/runtime/container-runtime.ts';
import type { ImageService } from '../../ports/runtime/image-service.ts';
import type { Tracer } from '../../ports/tracer.ts';
import { GrpcChannel } from '../grpc/grpc-channel.ts';
import type { CallObserver } from './call-tracker.ts';
import { CriClient } from './cri-client.ts';
import { CriContainerRuntime } from './cri-container-runtime.ts';
import { CriContainerStats } from './cri-container-stats.ts';
import { CriImageService } from './cri-image-service.ts';
import { CriRuntimeReader } from './cri-runtime-reader.ts';
import { parseEndpoint } from './endpoint.ts';
import { ListCaller } from './list-caller.ts';

export interface CriSettings {
  readonly endpoint: string;
  /** Empty or absent means the same as `endpoint`. */
  readonly imageEndpoint?: string;
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Use the streaming variants of list calls where the runtime has them (gate CRIListStreaming). */
  readonly listStreaming?: boolean;
  readonly observer?: CallObserver;
  /** A number in [0, 1), for the jitter of reconnects. */
  readonly random?: () => number;
}

export interface CriConnection {
  readonly runtime: ContainerRuntime;
  readonly reader: RuntimeReader;
  readonly images: ImageService;
  readonly containerStats: ContainerStatsReader;
  /** Made when it is asked for: most nodes count themselves. */
  readonly loadPodStats: () => Promise<PodStatsSource>;
  /** Emits when the connection for the runtime service is lost. */
  readonly losses: Pick<Emitter, 'subscribe'>;
  /** Every call of the interface, for what the ports do not cover. */
  readonly client: CriClient;
  /** Connects both services and checks that they answer; rejects with AgentError. Not needed before calls. */
  connect(options?: RuntimeCallOptions): Promise<void>;
  /** Ends all calls and drops both connections; resolves when they are gone. */
  close(): Promise<void>;
}

/**
 * With `podOwner` only pods of that owner are seen, and what is made is marked as its own. Throws
 * `invalid-argument` when an endpoint is not a unix socket.
 */
export function connectCri(settings: CriSettings, podOwner?: string, tracer?: Tracer): CriConnection {
  const { endpoint, requestTimeoutMs, clock } = settings;
  const imageEndpoint = settings.imageEndpoint || endpoint;
  const losses = new Emitter();
  const runtimeChannel = openChannel(settings, 'runtime', endpoint, () => losses.emit());
  const imageChannel = openChannel(settings, 'image', imageEndpoint);
  const client = new CriClient({
    runtimeChannel,
    imageChannel,
    requestTimeoutMs,
    clock,
    observer: settings.observer,
    tracer,
  });
  const lists = (): ListCaller => new ListCaller(client, clock, settings.listStreaming ?? false);
  return {
    runtime: new CriContainerRuntime(client, podOwner),
    reader: new CriRuntimeReader(client, lists(), podOwner),
    images: new CriImageService(client, lists()),
    containerStats: new CriContainerStats(lists()),
    loadPodStats: async () => {
      const { CriPodStats } = await import('./cri-pod-stats.ts');
      return new CriPodStats(client, lists());
    },
    losses,
    client,
    async connect(options) {
      await validate(client.call('version', {}, options), 'runtime', endpoint);
      await validate(client.call('imageFsInfo', {}, options), 'image', imageEndpoint);
    },
    async close() {
      await Promise.all([runtimeChannel.close(), imageChannel.close()]);
    },
  };
}

function openChannel(
  settings: CriSettings,
  service: string,
  endpoint: string,
  onLost: () => void = () => {},
): GrpcChannel {
  const { socketPath, deprecated } = parseEndpoint(endpoint);
  const logger = settings.logger.with({ service, endpoint });
  if (deprecated) logger.warn('Endpoint without a scheme is deprecated, use the full URL format');
  return new GrpcChannel({
    socketPath,
    clock: settings.clock,
    random: settings.random ?? Math.random,
    onConnection: (state, reason) => {
      if (state === 'connected') logger.info('Connected to the container runtime');
      else if (state === 'lost') logger.warn('Lost the connection to the container runtime', { reason });
      else
        logger.debug({ file: 'connect-cri', level: 2 }, 'Cannot connect to the container runtime', {
          reason,
        });
      if (state === 'lost') onLost();
    },
  });
}

async function validate(answer: Promise<unknown>, service: string, endpoint: string): Promise<void> {
  try {
    await answer;
  } catch (error) {
    const code = error instanceof AgentError ? error.code : 'unknown';
    const where = `validate CRI v1 ${service} API for endpoint "${endpoint}"`;
    const hint =
      code === 'unavailable' ? ' (is the container runtime running, and is that endpoint its socket?)' : '';
    throw new AgentError(code, `validate service connection: ${where}: ${errorText(error)}${hint}`, {
      cause: error,
    });
  }
}

/** What the main server does for callers with more than read access, as far as the configuration allows. */
import { checkpointContainer } from '../../../adapters/cri/cri-checkpoint.ts';
import { CriStreaming } from '../../../adapters/cri/cri-streaming.ts';
import { ContainerLogReader } from '../../../adapters/linux/logs/container-log-reader.ts';
import { NodeLogFiles } from '../../../adapters/linux/logs/node-log-files.ts';
import { ContentionProfile } from '../../../server/debug/contention-profile.ts';
import type { ContainerAccess, DebuggingParts } from '../../../server/main-server.ts';
import type { LoadedConfiguration } from '../../config/load/load-configuration.ts';
import { durationMs } from '../../config/parse-duration.ts';
import { renderConfigz } from '../../config/render-config.ts';
import { renderFlags } from '../../config/render-flags.ts';
import { KUBERNETES_VERSION } from '../../config/version.ts';
import type { Foundation } from '../foundation.ts';
import type { MainServerParts } from './main-server.ts';

const HOST_LOGS = '/var/log';

/** Undefined when the configuration turns all of it off. */
export async function wireDebugging(
  foundation: Foundation,
  parts: MainServerParts,
): Promise<DebuggingParts | undefined> {
  const { loaded, live, clock, logger, metrics } = foundation;
  const { config, flags, features, parsedFlags } = loaded;
  const { cri, node, startedAtMs } = parts;
  const { reader, runtime, client } = cri;
  if (!config.enableDebuggingHandlers) return undefined;
  return {
    containers: {
      logs: {
        runtime: reader,
        logs: new ContainerLogReader({ root: node.podLogsDir, clock }),
        lastSeen: (id) => parts.observer.lastSeen(id),
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
      checkpoint: features.enabled('ContainerCheckpoint') ? toCheckpoint(parts) : undefined,
    },
    component: {
      configz: () => renderConfigz(withServingFiles(live.current)),
      flagz: features.enabled('ComponentFlagz'),
      statusz: features.enabled('ComponentStatusz'),
      facts: {
        binaryVersion: KUBERNETES_VERSION.slice(1),
        startedAtMs,
        flags: renderFlags(parsedFlags).map(toFlagPair),
      },
    },
    profiling: config.enableProfilingHandler
      ? { heapSnapshots: flags.enableHeapSnapshots, contention: await startContentionProfile(foundation) }
      : undefined,
    nodeLogs: config.enableSystemLogHandler
      ? { nodeLogs: new NodeLogFiles(HOST_LOGS), queries: config.enableSystemLogQuery }
      : undefined,
    page: parts.page,
    setVerbosity: config.enableDebugFlagsHandler ? (level) => logger.setVerbosity(level) : undefined,
  };
}

async function startContentionProfile({ loaded, scope }: Foundation): Promise<ContentionProfile | undefined> {
  if (!loaded.config.enableContentionProfiling) return undefined;
  const profile = new ContentionProfile();
  const measuring = await profile.start();
  scope.defer(() => measuring[Symbol.dispose]());
  return profile;
}

function toCheckpoint({ cri, node }: MainServerParts): NonNullable<ContainerAccess['checkpoint']> {
  return {
    directory: `${node.rootDir}/checkpoints`,
    checkpoint: (id, location, timeout) => checkpointContainer(cri.client, id, location, timeout),
  };
}

/** With the pair that stands in for files that are not configured, as callers know it from elsewhere. */
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

/**
 * What pods and their surroundings are known from the API server, with the
 * memory of it for a start while the API server is away. Everything that a
 * pod needs from there passes here, so that it can be remembered.
 */
import { ApiClaimReader } from '../../adapters/kube/objects/api-claim-reader.ts';
import { ObjectCache } from '../../adapters/kube/objects/object-cache.ts';
import { toObjectTtlMs } from '../../adapters/kube/objects/object-ttl.ts';
import { RuntimeClassList } from '../../adapters/kube/objects/runtime-class-list.ts';
import { ServiceList } from '../../adapters/kube/objects/service-list.ts';
import { ApiTokenSource } from '../../adapters/kube/objects/token-source.ts';
import { ApiPodSource } from '../../adapters/kube/watch/api-pod-source.ts';
import { ApiSourceWithFallback } from '../../agent/cluster/api-source-with-fallback.ts';
import { OfflineMemory } from '../../agent/cluster/offline-memory.ts';
import { servicesFor, toRememberedNode } from '../../agent/cluster/remember-facts.ts';
import type { OwnNode } from '../../agent/node/own-node.ts';
import type { Clock } from '../../base/async/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { Node } from '../../core/api/node.ts';
import type { ApiServer } from '../../ports/cluster/api-server.ts';
import type { CheckpointStore } from '../../ports/host/checkpoint-store.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';
import { durationMs } from '../config/parse-duration.ts';

export interface ApiFactsParts {
  readonly api: ApiServer;
  readonly own: OwnNode;
  readonly nodeName: string;
  readonly config: KubeletConfiguration;
  readonly checkpoints: CheckpointStore;
  /** False leaves nothing on disk and removes what is there. */
  readonly remembers: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ApiFacts {
  readonly source: ApiSourceWithFallback;
  readonly podWatch: Pick<ApiPodSource, 'health'>;
  readonly objects: ObjectCache;
  readonly tokens: ApiTokenSource;
  readonly claims: ApiClaimReader;
  readonly services: ServiceList;
  readonly runtimeClasses: RuntimeClassList;
  /** The node as the API server has it, or had it when it was last seen. */
  readNode(): Node | undefined;
}

/** Takes up what an earlier run knew; never rejects for it. */
export async function createApiFacts(parts: ApiFactsParts): Promise<ApiFacts> {
  const { api, own, nodeName, config, checkpoints, clock, logger } = parts;
  const memory = new OfflineMemory({ checkpoints, clock, logger });
  const note = (): void => memory.noteFacts();
  if (parts.remembers) await memory.load();
  else await memory.erase();
  const podWatch = new ApiPodSource({ api, nodeName, clock, startAfter: (stop) => own.whenSynced(stop) });
  const source = new ApiSourceWithFallback({ source: podWatch, memory, clock, logger });
  const objects = new ObjectCache({
    api,
    clock,
    detection: toDetection(config.configMapAndSecretChangeDetectionStrategy),
    ttlMs: () => toObjectTtlMs(own.current),
    pollMs: durationMs(config.syncFrequency),
    readRemembered: (key) => memory.facts?.objects[key],
    onKnown: note,
  });
  const tokens = new ApiTokenSource({ api, clock, random: Math.random, logger, onChange: note });
  const claims = new ApiClaimReader(api, parts.remembers ? note : undefined);
  const services = new ServiceList({
    api,
    readRemembered: () => (source.isOffline ? (memory.facts?.services ?? []) : undefined),
    onChange: note,
  });
  const runtimeClasses = new RuntimeClassList({
    api,
    clock,
    readRemembered: () => memory.facts?.runtimeClasses,
  });
  runtimeClasses.subscribe(note);
  own.subscribe(note);
  tokens.restore(memory.facts?.tokens ?? []);
  claims.restore(memory.facts?.storage ?? {});
  const readNode = (): Node | undefined => own.current ?? memory.facts?.node;
  memory.contribute((pods) => ({
    ...toRememberedNode(readNode()),
    objects: objects.remember(),
    tokens: tokens.remember(pods.map(({ metadata }) => metadata.uid)),
    services: servicesFor(pods, services.services() ?? memory.facts?.services ?? []),
    runtimeClasses: runtimeClasses.handlers() ?? memory.facts?.runtimeClasses ?? {},
    storage: claims.remember(pods),
  }));
  return { source, podWatch, objects, tokens, claims, services, runtimeClasses, readNode };
}

/** The configuration was checked before; anything else is the default. */
function toDetection(strategy: string): 'Watch' | 'Cache' | 'Get' {
  return strategy === 'Cache' || strategy === 'Get' ? strategy : 'Watch';
}

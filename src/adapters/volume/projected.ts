/**
 * projected: several sources in one volume in memory. Tokens have to be asked
 * for again in time; the earliest of their dates is the volume's.
 */

import { accept } from '../../base/outcome.ts';
import type { ProjectedSource } from '../../core/api/volume.ts';
import { type GatheredSource, toProjectedPayload } from '../../core/volume/projected-payload.ts';
import type { ObjectReader } from '../../ports/cluster/object-reader.ts';
import { noCredentials, type ProjectedCredentials } from '../../ports/cluster/projected-credentials.ts';
import type { TokenSource } from '../../ports/cluster/token-source.ts';
import type { VolumeDriver, VolumeRequest } from '../../ports/storage/volume-driver.ts';
import { type ContentDriverParts, createContentDriver } from './content-driver.ts';

export interface ProjectedDriverParts extends ContentDriverParts {
  readonly objects: ObjectReader;
  readonly tokens: TokenSource;
  /** Absent where there are none. */
  readonly credentials?: ProjectedCredentials | undefined;
}

interface Gathering {
  readonly gathered: GatheredSource;
  readonly refreshAtMs?: number | undefined;
}

export function createProjectedDriver(parts: ProjectedDriverParts): VolumeDriver {
  return createContentDriver(parts, {
    plugin: 'kubernetes.io/projected',
    source: 'projected',
    backing: 'memory',
    gather: async (request) => {
      const { pod, volume } = request;
      const { sources = [], defaultMode } = volume.projected ?? {};
      const all = await Promise.all(sources.map((source, index) => gather(parts, request, source, index)));
      const gathered = all.map((one) => one.gathered);
      const payload = toProjectedPayload({ pod, sources, gathered, defaultMode, node: parts.node });
      if (!payload.ok) return payload;
      const dates = all.map(({ refreshAtMs }) => refreshAtMs).filter((date) => date !== undefined);
      return accept({
        payload: payload.value,
        ...(dates.length > 0 ? { refreshAtMs: Math.min(...dates) } : {}),
      });
    },
    onUnmounted: ({ podUid }) => {
      parts.tokens.forget(podUid);
      parts.credentials?.forget(podUid);
    },
  });
}

async function gather(
  { objects, tokens, credentials = noCredentials }: ProjectedDriverParts,
  { pod, volume, signal, warn }: VolumeRequest,
  source: ProjectedSource,
  index: number,
): Promise<Gathering> {
  const { namespace } = pod.metadata;
  const { configMap, secret, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (configMap !== undefined) {
    const lookup = await objects.configMap(namespace, configMap.name ?? '', signal);
    return { gathered: { kind: 'object', lookup } };
  }
  if (secret !== undefined) {
    const lookup = await objects.secret(namespace, secret.name ?? '', signal);
    return { gathered: { kind: 'object', lookup } };
  }
  if (clusterTrustBundle !== undefined) {
    const pem = await credentials.trustAnchors(clusterTrustBundle, signal);
    return { gathered: { kind: 'anchors', pem } };
  }
  if (podCertificate !== undefined) {
    const wanted = { pod, volume: volume.name, index, source: podCertificate, warn };
    const pair = await credentials.certificate(wanted, signal);
    return {
      gathered: { kind: 'certificate', pair },
      ...(pair.ok ? { refreshAtMs: pair.value.refreshAtMs } : {}),
    };
  }
  if (serviceAccountToken === undefined) return { gathered: undefined };
  const { audience = '', expirationSeconds } = serviceAccountToken;
  const answer = await tokens.token({ pod, audience, expirationSeconds }, signal);
  if (!answer.ok) return { gathered: { kind: 'token', token: answer } };
  const { token, refreshAtMs } = answer.value;
  return {
    gathered: { kind: 'token', token: accept(token) },
    refreshAtMs,
  };
}

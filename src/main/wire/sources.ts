/** Where pods come from: a manifest directory, a URL, the API server; as far as each is configured. */
import { HttpPodSource } from '../../adapters/http/http-pod-source.ts';
import type { LocalObjects } from '../../adapters/kube/objects/local-objects.ts';
import { FilePodSource } from '../../adapters/linux/manifest/file-pod-source.ts';
import type { RejectedManifests } from '../../agent/desired/rejected-manifests.ts';
import type { PodSource } from '../../ports/pod-source.ts';
import { durationMs } from '../config/parse-duration.ts';
import type { ClusterConnection } from './cluster.ts';
import type { Foundation } from './foundation.ts';

export function wireSources(
  { loaded, clock, logger }: Foundation,
  nodeName: string,
  connection: ClusterConnection | undefined,
  local: LocalObjects | undefined,
  rejected: RejectedManifests,
): readonly PodSource[] {
  const { config } = loaded;
  const files =
    config.staticPodPath === ''
      ? undefined
      : new FilePodSource({
          path: config.staticPodPath,
          nodeName,
          fileCheckFrequencyMs: durationMs(config.fileCheckFrequency),
          onProblems: (problems) => rejected.replace('file', problems),
          onObjects: local === undefined ? undefined : (found) => local.replace(found),
          clock,
          logger,
        });
  const url =
    config.staticPodURL === ''
      ? undefined
      : new HttpPodSource({
          url: config.staticPodURL,
          headers: config.staticPodURLHeader,
          nodeName,
          httpCheckFrequencyMs: durationMs(config.httpCheckFrequency),
          onProblems: (problems) => rejected.replace('http', problems),
          clock,
          logger,
        });
  return [files, url, connection?.source].filter((source) => source !== undefined);
}

/**
 * Which objects and files a container's environment refers to, so that the
 * agent can gather them before it builds the configuration.
 */
import type { Container } from '../api/pod.ts';

export interface EnvironmentReferences {
  readonly configMaps: readonly string[];
  readonly secrets: readonly string[];
  readonly files: readonly { readonly volumeName: string; readonly path: string }[];
}

/** Names of the pod's namespace, each once. */
export function toEnvironmentReferences(container: Container): EnvironmentReferences {
  const configMaps = new Set<string>();
  const secrets = new Set<string>();
  const files = new Map<string, { readonly volumeName: string; readonly path: string }>();
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    if (configMapRef !== undefined) configMaps.add(configMapRef.name ?? '');
    if (secretRef !== undefined) secrets.add(secretRef.name ?? '');
  }
  for (const { value, valueFrom } of container.env ?? []) {
    // A literal value wins over its source, which is then never read.
    if (value || valueFrom === undefined) continue;
    const { configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
    if (configMapKeyRef !== undefined) configMaps.add(configMapKeyRef.name ?? '');
    if (secretKeyRef !== undefined) secrets.add(secretKeyRef.name ?? '');
    if (fileKeyRef !== undefined) {
      const { volumeName, path } = fileKeyRef;
      files.set(`${volumeName}\n${path}`, { volumeName, path });
    }
  }
  return { configMaps: [...configMaps], secrets: [...secrets], files: [...files.values()] };
}

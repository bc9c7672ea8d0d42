/** Objects that pods refer to: of the API server, or standalone of the manifest directory. */
import { LocalObjects } from '../../adapters/kube/objects/local-objects.ts';
import { readSecretNow } from '../../adapters/kube/objects/read-secret.ts';
import type { SecretLookup } from '../../adapters/volume/place/read-volume-secret.ts';
import type { ObjectPorts } from '../../agent/agent-ports.ts';
import type { ClaimReader } from '../../ports/cluster/claim-reader.ts';
import { noTokens } from '../../ports/cluster/token-source.ts';
import type { ClusterConnection } from './cluster.ts';

export interface ObjectWiring {
  readonly ports: ObjectPorts;
  readonly claims: ClaimReader;
  /** A Secret that a volume needs to be set up: in a cluster any may be asked for. */
  readonly readSecret: SecretLookup;
  /** Those of the manifest directory; undefined in a cluster. */
  readonly local: LocalObjects | undefined;
}

export function wireObjects(connection: ClusterConnection | undefined): ObjectWiring {
  if (connection === undefined) {
    const local = new LocalObjects();
    const readSecret: SecretLookup = (namespace, name) => local.secret(namespace, name);
    const ports = { objects: local, tokens: noTokens, services: () => [] };
    return { ports, claims: local, readSecret, local };
  }
  const { objects, tokens, claims, services, client } = connection;
  return {
    ports: { objects, tokens, services: () => services.services() },
    claims,
    readSecret: (namespace, name, signal) => readSecretNow(client.api, namespace, name, signal),
    local: undefined,
  };
}

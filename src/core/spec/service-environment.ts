/**
 * Variables with the addresses of services. The service `default/kubernetes`
 * is always included, those of the pod's namespace only if the pod wants
 * service links.
 */
import type { ServiceLike } from '../model/environment-objects.ts';

const MASTER_NAMESPACE = 'default';
const MASTER_NAME = 'kubernetes';

/** Variables by name; services without a cluster address have none. */
export function toServiceEnvironment(
  services: readonly ServiceLike[],
  namespace: string,
  enableServiceLinks: boolean,
): Map<string, string> {
  const chosen = new Map<string, ServiceLike>();
  for (const service of services) {
    const { name, namespace: home } = service.metadata;
    const { clusterIP } = service.spec;
    if (!clusterIP || clusterIP === 'None') continue;
    if (home === namespace && enableServiceLinks) {
      chosen.set(name, service);
    } else if (home === MASTER_NAMESPACE && name === MASTER_NAME && !chosen.has(name)) {
      // A service of that name in the pod's own namespace takes this place.
      chosen.set(name, service);
    }
  }
  const variables = new Map<string, string>();
  for (const service of chosen.values()) addService(variables, service);
  return variables;
}

function addService(variables: Map<string, string>, { metadata, spec }: ServiceLike): void {
  const name = toVariableName(metadata.name);
  const ip = spec.clusterIP ?? '';
  const ports = spec.ports ?? [];
  variables.set(`${name}_SERVICE_HOST`, ip);
  ports.forEach(({ name: portName, port, protocol = 'TCP' }, index) => {
    const lower = protocol.toLowerCase();
    const url = `${lower}://${ip.includes(':') ? `[${ip}]` : ip}:${port}`;
    if (index === 0) {
      variables.set(`${name}_SERVICE_PORT`, String(port));
      variables.set(`${name}_PORT`, url);
    }
    if (portName) variables.set(`${name}_SERVICE_PORT_${toVariableName(portName)}`, String(port));
    const prefix = `${name}_PORT_${port}_${protocol.toUpperCase()}`;
    variables.set(prefix, url);
    variables.set(`${prefix}_PROTO`, lower);
    variables.set(`${prefix}_PORT`, String(port));
    variables.set(`${prefix}_ADDR`, ip);
  });
}

function toVariableName(text: string): string {
  return text.toUpperCase().replaceAll('-', '_');
}

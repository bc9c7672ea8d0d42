/**
 * The port mappings of a sandbox. Only main containers take part; a port
 * without a host port is included too, with host port 0.
 */
import type { ContainerPort, Pod } from '../api/pod.ts';
import type { PortMapping } from '../model/sandbox-config.ts';

/** Port mappings in spec order; within one container the first of equal ports wins. */
export function toPortMappings(pod: Pod): PortMapping[] {
  return pod.spec.containers.flatMap(({ ports = [] }) => {
    const byKey = new Map<string, PortMapping>();
    for (const port of ports) {
      const key = portKey(port);
      if (!byKey.has(key)) byKey.set(key, toPortMapping(port));
    }
    return [...byKey.values()];
  });
}

function toPortMapping(port: ContainerPort): PortMapping {
  return {
    protocol: port.protocol === 'UDP' || port.protocol === 'SCTP' ? port.protocol : 'TCP',
    containerPort: port.containerPort,
    hostPort: port.hostPort ?? 0,
    hostIp: port.hostIP ?? '',
  };
}

function portKey({
  name,
  hostIP = '',
  protocol = 'TCP',
  containerPort,
  hostPort = 0,
}: ContainerPort): string {
  if (name) return name;
  const family = hostIP === '' ? 'any' : hostIP.includes(':') ? 'v6' : 'v4';
  return `${family}-${protocol}-${hostIP}:${containerPort}:${hostPort}`;
}

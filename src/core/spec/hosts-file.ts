/**
 * The hosts file mounted into containers. Rewritten before every container
 * start, so that it holds the addresses the pod has then.
 */
import type { Container, HostAlias, Pod } from '../api/pod.ts';
import type { PodHostname } from './hostname.ts';

export const HOSTS_FILE_PATH = '/etc/hosts';

const OWN_LINES = [
  '# Kubernetes-managed hosts file.',
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

/** True when the agent's hosts file is mounted: an address is known and the user mounts no file of their own. */
export function needsHostsFile(pod: Pod, container: Container, podIps: readonly string[]): boolean {
  if (pod.spec.hostNetwork !== true && podIps.length === 0) return false;
  return !(container.volumeMounts ?? []).some((mount) => mount.mountPath === HOSTS_FILE_PATH);
}

/**
 * The text of the file. `name` is the short hostname, never the full one the
 * kernel may have; `hostsFileOfNode` counts only for pods on the host's network.
 */
export function renderHostsFile(
  pod: Pod,
  podIps: readonly string[],
  name: PodHostname,
  hostsFileOfNode: string,
): string {
  const own =
    pod.spec.hostNetwork === true
      ? `# Kubernetes-managed hosts file (host network).\n${hostsFileOfNode}`
      : lines([...OWN_LINES, ...podIps.map((ip) => `${ip}\t${nameColumns(name)}`)]);
  return own + renderAliases(pod.spec.hostAliases ?? []);
}

function nameColumns({ hostname, domain }: PodHostname): string {
  return domain === '' ? hostname : `${hostname}.${domain}\t${hostname}`;
}

function renderAliases(aliases: readonly HostAlias[]): string {
  if (aliases.length === 0) return '';
  const entries = aliases.map(({ ip, hostnames = [] }) => [ip, ...hostnames].join('\t'));
  return lines(['', '# Entries added by HostAliases.', ...entries]);
}

function lines(content: readonly string[]): string {
  return `${content.join('\n')}\n`;
}

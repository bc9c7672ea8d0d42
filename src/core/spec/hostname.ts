/**
 * The name a pod has for itself: the short hostname and domain that go into
 * its hosts file, and the hostname its kernel namespace gets.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { quote } from '../../base/text/quote.ts';
import type { Pod } from '../api/pod.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import { findLabelProblems, findSubdomainProblems, LABEL_MAX_LENGTH } from './dns-names.ts';

export interface PodHostname {
  /** At most 63 characters. */
  readonly hostname: string;
  /** Empty when the pod has no subdomain. */
  readonly domain: string;
}

/** The kernel takes no longer hostname than this. */
const FQDN_MAX_LENGTH = 64;

/** Short hostname and domain; refused when a part the user chose is not a DNS name. */
export function toPodHostname(
  pod: Pod,
  facts: Pick<NodeProfile, 'clusterDomain' | 'features'>,
): Outcome<PodHostname> {
  const { hostname, hostnameOverride, subdomain } = pod.spec;
  if (hostnameOverride !== undefined && facts.features('HostnameOverride')) {
    const problems = findSubdomainProblems(hostnameOverride);
    if (problems.length > 0) return refuseName('HostnameOverride', hostnameOverride, 'subdomain', problems);
    return truncate(pod, hostnameOverride, '');
  }
  if (hostname) {
    const problems = findLabelProblems(hostname);
    if (problems.length > 0) return refuseName('Hostname', hostname, 'label', problems);
  }
  if (subdomain) {
    const problems = findLabelProblems(subdomain);
    if (problems.length > 0) return refuseName('Subdomain', subdomain, 'label', problems);
  }
  const domain = subdomain ? `${subdomain}.${pod.metadata.namespace}.svc.${facts.clusterDomain}` : '';
  return truncate(pod, hostname || pod.metadata.name, domain);
}

/** The hostname for the sandbox: the short one, or the full one if the pod asks for it and it fits. */
export function toKernelHostname(pod: Pod, { hostname, domain }: PodHostname): Outcome<string> {
  if (pod.spec.setHostnameAsFQDN !== true || domain === '') return accept(hostname);
  const fqdn = `${hostname}.${domain}`;
  if (fqdn.length <= FQDN_MAX_LENGTH) return accept(fqdn);
  return refuse(
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long (${FQDN_MAX_LENGTH} characters is the max, ${fqdn.length} characters requested)`,
  );
}

function truncate(pod: Pod, name: string, domain: string): Outcome<PodHostname> {
  if (name.length <= LABEL_MAX_LENGTH) return accept({ hostname: name, domain });
  const hostname = name.slice(0, LABEL_MAX_LENGTH).replace(/[-.]+$/, '');
  if (hostname !== '') return accept({ hostname, domain });
  return refuse(`hostname for pod ${quote(pod.metadata.name)} was invalid: ${quote(name)}`);
}

function refuseName(
  field: string,
  value: string,
  kind: 'label' | 'subdomain',
  problems: readonly string[],
): Outcome<never> {
  return refuse(`pod ${field} ${quote(value)} is not a valid DNS ${kind}: ${problems.join(';')}`);
}

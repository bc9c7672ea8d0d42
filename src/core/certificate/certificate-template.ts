/**
 * What a certificate of this node must contain: its subject and, for the
 * serving one, the names and addresses of the node. Requests are made from it
 * and certificates are checked against it.
 */
import type { NodeAddress } from '../api/node.ts';
import { canonicalIp } from '../status/pod-addresses.ts';

export interface CertificateTemplate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

/** The identity of the node towards the API server. */
export function toClientTemplate(nodeName: string): CertificateTemplate {
  return {
    commonName: `system:node:${nodeName}`,
    organizations: ['system:nodes'],
    dnsNames: [],
    ipAddresses: [],
  };
}

/** Undefined while the node has no address, or only names where those alone are not enough. */
export function toServingTemplate(
  nodeName: string,
  addresses: readonly NodeAddress[],
  namesSuffice: boolean,
): CertificateTemplate | undefined {
  const dnsNames = new Set<string>();
  const ipAddresses = new Set<string>();
  for (const { type, address } of addresses) {
    if (address === '') continue;
    // A zone means something on this host only; a certificate has no place for one.
    const [bare = ''] = address.split('%');
    const ip = canonicalIp(bare);
    if (ip !== undefined && (type === 'Hostname' || type.endsWith('IP'))) {
      if (bare === address) ipAddresses.add(ip);
    } else if (type.endsWith('DNS') || type === 'Hostname') dnsNames.add(address);
  }
  if (ipAddresses.size === 0 && (!namesSuffice || dnsNames.size === 0)) return undefined;
  const sorted = (names: Set<string>): string[] => [...names].toSorted();
  return {
    ...toClientTemplate(nodeName),
    dnsNames: sorted(dnsNames),
    ipAddresses: sorted(ipAddresses),
  };
}

export function isSameTemplate(
  a: CertificateTemplate | undefined,
  b: CertificateTemplate | undefined,
): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Everything the template asks for is in the certificate; more is fine. */
export function satisfies(certificate: CertificateTemplate, template: CertificateTemplate): boolean {
  return listMissing(certificate, template).length === 0;
}

/** What the template asks for and the certificate does not have. */
export function listMissing(certificate: CertificateTemplate, template: CertificateTemplate): string[] {
  // One spelling for every address: OpenSSL and Kubernetes write IPv6 differently.
  const addresses = new Set(certificate.ipAddresses.map((ip) => canonicalIp(ip)));
  return [
    ...(certificate.commonName === template.commonName ? [] : [template.commonName]),
    ...template.organizations.filter((name) => !certificate.organizations.includes(name)),
    ...template.dnsNames.filter((name) => !certificate.dnsNames.includes(name)),
    ...template.ipAddresses.filter((ip) => !addresses.has(canonicalIp(ip))),
  ];
}

/**
 * What a certificate of this node must contain: its subject and, for the
 * serving one, the names and addresses of the node. Requests are made from it
 * and certificates are checked against it.
 */
import type { NodeAddress } from '../api/node.ts';

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
    const isIp = isIpAddress(address);
    if (isIp && (type === 'Hostname' || type.endsWith('IP'))) ipAddresses.add(address);
    else if (type.endsWith('DNS') || (type === 'Hostname' && !isIp)) dnsNames.add(address);
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
  return (
    certificate.commonName === template.commonName &&
    includesAll(certificate.organizations, template.organizations) &&
    includesAll(certificate.dnsNames, template.dnsNames) &&
    includesAll(certificate.ipAddresses.map(toCanonicalIp), template.ipAddresses.map(toCanonicalIp))
  );
}

function includesAll(all: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((each) => all.includes(each));
}

function isIpAddress(text: string): boolean {
  if (text.includes(':')) return URL.canParse(`http://[${text}]/`);
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && text.split('.').every((part) => Number(part) < 256);
}

/** One spelling for every address: OpenSSL and Kubernetes write IPv6 differently. */
function toCanonicalIp(text: string): string {
  return text.includes(':') ? new URL(`http://[${text}]/`).hostname : text;
}

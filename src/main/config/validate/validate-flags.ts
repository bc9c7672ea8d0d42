/**
 * Rules on the flags that are not configuration fields: node labels, node IPs, cloud provider, lock file.
 * Run right after parsing, before any file is read. Pure.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { canonicalIp } from '../../../core/status/pod-addresses.ts';
import { isLabelValue, isQualifiedName, LABEL_VALUE_RULE, QUALIFIED_NAME_RULE } from '../label-syntax.ts';
import type { ProcessFlags } from '../process-flags.ts';

const ALLOWED_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);
const MAX_PORT = 65_535;
const RESERVED_DOMAINS = ['kubernetes.io', 'k8s.io'];
const OPEN_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/** Everything wrong with the flags, one line each. */
export function validateProcessFlags(flags: ProcessFlags): readonly string[] {
  const { problems } = parseNodeIPs(flags.nodeIP);
  return [
    ...validateNodeLabels(flags.nodeLabels),
    ...problems,
    ...(['', 'external'].includes(flags.cloudProvider)
      ? []
      : [`invalid --cloud-provider ${JSON.stringify(flags.cloudProvider)}: must be empty or "external"`]),
    ...(flags.exitOnLockContention && flags.lockFile === ''
      ? ['cannot exit on lock file contention: --exit-on-lock-contention needs --lock-file']
      : []),
    ...(flags.pagePort > MAX_PORT ? [`invalid --page-port ${flags.pagePort}: must be a port, 0 or -1`] : []),
  ];
}

export interface NodeIPs {
  /** None, one, or a dual-stack pair; a single `::` or `0.0.0.0` means "prefer that family". */
  readonly addresses: readonly string[];
  readonly problems: readonly string[];
  /** Items that are no IP and were left out. */
  readonly ignored: readonly string[];
}

/** Reads --node-ip. */
export function parseNodeIPs(text: string): NodeIPs {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const addresses = items.filter((item) => isIPv4(item) || isIPv6(item));
  const ignored = items.filter((item) => !addresses.includes(item));
  const [first = '', second] = addresses;
  const complain = (reason: string): NodeIPs => {
    return { addresses: [], ignored, problems: [`invalid --node-ip ${JSON.stringify(text)}: ${reason}`] };
  };
  if (addresses.length > 2) return complain('must be one IP or a dual-stack pair');
  if (second !== undefined) {
    if (isIPv4(first) === isIPv4(second)) return complain('a pair must have one IPv4 and one IPv6 address');
    if (addresses.some((ip) => isUnspecified(canonicalIp(ip) ?? ip)))
      return complain('a pair must not contain 0.0.0.0 or ::');
  }
  return { addresses: addresses.map((ip) => canonicalIp(ip) ?? ip), ignored, problems: [] };
}

/** Node name from the override or the host name; `undefined` when nothing is left of it. */
export function toNodeName(hostnameOverride: string, hostName: string): string | undefined {
  const name = (hostnameOverride === '' ? hostName : hostnameOverride).trim().toLowerCase();
  return name === '' ? undefined : name;
}

function validateNodeLabels(labels: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const at = `invalid --node-labels ${JSON.stringify(`${key}=${value}`)}`;
    const problems: string[] = [];
    if (!isQualifiedName(key)) problems.push(`${at}: the key ${QUALIFIED_NAME_RULE}`);
    else if (!isAllowedLabel(key)) problems.push(`${at}: ${reservedReason(key)}`);
    if (!isLabelValue(value)) problems.push(`${at}: the value ${LABEL_VALUE_RULE}`);
    return problems;
  });
}

function isAllowedLabel(key: string): boolean {
  const slash = key.indexOf('/');
  const namespace = slash < 0 ? '' : key.slice(0, slash);
  if (!within(namespace, RESERVED_DOMAINS)) return true;
  return ALLOWED_LABELS.has(key) || within(namespace, OPEN_DOMAINS);
}

function reservedReason(key: string): string {
  return `label ${JSON.stringify(key)} is in a reserved namespace: must be under ${OPEN_DOMAINS.join(' or ')}, or one of ${[...ALLOWED_LABELS].join(', ')}`;
}

function within(namespace: string, domains: readonly string[]): boolean {
  return domains.some((domain) => namespace === domain || namespace.endsWith(`.${domain}`));
}

function isUnspecified(address: string): boolean {
  return /^[0.:]+$/.test(address);
}

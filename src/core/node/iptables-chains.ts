/**
 * The iptables chains that a node has for other programs (`makeIPTablesUtilChains`):
 * a hint by which they see whether the node uses nft or legacy tables, a canary
 * per table by which a flush is noticed, and, for IPv4, a rule that drops packets
 * which come to a loopback address from elsewhere. Names and rules are those that
 * kube-proxy and network plugins look for.
 */
export type IpFamily = 'IPv4' | 'IPv6';
export type IptablesTable = 'mangle' | 'nat' | 'filter';

const HINT_CHAIN = 'KUBE-IPTABLES-HINT';
export const CANARY_CHAIN = 'KUBE-KUBELET-CANARY';
export const FIREWALL_CHAIN = 'KUBE-FIREWALL';
/** The first one is looked at; a flush is over when the others are empty too. */
export const CANARY_TABLES: readonly IptablesTable[] = ['mangle', 'nat', 'filter'];

/** A rule of the table `filter`. */
export interface FilterRule {
  readonly chain: string;
  /** New rules go to the top of the kernel's own chains, to the end of ours. */
  readonly position: 'first' | 'last';
  readonly words: readonly string[];
}

const LOOPBACK = '127.0.0.0/8';

/** In the order in which they are made: a jump needs its chain. */
export const FIREWALL_RULES: readonly FilterRule[] = [
  { chain: 'OUTPUT', position: 'first', words: ['-j', FIREWALL_CHAIN] },
  { chain: 'INPUT', position: 'first', words: ['-j', FIREWALL_CHAIN] },
  {
    chain: FIREWALL_CHAIN,
    position: 'last',
    words: [
      ...['-m', 'comment', '--comment', 'block incoming localnet connections'],
      ...['-d', LOOPBACK, '!', '-s', LOOPBACK],
      ...['-m', 'conntrack', '!', '--ctstate', 'RELATED,ESTABLISHED,DNAT', '-j', 'DROP'],
    ],
  },
];

export interface MissingFirewall {
  readonly chain: boolean;
  readonly rules: readonly FilterRule[];
}

/**
 * What iptables-restore reads (with `--noflush`): each table changes at once or
 * not at all. Declaring a chain that exists empties it, so the firewall's, where
 * others have rules too, is declared only when it is missing.
 */
export function renderChains(missing: MissingFirewall): string {
  const canary = `:${CANARY_CHAIN} - [0:0]`;
  const table = (name: IptablesTable, lines: readonly string[]): string[] => [`*${name}`, ...lines, 'COMMIT'];
  return [
    ...table('mangle', [`:${HINT_CHAIN} - [0:0]`, canary]),
    ...table('nat', [canary]),
    ...table('filter', [
      canary,
      ...(missing.chain ? [`:${FIREWALL_CHAIN} - [0:0]`] : []),
      ...missing.rules.map(renderRule),
    ]),
    '',
  ].join('\n');
}

function renderRule({ chain, position, words }: FilterRule): string {
  const quoted = words.map((word) => (/\s/.test(word) ? `"${word}"` : word));
  return [position === 'first' ? '-I' : '-A', chain, ...quoted].join(' ');
}

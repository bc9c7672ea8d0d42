import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node, NodeAddress } from '../api/node.ts';
import { computeNodeAddresses, toHostIps } from './node-addresses.ts';
import type { AddressFacts } from './node-status-facts.ts';

const KEY = 'alpha.kubernetes.io/provided-node-ip';
const internal = (address: string): NodeAddress => ({ type: 'InternalIP', address });
const HOST: NodeAddress = { type: 'Hostname', address: 'n' };
const facts = (extra: Partial<AddressFacts>): AddressFacts => ({
  requested: [],
  externalCloud: false,
  ips: ['10.0.0.7'],
  ...extra,
});
const node = (addresses: NodeAddress[] = [], annotations?: Record<string, string>): Node => ({
  metadata: { name: 'n', ...(annotations === undefined ? {} : { annotations }) },
  status: { addresses },
});

describe('computeNodeAddresses', () => {
  it('one address and the name', () => {
    assert.deepEqual(computeNodeAddresses(node(), facts({})).addresses, [internal('10.0.0.7'), HOST]);
  });

  it('two requested addresses and the name', () => {
    const ips = ['10.0.0.7', 'fd00::7'];
    assert.deepEqual(computeNodeAddresses(node(), facts({ requested: ips, ips })).addresses, [
      internal('10.0.0.7'),
      internal('fd00::7'),
      HOST,
    ]);
  });

  it('a problem changes nothing and is passed on', () => {
    const annotations = { [KEY]: '1.2.3.4' };
    const outcome = computeNodeAddresses(
      node([internal('10.9.9.9')], annotations),
      facts({ ips: [], problem: 'no' }),
    );
    assert.deepEqual(outcome, { addresses: undefined, annotations, problem: 'no' });
  });

  it('an external cloud keeps what it wrote and gets the requested addresses', () => {
    const current = node([internal('1.1.1.1')], { other: 'x' });
    const ips = ['10.0.0.7', 'fd00::7'];
    const outcome = computeNodeAddresses(current, facts({ externalCloud: true, requested: ips, ips }));
    assert.equal(outcome.addresses, undefined);
    assert.deepEqual(outcome.annotations, { other: 'x', [KEY]: '10.0.0.7,fd00::7' });
  });

  it('an external cloud that wrote nothing yet gets the name, and addresses only when requested', () => {
    const bare = computeNodeAddresses(node(), facts({ externalCloud: true }));
    assert.deepEqual(bare.addresses, [HOST]);
    const requested = computeNodeAddresses(node(), facts({ externalCloud: true, requested: ['10.0.0.7'] }));
    assert.deepEqual(requested.addresses, [internal('10.0.0.7'), HOST]);
  });

  for (const requested of [[], ['0.0.0.0'], ['::']])
    it(`with an external cloud a node ip of ${JSON.stringify(requested)} is none, and the annotation goes`, () => {
      const current = node([], { [KEY]: '1.2.3.4', other: 'x' });
      const outcome = computeNodeAddresses(current, facts({ externalCloud: true, requested }));
      assert.deepEqual(outcome.annotations, { other: 'x' });
      assert.deepEqual(outcome.addresses, [HOST]);
    });
});

describe('toHostIps', () => {
  const toNode = (...addresses: [type: string, address: string][]): Node => ({
    metadata: { name: 'n' },
    status: { addresses: addresses.map(([type, address]) => ({ type, address })) },
  });
  const cases: [what: string, node: Node, ips: string[]][] = [
    ['nothing while nothing is known', { metadata: { name: 'n' } }, []],
    ['no name', toNode(['Hostname', '192.0.2.9'], ['InternalDNS', 'n.example']), []],
    [
      'the first internal one before external ones',
      toNode(['ExternalIP', '198.51.100.1'], ['InternalIP', '192.0.2.1'], ['InternalIP', '192.0.2.2']),
      ['192.0.2.1'],
    ],
    [
      'the first of the other family, wherever it is from',
      toNode(['InternalIP', '192.0.2.1'], ['ExternalIP', '198.51.100.1'], ['ExternalIP', '2001:db8::1']),
      ['192.0.2.1', '2001:db8::1'],
    ],
    ['an external one where there is no other', toNode(['ExternalIP', '198.51.100.1']), ['198.51.100.1']],
  ];
  for (const [what, node, ips] of cases)
    it(`shows ${what}`, () => {
      assert.deepEqual(toHostIps(node), ips);
    });
});

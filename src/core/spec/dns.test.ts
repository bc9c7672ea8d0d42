import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import type { PodSpec } from '../api/pod.ts';
import type { DnsConfig } from '../model/sandbox-config.ts';
import { type DnsFacts, toDnsConfig } from './dns.ts';

const RESOLV = 'nameserver 192.0.2.1\nsearch example.org corp.example\noptions ndots:2 rotate\n';
const host: DnsConfig = {
  servers: ['192.0.2.1'],
  searches: ['example.org', 'corp.example'],
  options: ['ndots:2', 'rotate'],
};
const cluster: DnsConfig = {
  servers: ['10.96.0.10'],
  searches: ['market.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'example.org', 'corp.example'],
  options: ['ndots:5'],
};
const none: DnsConfig = { servers: [], searches: [], options: [] };

function dnsOf(spec: Partial<PodSpec>, node = sampleNode(), resolvConf: string | undefined = RESOLV) {
  return build(spec, { node, resolvConf });
}
function build(spec: Partial<PodSpec>, facts: DnsFacts) {
  const result = toDnsConfig(samplePod(spec), facts);
  assert.ok(result.ok);
  return result.value;
}

const policies: [spec: Partial<PodSpec>, expected: DnsConfig][] = [
  [{ dnsPolicy: 'ClusterFirst' }, cluster],
  [{ dnsPolicy: 'ClusterFirst', hostNetwork: true }, host],
  [{ dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true }, cluster],
  [{ dnsPolicy: 'ClusterFirstWithHostNet' }, cluster],
  [{ dnsPolicy: 'Default' }, host],
  [{ dnsPolicy: 'Default', hostNetwork: true }, host],
  [{ dnsPolicy: 'None' }, none],
  [{ dnsPolicy: 'Unknown' as 'None' }, cluster],
];

describe('toDnsConfig', () => {
  for (const [spec, expected] of policies) {
    it(`follows ${JSON.stringify(spec)}`, () =>
      assert.deepEqual(dnsOf(spec), { dns: expected, warnings: [] }));
  }

  it('keeps only the searches of the node without a cluster domain', () => {
    const { dns } = dnsOf({}, sampleNode({ clusterDomain: '' }));
    assert.deepEqual(dns.searches, host.searches);
  });

  it('drops searches that occur twice', () => {
    const { dns } = dnsOf({}, sampleNode(), 'search svc.cluster.local x.example\n');
    assert.deepEqual(dns.searches, [
      'market.svc.cluster.local',
      'svc.cluster.local',
      'cluster.local',
      'x.example',
    ]);
  });

  it('falls back to the node and warns pod and node without a cluster DNS server', () => {
    const message =
      'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';
    assert.deepEqual(dnsOf({}, sampleNode({ clusterDns: [] })), {
      dns: host,
      warnings: [
        { target: 'node', reason: 'MissingClusterDNS', message },
        { target: 'pod', reason: 'MissingClusterDNS', message: `pod: "shop_market(0a1b-2c3d)". ${message}` },
      ],
    });
  });

  const loopbacks: [nodeIps: string[], servers: string[]][] = [
    [[], ['127.0.0.1']],
    [['192.0.2.1'], ['127.0.0.1']],
    [['2001:db8::1'], ['::1']],
    [
      ['192.0.2.1', '2001:db8::1'],
      ['127.0.0.1', '::1'],
    ],
  ];
  for (const [nodeIps, servers] of loopbacks) {
    it(`asks the node itself without a resolver file on [${nodeIps}]`, () => {
      const { dns } = build(
        { dnsPolicy: 'Default' },
        { node: sampleNode({ nodeIps: () => nodeIps }), resolvConf: undefined },
      );
      assert.deepEqual(dns, { servers, searches: ['.'], options: [] });
    });
  }

  it('adds the settings of the pod, which win by name', () => {
    const dnsConfig = {
      nameservers: ['192.0.2.1', '192.0.2.2'],
      searches: ['corp.example', 'own.example'],
      options: [{ name: 'ndots', value: '7' }, { name: 'debug' }, { name: 'edns0', value: '' }],
    };
    assert.deepEqual(dnsOf({ dnsPolicy: 'Default', dnsConfig }).dns, {
      servers: ['192.0.2.1', '192.0.2.2'],
      searches: ['example.org', 'corp.example', 'own.example'],
      options: ['ndots:7', 'rotate', 'debug', 'edns0'],
    });
    assert.deepEqual(dnsOf({ dnsPolicy: 'None', dnsConfig }).dns, {
      servers: ['192.0.2.1', '192.0.2.2'],
      searches: ['corp.example', 'own.example'],
      options: ['ndots:7', 'debug', 'edns0'],
    });
  });

  it('keeps three nameservers and warns', () => {
    const nameservers = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
    const { dns, warnings } = dnsOf({ dnsPolicy: 'None', dnsConfig: { nameservers } });
    assert.deepEqual(dns.servers, nameservers.slice(0, 3));
    assert.deepEqual(warnings, [
      {
        target: 'pod',
        reason: 'DNSConfigForming',
        message:
          'Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 192.0.2.1 192.0.2.2 192.0.2.3',
      },
    ]);
  });

  const wide = (count: number, length: number) =>
    Array.from({ length: count }, (_, index) => String(index).padStart(3, '0').padEnd(length, 'x'));
  const limits: [name: string, searches: string[], kept: string[]][] = [
    ['exactly 32 searches', wide(32, 10), wide(32, 10)],
    ['33 searches', wide(33, 10), wide(32, 10)],
    ['a search of 253 bytes', wide(1, 253), wide(1, 253)],
    ['a search of 254 bytes', [...wide(1, 254), 'ok'], ['ok']],
    ['a line of 2048 bytes', [...wide(8, 253), 'y'.repeat(16)], [...wide(8, 253), 'y'.repeat(16)]],
    ['a line of 2049 bytes', [...wide(8, 253), 'y'.repeat(17)], wide(8, 253)],
  ];
  for (const [name, searches, kept] of limits) {
    it(`${name} keeps ${kept.length}`, () => {
      const { dns, warnings } = dnsOf({ dnsPolicy: 'None', dnsConfig: { searches } });
      assert.deepEqual(dns.searches, kept);
      const message = `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${kept.join(' ')}`;
      const cut = kept.length < searches.length;
      assert.deepEqual(warnings, cut ? [{ target: 'pod', reason: 'DNSConfigForming', message }] : []);
    });
  }

  it('refuses a resolver file that cannot be understood', () => {
    const result = toDnsConfig(samplePod(), { node: sampleNode(), resolvConf: 'nameserver\n' });
    assert.deepEqual(result, { ok: false, message: 'nameserver list is empty ' });
  });
});

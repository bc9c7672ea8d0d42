import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideNodeIps, type NodeIpFacts } from './node-ips.ts';

const HOST: NodeIpFacts = {
  requested: [],
  nodeName: 'node-1',
  resolved: [],
  defaultRouteInterfaces: ['eth0'],
  interfaces: [
    { name: 'lo', addresses: ['127.0.0.1', '::1'] },
    { name: 'cni0', addresses: ['10.88.0.1'] },
    { name: 'eth0', addresses: ['fe80::1', 'fd00::2', '192.0.2.5'] },
    { name: 'eth1', addresses: ['198.51.100.7'] },
  ],
};

describe('decideNodeIps', () => {
  it('IP addresses compared as text: takes a requested address in any spelling, and publishes one', () => {
    const found = decideNodeIps({ ...HOST, requested: ['FD00:0:0::2', '192.0.2.5'] });
    assert.deepEqual(found, { ips: ['fd00::2', '192.0.2.5'] });
  });

  const cases: readonly (readonly [string, Partial<NodeIpFacts>, readonly string[], string?])[] = [
    ['takes the IPv4 address of the default route', {}, ['192.0.2.5']],
    ['prefers IPv6 when asked with ::', { requested: ['::'] }, ['fd00::2']],
    ['prefers IPv4 when asked with 0.0.0.0', { requested: ['0.0.0.0'] }, ['192.0.2.5']],
    [
      'takes the other family when there is no other',
      { requested: ['::'], defaultRouteInterfaces: ['eth1'] },
      ['198.51.100.7'],
    ],
    ['takes the first usable address without default route', { defaultRouteInterfaces: [] }, ['10.88.0.1']],
    [
      'takes the resolver at its word for a local address',
      { resolved: ['127.0.0.1', '203.0.113.1', '198.51.100.7'] },
      ['198.51.100.7'],
    ],
    [
      'takes a name that is an address',
      { nodeName: '198.51.100.7', resolved: ['192.0.2.5'] },
      ['198.51.100.7'],
    ],
    ['takes the requested address', { requested: ['198.51.100.7'] }, ['198.51.100.7']],
    ['takes both requested addresses', { requested: ['fd00::2', '192.0.2.5'] }, ['fd00::2', '192.0.2.5']],
    ['takes any spelling of ::', { requested: ['0:0:0:0:0:0:0:0'] }, ['fd00::2']],
    [
      'refuses the loopback in any spelling',
      { requested: ['0:0:0:0:0:0:0:1'] },
      [],
      "failed to validate nodeIP: nodeIP can't be loopback address",
    ],
    [
      'refuses an address of another host',
      { requested: ['203.0.113.1'] },
      [],
      `failed to validate nodeIP: node IP: "203.0.113.1" not found in the host's network interfaces`,
    ],
    [
      'refuses the loopback',
      { requested: ['127.0.0.1'] },
      [],
      "failed to validate nodeIP: nodeIP can't be loopback address",
    ],
    [
      'refuses multicast',
      { requested: ['ff02::1'] },
      [],
      "failed to validate nodeIP: nodeIP can't be a multicast address",
    ],
    [
      'refuses link-local',
      { requested: ['fe80::1'] },
      [],
      "failed to validate nodeIP: nodeIP can't be a link-local unicast address",
    ],
    [
      'refuses no address',
      { requested: ['x'] },
      [],
      'failed to validate nodeIP: nodeIP must be a valid IP address',
    ],
    [
      'refuses a bad second address',
      { requested: ['192.0.2.5', '::1'] },
      [],
      "failed to validate secondaryNodeIP: nodeIP can't be loopback address",
    ],
    [
      'says so when only the loopback is up',
      { interfaces: HOST.interfaces.slice(0, 1) },
      [],
      "can't get ip address of node node-1. error: no interface has a usable address",
    ],
  ];
  for (const [what, change, ips, problem] of cases)
    it(what, () => {
      assert.deepEqual(decideNodeIps({ ...HOST, ...change }), {
        ips,
        ...(problem === undefined ? {} : { problem }),
      });
    });
});

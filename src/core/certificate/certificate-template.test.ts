import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSameTemplate, satisfies, toClientTemplate, toServingTemplate } from './certificate-template.ts';

const INTERNAL = { type: 'InternalIP', address: '10.0.0.1' };
const HOST = { type: 'Hostname', address: 'n1' };

describe('toServingTemplate', () => {
  it('names the node as its client certificate does', () => {
    const { commonName, organizations } = toServingTemplate('n1', [INTERNAL], false) ?? {};
    assert.deepEqual([commonName, organizations], ['system:node:n1', ['system:nodes']]);
  });

  for (const [what, addresses, dnsNames, ipAddresses] of [
    ['addresses and host name', [INTERNAL, HOST], ['n1'], ['10.0.0.1']],
    ['a host name that is an address', [{ type: 'Hostname', address: '10.0.0.2' }], [], ['10.0.0.2']],
    [
      'all kinds, sorted and once each',
      [
        { type: 'ExternalDNS', address: 'z.example' },
        { type: 'InternalDNS', address: 'a.example' },
        { type: 'InternalDNS', address: 'z.example' },
        { type: 'ExternalIP', address: 'fd00::1' },
        { type: 'InternalIP', address: '10.0.0.9' },
        { type: 'InternalIP', address: '10.0.0.10' },
      ],
      ['a.example', 'z.example'],
      ['10.0.0.10', '10.0.0.9', 'fd00::1'],
    ],
    [
      'no address with a zone, which means something on its host only, also not as a name',
      [
        INTERNAL,
        { type: 'InternalIP', address: 'fe80::1%eth0' },
        { type: 'Hostname', address: 'fe80::1%eth0' },
      ],
      [],
      ['10.0.0.1'],
    ],
    [
      'one spelling of an address once',
      [
        { type: 'InternalIP', address: 'FD00::1' },
        { type: 'ExternalIP', address: 'fd00:0:0::1' },
      ],
      [],
      ['fd00::1'],
    ],
    [
      'no text that is no address',
      [INTERNAL, { type: 'ExternalIP', address: '999.0.0.1' }],
      [],
      ['10.0.0.1'],
    ],
    [
      'nothing of an unknown type or without text',
      [INTERNAL, { type: 'Other', address: 'x' }, { type: 'Hostname', address: '' }],
      [],
      ['10.0.0.1'],
    ],
  ] as const)
    it(`takes ${what}`, () => {
      const template = toServingTemplate('n1', addresses, false);
      assert.deepEqual([template?.dnsNames, template?.ipAddresses], [dnsNames, ipAddresses]);
    });

  it('waits for an address, unless names are enough', () => {
    assert.equal(toServingTemplate('n1', [], true), undefined);
    assert.equal(toServingTemplate('n1', [HOST], false), undefined);
    assert.deepEqual(toServingTemplate('n1', [HOST], true)?.dnsNames, ['n1']);
  });
});

describe('satisfies', () => {
  const template = { ...toClientTemplate('n1'), dnsNames: ['a'], ipAddresses: ['10.0.0.1', 'fd00::1'] };

  for (const [what, change, expected] of [
    ['the same', {}, true],
    ['more names and addresses', { dnsNames: ['b', 'a'], ipAddresses: ['fd00::1', '10.0.0.1', '::1'] }, true],
    ['an address in another spelling', { ipAddresses: ['10.0.0.1', 'FD00:0:0:0:0:0:0:1'] }, true],
    ['another node', { commonName: 'system:node:n2' }, false],
    ['no organization', { organizations: [] }, false],
    ['a name less', { dnsNames: [] }, false],
    ['an address less', { ipAddresses: ['10.0.0.1'] }, false],
  ] as const)
    it(`is ${expected} for a certificate with ${what}`, () => {
      assert.equal(satisfies({ ...template, ...change }, template), expected);
    });
});

describe('isSameTemplate', () => {
  it('compares content', () => {
    assert.equal(isSameTemplate(toClientTemplate('a'), toClientTemplate('a')), true);
    assert.equal(isSameTemplate(toClientTemplate('a'), toClientTemplate('b')), false);
    assert.equal(isSameTemplate(undefined, toClientTemplate('b')), false);
    assert.equal(isSameTemplate(undefined, undefined), true);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FIREWALL_RULES, renderChains } from './iptables-chains.ts';

const ALWAYS = [
  '*mangle',
  ':KUBE-IPTABLES-HINT - [0:0]',
  ':KUBE-KUBELET-CANARY - [0:0]',
  'COMMIT',
  '*nat',
  ':KUBE-KUBELET-CANARY - [0:0]',
  'COMMIT',
  '*filter',
  ':KUBE-KUBELET-CANARY - [0:0]',
];

describe('renderChains', () => {
  it('makes hint and canaries, and leaves a firewall alone that is there', () => {
    const text = renderChains({ chain: false, rules: [] });
    assert.deepEqual(text.split('\n'), [...ALWAYS, 'COMMIT', '']);
  });

  it('makes the firewall with its jumps before other rules', () => {
    const text = renderChains({ chain: true, rules: FIREWALL_RULES });
    assert.deepEqual(text.split('\n'), [
      ...ALWAYS,
      ':KUBE-FIREWALL - [0:0]',
      '-I OUTPUT -j KUBE-FIREWALL',
      '-I INPUT -j KUBE-FIREWALL',
      '-A KUBE-FIREWALL -m comment --comment "block incoming localnet connections" -d 127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP',
      'COMMIT',
      '',
    ]);
  });

  it('adds a rule to a chain that is there without emptying it', () => {
    const text = renderChains({ chain: false, rules: FIREWALL_RULES.slice(0, 1) });
    assert.deepEqual(text.split('\n').slice(ALWAYS.length), ['-I OUTPUT -j KUBE-FIREWALL', 'COMMIT', '']);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseFlags } from '../flags.ts';
import { parseNodeIPs, toNodeName, validateProcessFlags } from './validate-flags.ts';

function problemsOf(...argv: readonly string[]): readonly string[] {
  return validateProcessFlags(parseFlags(argv).process);
}

describe('validateProcessFlags', () => {
  for (const label of [
    'mine=x',
    'example.com/mine=x',
    'kubernetes.io/hostname=h',
    'topology.kubernetes.io/zone=z',
    'kubelet.kubernetes.io/anything=x',
    'sub.node.kubernetes.io/anything=x',
    'node.kubernetes.io/instance-type=big',
    'notkubernetes.io/x=y',
  ]) {
    it(`allows the node label ${label}`, () => {
      assert.deepEqual(problemsOf(`--node-labels=${label}`), []);
    });
  }

  for (const [label, complaint] of [
    ['kubernetes.io/role=x', /reserved namespace/],
    ['node-role.kubernetes.io/master=', /reserved namespace/],
    ['x.k8s.io/y=z', /reserved namespace/],
    ['-bad=x', /the key must be/],
    ['a/b/c=x', /the key must be/],
    ['ok=-bad-', /the value must be/],
  ] as const) {
    it(`refuses the node label ${label}`, () => {
      const problems = problemsOf(`--node-labels=${label}`);
      assert.equal(problems.length, 1);
      assert.match(problems[0]!, complaint);
    });
  }

  it('refuses an unknown cloud provider and a lock policy without a lock, together', () => {
    assert.deepEqual(problemsOf('--cloud-provider=aws', '--exit-on-lock-contention'), [
      'invalid --cloud-provider "aws": must be empty or "external"',
      'cannot exit on lock file contention: --exit-on-lock-contention needs --lock-file',
    ]);
    assert.deepEqual(
      problemsOf('--cloud-provider=external', '--exit-on-lock-contention', '--lock-file=/l'),
      [],
    );
  });
});

describe('parseNodeIPs', () => {
  const accepted: ReadonlyArray<readonly [string, readonly string[]]> = [
    ['', []],
    ['10.0.0.1', ['10.0.0.1']],
    ['::', ['::']],
    [' 10.0.0.1 , fd00::1 ', ['10.0.0.1', 'fd00::1']],
    ['junk,10.0.0.1', ['10.0.0.1']],
  ];
  for (const [text, addresses] of accepted) {
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseNodeIPs(text).addresses, addresses);
      assert.deepEqual(parseNodeIPs(text).problems, []);
    });
  }
  for (const text of [
    '1.1.1.1,2.2.2.2',
    'fd00::1,fd00::2',
    '1.1.1.1,fd00::1,2.2.2.2',
    '0.0.0.0,fd00::1',
    '1.1.1.1,::',
  ]) {
    it(`refuses ${text}`, () => {
      assert.equal(parseNodeIPs(text).problems.length, 1);
    });
  }
  it('lists what it left out', () => {
    assert.deepEqual(parseNodeIPs('junk,10.0.0.1').ignored, ['junk']);
  });
});

describe('toNodeName', () => {
  it('prefers the override, trims and lower-cases, and refuses nothing left', () => {
    assert.equal(toNodeName(' Node-A ', 'host'), 'node-a');
    assert.equal(toNodeName('', ' HOST\n'), 'host');
    assert.equal(toNodeName('', '  '), undefined);
    assert.equal(toNodeName(' ', 'host'), undefined);
  });
});

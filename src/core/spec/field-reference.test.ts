import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import { orderPodIps, toFieldValue } from './field-reference.ts';

const pod = samplePod(
  { nodeName: 'node-1', serviceAccountName: 'robot' },
  { labels: { b: '2', a: 'x"y\n' }, annotations: { 'Example.com/Note': 'hi' } },
);
const addresses = { podIps: ['10.0.0.1', '2001:db8::1'], nodeIps: ['192.0.2.10', '2001:db8::10'] };

const values: [fieldPath: string, value: string][] = [
  ['metadata.name', 'shop'],
  ['metadata.namespace', 'market'],
  ['metadata.uid', '0a1b-2c3d'],
  ['metadata.labels', 'a="x\\"y\\n"\nb="2"'],
  ['metadata.annotations', 'Example.com/Note="hi"'],
  ["metadata.labels['b']", '2'],
  ["metadata.labels['missing']", ''],
  ["metadata.labels['constructor']", ''],
  ["metadata.annotations['Example.com/Note']", 'hi'],
  ['spec.nodeName', 'node-1'],
  ['spec.host', 'node-1'],
  ['spec.serviceAccountName', 'robot'],
  ['status.hostIP', '192.0.2.10'],
  ['status.hostIPs', '192.0.2.10,2001:db8::10'],
  ['status.podIP', '10.0.0.1'],
  ['status.podIPs', '10.0.0.1,2001:db8::1'],
];

const refusals: [fieldPath: string, message: RegExp][] = [
  ['spec.restartPolicy', /^unsupported fieldPath: spec\.restartPolicy$/],
  ['spec.schedulerName', /^unsupported fieldPath: spec\.schedulerName$/],
  ['status.phase', /^unsupported fieldPath: status\.phase$/],
  ['spec.containers', /^field label not supported: spec\.containers$/],
  ['toString', /^field label not supported: toString$/],
  ["spec.nodeName['x']", /^field label does not support subscript: spec\.nodeName\['x'\]$/],
  [
    "metadata.labels['a b']",
    /^invalid key subscript in metadata\.labels\['a b'\]: name part must consist of/,
  ],
  ["metadata.labels['/a']", /: prefix part must be non-empty$/],
  [
    "metadata.labels['x/y/z']",
    /: a qualified name must consist of .* with an optional DNS subdomain prefix and '\/'/,
  ],
  ["metadata.labels['EXAMPLE.com/a']", /: prefix part a lowercase RFC 1123 subdomain must/],
  ["metadata.labels['']", /: name part must be non-empty; name part must consist of/],
];

describe('toFieldValue', () => {
  for (const [fieldPath, value] of values) {
    it(`${fieldPath} is ${JSON.stringify(value)}`, () => {
      assert.deepEqual(toFieldValue(pod, { apiVersion: 'v1', fieldPath }, addresses), { ok: true, value });
    });
  }
  for (const [fieldPath, message] of refusals) {
    it(`refuses ${fieldPath}`, () => {
      const result = toFieldValue(pod, { fieldPath }, addresses);
      assert.ok(!result.ok);
      assert.match(result.message, message);
    });
  }

  it('refuses another API version', () => {
    const result = toFieldValue(pod, { apiVersion: 'v2', fieldPath: 'metadata.name' }, addresses);
    assert.deepEqual(result, { ok: false, message: 'unsupported pod version: v2' });
  });
});

describe('orderPodIps', () => {
  const v4 = '10.0.0.1';
  const v6 = '2001:db8::1';
  const cases: [podIps: string[], nodeIps: string[], expected: string[]][] = [
    [[v4, v6], ['192.0.2.1'], [v4, v6]],
    [[v6, v4], ['192.0.2.1'], [v4, v6]],
    [[v4, v6], ['2001:db8::9'], [v6, v4]],
    [[v6], ['192.0.2.1'], [v6]],
    [[v4, '10.0.0.2', v6], ['192.0.2.1'], [v4, v6]],
    [[v6, v4], [], [v6, v4]],
    [[], ['192.0.2.1'], []],
  ];
  for (const [podIps, nodeIps, expected] of cases) {
    it(`[${podIps}] on a node with [${nodeIps}] gives [${expected}]`, () => {
      assert.deepEqual(orderPodIps(samplePod(), { podIps, nodeIps }), expected);
    });
  }

  it("gives the node's addresses on the host's network", () => {
    const ips = orderPodIps(samplePod({ hostNetwork: true }), { podIps: [], nodeIps: [v6, v4] });
    assert.deepEqual(ips, [v6, v4]);
  });
});

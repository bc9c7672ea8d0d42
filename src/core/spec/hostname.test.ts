import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import type { PodSpec } from '../api/pod.ts';
import { findLabelProblems, findSubdomainProblems } from './dns-names.ts';
import { toKernelHostname, toPodHostname } from './hostname.ts';

const node = sampleNode();
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const long = 'a'.repeat(62);
const cases: [name: string, spec: Partial<PodSpec>, podName: string, hostname: string, domain: string][] = [
  ['neither', {}, 'shop', 'shop', ''],
  ['hostname', { hostname: 'db' }, 'shop', 'db', ''],
  ['subdomain', { subdomain: 'sub' }, 'shop', 'shop', 'sub.market.svc.cluster.local'],
  ['both', { hostname: 'db', subdomain: 'sub' }, 'shop', 'db', 'sub.market.svc.cluster.local'],
  ['empty hostname', { hostname: '' }, 'shop', 'shop', ''],
  ['override hides the rest', { hostnameOverride: 'x.y', subdomain: 'sub' }, 'shop', 'x.y', ''],
  ['63 characters', {}, `${long}b`, `${long}b`, ''],
  ['64 characters', {}, `${long}bc`, `${long}b`, ''],
  ['a dash at the cut', {}, `${long}-c`, long, ''],
  ['dots and dashes at the cut', {}, `${long.slice(2)}.--cd`, long.slice(2), ''],
];

describe('toPodHostname', () => {
  for (const [name, spec, podName, hostname, domain] of cases) {
    it(`${name} gives ${hostname}`, () => {
      assert.deepEqual(toPodHostname(samplePod(spec, { name: podName }), node), {
        ok: true,
        value: { hostname, domain },
      });
    });
  }

  const refusals: [spec: Partial<PodSpec>, message: string][] = [
    [{ hostname: 'Db' }, `pod Hostname "Db" is not a valid DNS label: ${LABEL_TEXT}`],
    [{ hostname: 'a.b' }, `pod Hostname "a.b" is not a valid DNS label: ${LABEL_TEXT}`],
    [
      { hostname: 'a'.repeat(64) },
      `pod Hostname "${'a'.repeat(64)}" is not a valid DNS label: must be no more than 63 characters`,
    ],
    [{ subdomain: 'a_b' }, `pod Subdomain "a_b" is not a valid DNS label: ${LABEL_TEXT}`],
    [
      { hostnameOverride: 'a..b' },
      `pod HostnameOverride "a..b" is not a valid DNS subdomain: ${SUBDOMAIN_TEXT}`,
    ],
  ];
  for (const [spec, message] of refusals) {
    it(`refuses ${JSON.stringify(spec)}`, () => {
      assert.deepEqual(toPodHostname(samplePod(spec), node), { ok: false, message });
    });
  }

  it('refuses a name of which nothing is left after the cut', () => {
    const name = '-'.repeat(64);
    assert.deepEqual(toPodHostname(samplePod({}, { name }), node), {
      ok: false,
      message: `hostname for pod "${name}" was invalid: "${name}"`,
    });
  });

  it('ignores the override while its gate is off', () => {
    const pod = samplePod({ hostnameOverride: 'x', hostname: 'db' });
    const off = sampleNode({ features: (gate) => gate !== 'HostnameOverride' });
    assert.deepEqual(toPodHostname(pod, off), { ok: true, value: { hostname: 'db', domain: '' } });
  });

  it('cuts every valid pod name to a valid one of at most 63 characters', () => {
    const name = fc
      .stringMatching(/^[a-z0-9]([-a-z0-9.]{0,250}[a-z0-9])?$/)
      .filter((text) => findSubdomainProblems(text).length === 0);
    fc.assert(
      fc.property(name, (text) => {
        const result = toPodHostname(samplePod({}, { name: text }), node);
        assert.ok(result.ok && result.value.hostname.length <= 63);
        assert.deepEqual(findSubdomainProblems(result.value.hostname), []);
        assert.ok(text.startsWith(result.value.hostname));
      }),
    );
  });
});

describe('toKernelHostname', () => {
  const domain = 'sub.market.svc.cluster.local';
  it('is the short name unless the pod asks otherwise', () => {
    assert.deepEqual(toKernelHostname(samplePod(), { hostname: 'db', domain }), { ok: true, value: 'db' });
  });

  it('is the full name on demand, and the short one without a domain', () => {
    const pod = samplePod({ setHostnameAsFQDN: true });
    assert.deepEqual(toKernelHostname(pod, { hostname: 'db', domain }), { ok: true, value: `db.${domain}` });
    assert.deepEqual(toKernelHostname(pod, { hostname: 'db', domain: '' }), { ok: true, value: 'db' });
  });

  it('accepts 64 characters and refuses 65', () => {
    const pod = samplePod({ setHostnameAsFQDN: true });
    const hostname = 'h'.repeat(64 - domain.length - 1);
    assert.deepEqual(toKernelHostname(pod, { hostname, domain }), {
      ok: true,
      value: `${hostname}.${domain}`,
    });
    assert.deepEqual(toKernelHostname(pod, { hostname: `h${hostname}`, domain }), {
      ok: false,
      message: `failed to construct FQDN from pod hostname and cluster domain, FQDN h${hostname}.${domain} is too long (64 characters is the max, 65 characters requested)`,
    });
  });
});

describe('findLabelProblems', () => {
  it('finds nothing wrong with a label', () => assert.deepEqual(findLabelProblems('a-1'), []));
});

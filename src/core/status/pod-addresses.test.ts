import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { observe, samplePod, sandbox } from '../../../test/samples/sample-pods.ts';
import type { PodStatus } from '../api/pod-status.ts';
import { canonicalIp, computeAddresses } from './pod-addresses.ts';

const network = (...ips: string[]) => ({ mode: 'pod' as const, reported: true, ips });
const ips = (...list: string[]) => list.map((ip) => ({ ip }));

describe('canonicalIp', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['10.0.0.7', '10.0.0.7'],
    ['010.0.0.07', '10.0.0.7'],
    ['10.0.0', undefined],
    ['10.0.0.256', undefined],
    ['FD00:0:0::1', 'fd00::1'],
    ['::ffff:10.0.0.7', '10.0.0.7'],
    ['::ffff:1.255.16.255', '1.255.16.255'],
    ['255.255.255.255', '255.255.255.255'],
    ['10.0.0.0007', undefined],
    ['fd00::zz', undefined],
    ['', undefined],
  ];
  for (const [text, canonical] of cases) {
    it(`reads "${text}" as ${canonical}`, () => assert.equal(canonicalIp(text), canonical));
  }
});

describe('computeAddresses', () => {
  const compute = (
    sandboxes: ReturnType<typeof sandbox>[],
    old?: PodStatus,
    hostIps: string[] = ['192.168.0.2'],
    hostNetwork = false,
  ) => computeAddresses(samplePod({ hostNetwork }), observe([], sandboxes), old, hostIps);

  it('the pod has the addresses of its newest sandbox, the host those of the node', () => {
    assert.deepEqual(compute([sandbox()], undefined, ['192.168.0.2', 'fd00::2']), {
      hostIP: '192.168.0.2',
      hostIPs: ips('192.168.0.2', 'fd00::2'),
      podIP: '10.0.0.7',
      podIPs: ips('10.0.0.7'),
    });
  });

  it("the node's first family comes first and each family once", () => {
    const both = [sandbox({ network: network('10.0.0.7', 'fd01::7', '10.0.0.8') })];
    assert.deepEqual(compute(both, undefined, ['fd00::2']).podIPs, ips('fd01::7', '10.0.0.7'));
    assert.deepEqual(compute(both).podIPs, ips('10.0.0.7', 'fd01::7'));
  });

  it('a single invalid address invalidates the list', () => {
    assert.equal(compute([sandbox({ network: network('10.0.0.7', 'x') })]).podIPs, undefined);
  });

  it('a pod whose sandboxes have stopped keeps its addresses', () => {
    const old = { podIP: '10.0.0.7', podIPs: ips('10.0.0.7') };
    assert.deepEqual(compute([sandbox({ ready: false })], old).podIPs, ips('10.0.0.7'));
  });

  it('a ready sandbox without address leaves none, even if one was published', () => {
    const old = { podIP: '10.0.0.7', podIPs: ips('10.0.0.7') };
    assert.equal(compute([sandbox({ network: network() })], old).podIP, undefined);
  });

  it('a pod on the host network has the host addresses and gains a second family later', () => {
    const none = [sandbox({ network: { mode: 'node', reported: true, ips: [] } })];
    assert.deepEqual(compute(none, undefined, ['192.168.0.2'], true).podIPs, ips('192.168.0.2'));
    const old = { podIPs: ips('192.168.0.9') };
    assert.deepEqual(
      compute(none, old, ['192.168.0.2', 'fd00::2'], true).podIPs,
      ips('192.168.0.9', 'fd00::2'),
    );
  });

  it('while the node has no address the published one stays', () => {
    assert.equal(compute([], { hostIP: '192.168.0.2' }, []).hostIP, '192.168.0.2');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, samplePod } from '../../../test/samples/sample-pod.ts';
import { needsHostsFile, renderHostsFile } from './hosts-file.ts';

const HEAD = [
  '# Kubernetes-managed hosts file.',
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
  '',
].join('\n');

describe('renderHostsFile', () => {
  it('names every address of the pod', () => {
    const text = renderHostsFile(
      samplePod(),
      ['10.0.0.1', '2001:db8::1'],
      { hostname: 'db', domain: '' },
      'node\n',
    );
    assert.equal(text, `${HEAD}10.0.0.1\tdb\n2001:db8::1\tdb\n`);
  });

  it('puts the full name before the short one', () => {
    const text = renderHostsFile(samplePod(), ['10.0.0.1'], { hostname: 'db', domain: 'x.y' }, '');
    assert.equal(text, `${HEAD}10.0.0.1\tdb.x.y\tdb\n`);
  });

  it("copies the node's file on the host's network", () => {
    const text = renderHostsFile(
      samplePod({ hostNetwork: true }),
      ['10.0.0.1'],
      { hostname: 'db', domain: '' },
      '1.2.3.4\tx\n',
    );
    assert.equal(text, '# Kubernetes-managed hosts file (host network).\n1.2.3.4\tx\n');
  });

  for (const hostNetwork of [false, true]) {
    it(`appends aliases (host network ${hostNetwork})`, () => {
      const hostAliases = [{ ip: '1.1.1.1', hostnames: ['a', 'b'] }, { ip: '2.2.2.2' }];
      const text = renderHostsFile(
        samplePod({ hostNetwork, hostAliases }),
        [],
        { hostname: 'db', domain: '' },
        '',
      );
      assert.ok(text.endsWith('\n\n# Entries added by HostAliases.\n1.1.1.1\ta\tb\n2.2.2.2\n'), text);
    });
  }
});

describe('needsHostsFile', () => {
  const own = sampleContainer({ volumeMounts: [{ name: 'v', mountPath: '/etc/hosts' }] });
  const other = sampleContainer({ volumeMounts: [{ name: 'v', mountPath: '/etc/hosts/' }] });
  it('needs an address or the host network, and no mount of the user at that very path', () => {
    assert.equal(needsHostsFile(samplePod(), sampleContainer(), []), false);
    assert.equal(needsHostsFile(samplePod(), sampleContainer(), ['10.0.0.1']), true);
    assert.equal(needsHostsFile(samplePod({ hostNetwork: true }), sampleContainer(), []), true);
    assert.equal(needsHostsFile(samplePod(), own, ['10.0.0.1']), false);
    assert.equal(needsHostsFile(samplePod(), other, ['10.0.0.1']), true);
  });
});

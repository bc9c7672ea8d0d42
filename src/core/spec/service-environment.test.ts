import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ServiceLike } from '../model/environment-objects.ts';
import { toServiceEnvironment } from './service-environment.ts';

const service = (namespace: string, name: string, spec: ServiceLike['spec']): ServiceLike => ({
  metadata: { namespace, name },
  spec,
});
const kubernetes = service('default', 'kubernetes', {
  clusterIP: '10.96.0.1',
  ports: [{ name: 'https', port: 443, protocol: 'TCP' }],
});
const kubernetesVariables = {
  KUBERNETES_SERVICE_HOST: '10.96.0.1',
  KUBERNETES_SERVICE_PORT: '443',
  KUBERNETES_SERVICE_PORT_HTTPS: '443',
  KUBERNETES_PORT: 'tcp://10.96.0.1:443',
  KUBERNETES_PORT_443_TCP: 'tcp://10.96.0.1:443',
  KUBERNETES_PORT_443_TCP_PROTO: 'tcp',
  KUBERNETES_PORT_443_TCP_PORT: '443',
  KUBERNETES_PORT_443_TCP_ADDR: '10.96.0.1',
};
const variables = (services: ServiceLike[], links = true) =>
  Object.fromEntries(toServiceEnvironment(services, 'market', links));

describe('toServiceEnvironment', () => {
  it('has the API server with and without service links', () => {
    assert.deepEqual(variables([kubernetes], false), kubernetesVariables);
    assert.deepEqual(variables([kubernetes], true), kubernetesVariables);
  });

  it('names ports, protocols and IPv6 addresses', () => {
    const dns = service('market', 'my-dns', {
      clusterIP: '2001:db8::5',
      ports: [
        { port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 54 },
      ],
    });
    assert.deepEqual(variables([dns]), {
      MY_DNS_SERVICE_HOST: '2001:db8::5',
      MY_DNS_SERVICE_PORT: '53',
      MY_DNS_SERVICE_PORT_DNS_TCP: '54',
      MY_DNS_PORT: 'udp://[2001:db8::5]:53',
      MY_DNS_PORT_53_UDP: 'udp://[2001:db8::5]:53',
      MY_DNS_PORT_53_UDP_PROTO: 'udp',
      MY_DNS_PORT_53_UDP_PORT: '53',
      MY_DNS_PORT_53_UDP_ADDR: '2001:db8::5',
      MY_DNS_PORT_54_TCP: 'tcp://[2001:db8::5]:54',
      MY_DNS_PORT_54_TCP_PROTO: 'tcp',
      MY_DNS_PORT_54_TCP_PORT: '54',
      MY_DNS_PORT_54_TCP_ADDR: '2001:db8::5',
    });
  });

  const ports = [{ port: 1 }];
  const skipped: [name: string, ServiceLike, links: boolean][] = [
    ['headless', service('market', 'a', { clusterIP: 'None', ports }), true],
    ['without an address', service('market', 'a', { ports }), true],
    ['with an empty address', service('market', 'a', { clusterIP: '', ports }), true],
    ['of another namespace', service('other', 'a', { clusterIP: '10.0.0.1', ports }), true],
    ['of the namespace without links', service('market', 'a', { clusterIP: '10.0.0.1', ports }), false],
    ['of another name in default', service('default', 'a', { clusterIP: '10.0.0.1', ports }), true],
  ];
  for (const [name, hidden, links] of skipped) {
    it(`leaves out services ${name}`, () => assert.deepEqual(variables([hidden], links), {}));
  }

  for (const order of ['before', 'after']) {
    it(`prefers the namespace's own kubernetes service listed ${order} the default one`, () => {
      const own = service('market', 'kubernetes', { clusterIP: '10.0.0.7', ports });
      const services = order === 'before' ? [own, kubernetes] : [kubernetes, own];
      assert.equal(variables(services)['KUBERNETES_SERVICE_HOST'], '10.0.0.7');
      assert.equal(variables(services)['KUBERNETES_PORT_443_TCP'], undefined);
      assert.equal(variables(services, false)['KUBERNETES_SERVICE_HOST'], '10.96.0.1');
    });
  }
});

/** A node with addresses of both families, and one of version 6 alone: what node, pods and probes have of them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type ClusterNode, withClusterNode } from '../../integration/cluster-node.ts';
import { containerdEndpoint } from '../../integration/node.ts';
import { container, DEMO_WEB, type SamplePod, samplePod } from '../../integration/sample-pods.ts';

const run = promisify(execFile);
/** In namespaces of a host no module can be loaded, and the addresses may be missing. */
const HAS_OWN_KERNEL = existsSync('/dev/virtio-ports/report');
const NODE = { v4: '192.0.2.1', v6: '2001:db8::1' };
const PODS = { v4: '10.77.0.0/24', v6: 'fd00:77::/112' };
/** Read first, whatever else is there. */
const CONF = join(
  containerdEndpoint().replace(/^unix:\/\/|\/containerd\.sock$/g, ''),
  'cni/net.d/00-families.conflist',
);

function toConf(subnets: readonly string[]): object {
  const routes = subnets.map((subnet) => ({ dst: subnet.includes(':') ? '::/0' : '0.0.0.0/0' }));
  const ranges = subnets.map((subnet) => [{ subnet }]);
  const ipam = { type: 'host-local', dataDir: '/var/tmp/families-ipam', ranges, routes };
  return {
    cniVersion: '1.0.0',
    name: `families-${subnets.length}-${subnets[0]?.includes(':') ? 6 : 4}`,
    plugins: [{ type: 'bridge', bridge: 'families0', isGateway: true, hairpinMode: true, ipam }],
  };
}

/** A web page, asked for by both kinds of probe. */
function webPod(name: string): SamplePod {
  const httpGet = { path: '/', port: 8080 };
  return samplePod(name, {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'main',
        image: DEMO_WEB,
        imagePullPolicy: 'IfNotPresent',
        readinessProbe: { httpGet, periodSeconds: 1, timeoutSeconds: 10 },
        livenessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1, timeoutSeconds: 10 },
      },
    ],
  });
}

/** Prints the addresses it was given by the downward API, and its hosts file. */
function lookingPod(name: string, spec: object = {}): SamplePod {
  const script = '(echo "$IPS $HOST_IPS"; cat /etc/hosts) >/dev/termination-log';
  const env = [
    { name: 'IPS', valueFrom: { fieldRef: { fieldPath: 'status.podIPs' } } },
    { name: 'HOST_IPS', valueFrom: { fieldRef: { fieldPath: 'status.hostIPs' } } },
  ];
  return samplePod(name, {
    restartPolicy: 'Never',
    ...spec,
    containers: [container('main', ['sh', '-c', script], { env })],
  });
}

async function lookFrom(cluster: ClusterNode, name: string, spec: object = {}): Promise<string> {
  cluster.createPod(lookingPod(name, spec));
  const status = await cluster.waitForPod(name, 'over', ({ phase }) => phase === 'Succeeded');
  return status.containerStatuses?.[0]?.state?.terminated?.message ?? '';
}

const ipsOf = (cluster: ClusterNode, name: string): string[] =>
  (cluster.podStatus(name).podIPs ?? []).map(({ ip }) => ip);

async function withNetwork(
  subnets: readonly string[],
  nodeIp: string,
  body: (cluster: ClusterNode) => Promise<void>,
): Promise<void> {
  await mkdir('/var/tmp/families-ipam', { recursive: true });
  await writeFile(CONF, JSON.stringify(toConf(subnets)));
  try {
    await withClusterNode({ flags: [`--node-ip=${nodeIp}`] }, body);
  } finally {
    await rm(CONF);
    await run('ip', ['link', 'delete', 'families0']).catch(() => {});
    await rm('/var/tmp/families-ipam', { recursive: true });
  }
}

describe('addresses', { skip: !HAS_OWN_KERNEL && 'this kernel is the host’s' }, () => {
  before(() => run('ip', ['address', 'add', `${NODE.v6}/64`, 'dev', 'eth0', 'nodad']));
  after(() => run('ip', ['address', 'delete', `${NODE.v6}/64`, 'dev', 'eth0']));

  it('of both families are those of node and pod, the first first', () =>
    withNetwork([PODS.v4, PODS.v6], `${NODE.v4},${NODE.v6}`, async (cluster) => {
      cluster.createPod(webPod('web'));
      const { podIP, hostIPs } = await cluster.waitRunning('web');
      const [first = '', second = ''] = ipsOf(cluster, 'web');
      assert.match(first, /^10\.77\.0\.\d+$/);
      assert.match(second, /^fd00:77::/);
      assert.equal(podIP, first);
      assert.deepEqual(
        hostIPs?.map(({ ip }) => ip),
        [NODE.v4, NODE.v6],
      );
      const addresses = cluster.nodeStatus().addresses ?? [];
      assert.deepEqual(
        addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address),
        [NODE.v4, NODE.v6],
      );
      for (const ip of [first, `[${second}]`])
        assert.equal((await fetch(`http://${ip}:8080/`)).status, 200, ip);
      const said = await lookFrom(cluster, 'own');
      const [own4 = '', own6 = ''] = ipsOf(cluster, 'own');
      assert.equal(said.split('\n')[0], `${own4},${own6} ${NODE.v4},${NODE.v6}`);
      for (const ip of [own4, own6]) assert.match(said, new RegExp(`^${ip}\\s+own$`, 'm'));
      const shared = await lookFrom(cluster, 'shared', { hostNetwork: true });
      assert.equal(shared.split('\n')[0], `${NODE.v4},${NODE.v6} ${NODE.v4},${NODE.v6}`);
    }));

  it('of version 6 alone do for node, pods and probes', () =>
    withNetwork([PODS.v6], NODE.v6, async (cluster) => {
      cluster.createPod(webPod('web'));
      const { podIP = '', hostIP } = await cluster.waitRunning('web');
      assert.match(podIP, /^fd00:77::/);
      assert.deepEqual([ipsOf(cluster, 'web'), hostIP], [[podIP], NODE.v6]);
      const said = await lookFrom(cluster, 'own');
      const [own = ''] = ipsOf(cluster, 'own');
      assert.equal(said.split('\n')[0], `${own} ${NODE.v6}`);
      assert.match(said, new RegExp(`^${own}\\s+own$`, 'm'));
    }));
});

/** Swap on cgroup v2, with a real swap file: who may use how much, and a kubelet that refuses to start with it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { cgroupDirectory, containerCgroup, IS_UNIFIED } from '../../integration/cgroup-paths.ts';
import { type ClusterNode, withClusterNode } from '../../integration/cluster-node.ts';
import { TestNode } from '../../integration/node.ts';
import { container, type SamplePod, samplePod } from '../../integration/sample-pods.ts';

const run = promisify(execFile);
const MIB = 2 ** 20;
const SWAP_MIB = 128;
const PAGE = 4096;
const CAN_SWAP = IS_UNIFIED && existsSync('/sys/fs/cgroup/system.slice/memory.swap.max');

function podWith(name: string, resources: object, priority = 0): SamplePod {
  const command = ['/bin/tini', '--', 'sleep', 'infinity'];
  return samplePod(name, { priority, containers: [container('main', command, { resources })] });
}

/** `memory.swap.max` of the one container. */
async function readSwapLimit(cluster: ClusterNode, tier: string, name: string): Promise<string> {
  const { node } = cluster;
  const { containerStatuses } = cluster.podStatus(name);
  const id = (containerStatuses?.[0]?.containerID ?? '').replace('containerd://', '');
  const uid = (await node.pods()).find(({ metadata }) => metadata.name === name)?.metadata.uid;
  const directory = join(cgroupDirectory(node, '', `${tier}pod${uid}`), containerCgroup(id));
  return (await readFile(join(directory, 'memory.swap.max'), 'utf8')).trim();
}

describe('swap', { skip: !CAN_SWAP && 'this machine does not limit swap by cgroup v2' }, () => {
  let directory = '';

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'swap-'));
    const file = join(directory, 'swap');
    await run('dd', ['if=/dev/zero', `of=${file}`, 'bs=1M', `count=${SWAP_MIB}`]);
    await run('chmod', ['600', file]);
    await run('mkswap', [file]);
    await run('swapon', [file]);
  });
  after(async () => {
    await run('swapoff', [join(directory, 'swap')]);
    await rm(directory, { recursive: true });
  });

  const requests = { memory: '64Mi' };

  it('is for burstable pods in proportion to what they ask for, with LimitedSwap', () =>
    withClusterNode({ config: { memorySwap: { swapBehavior: 'LimitedSwap' } } }, async (cluster) => {
      const whole = { cpu: '50m', memory: '64Mi' };
      cluster.createPod(podWith('part', { requests }));
      cluster.createPod(podWith('whole', { requests: whole, limits: whole }));
      cluster.createPod(podWith('none', {}));
      cluster.createPod(podWith('critical', { requests }, 2_000_001_000));
      for (const name of ['part', 'whole', 'none', 'critical']) await cluster.waitRunning(name);
      // One page of the file is its header.
      const share = ((64 * MIB) / totalmem()) * (SWAP_MIB * MIB - PAGE);
      assert.equal(await readSwapLimit(cluster, 'burstable/', 'part'), String(share - (share % PAGE)));
      assert.equal(await readSwapLimit(cluster, '', 'whole'), '0');
      assert.equal(await readSwapLimit(cluster, 'besteffort/', 'none'), '0');
      assert.equal(await readSwapLimit(cluster, 'burstable/', 'critical'), '0');
    }));

  it('is used by no pod unless configured', () =>
    withClusterNode({}, async (cluster) => {
      cluster.createPod(podWith('part', { requests }));
      await cluster.waitRunning('part');
      assert.equal(await readSwapLimit(cluster, 'burstable/', 'part'), '0');
    }));

  it('keeps a kubelet from starting that must not run with it', async () => {
    const node = await TestNode.create({ config: { failSwapOn: true } });
    try {
      await node.kubelet.start();
      const { code } = await node.kubelet.ended;
      assert.notEqual(code, 0);
      const text = node.logs.map((line) => JSON.stringify(line)).join('\n');
      assert.match(
        text,
        /running with swap on is not supported, please disable swap or set --fail-swap-on flag to false/,
      );
    } finally {
      await node.dispose();
    }
  });
});

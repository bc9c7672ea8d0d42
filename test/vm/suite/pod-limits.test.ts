/** Limits of pods in the kernel's own files on cgroup v2: each class, memory protection, huge pages. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ListedPod } from '../../../scripts/demo/kubelet-process.ts';
import { cgroupDirectory, containerCgroup, IS_UNIFIED } from '../../integration/cgroup-paths.ts';
import { containerStatus, type TestNode, withNode } from '../../integration/node.ts';
import { container, samplePod } from '../../integration/sample-pods.ts';

const MIB = 2 ** 20;
const HUGE_PAGES = '/sys/fs/cgroup/system.slice/hugetlb.2MB.max';
const SLEEP = ['/bin/tini', '--', 'sleep', 'infinity'];

function podWith(name: string, resources: object): object {
  return samplePod(name, { containers: [container('main', SLEEP, { resources })] });
}

/** Files of one cgroup, by name. */
async function readFiles(directory: string, names: readonly string[]): Promise<Record<string, string>> {
  const entries = names.map(async (name) => [name, (await readFile(join(directory, name), 'utf8')).trim()]);
  return Object.fromEntries(await Promise.all(entries));
}

function idOf(pod: ListedPod): string {
  return (containerStatus(pod, 'main').containerID ?? '').replace('containerd://', '');
}

/** The cgroup of the pod's one container. */
function containerDirectory(node: TestNode, path: string, pod: ListedPod): string {
  return join(cgroupDirectory(node, '', path), containerCgroup(idOf(pod)));
}

describe('limits of pods on cgroup v2', { skip: !IS_UNIFIED && 'this machine has cgroup v1' }, () => {
  it('are those of their class, in the cgroup of the pod and of its container', () =>
    withNode({ config: { podPidsLimit: 77 } }, async (node) => {
      const all = { cpu: '500m', memory: '64Mi' };
      await node.writeManifest('whole.json', podWith('whole', { requests: all, limits: all }));
      await node.writeManifest('some.json', podWith('some', { requests: { cpu: '100m', memory: '16Mi' } }));
      await node.writeManifest('none.json', podWith('none', {}));
      const whole = await node.waitReady('whole');
      const some = await node.waitReady('some');
      const none = await node.waitReady('none');
      const files = ['cpu.weight', 'cpu.max', 'memory.max', 'memory.min', 'memory.low', 'pids.max'];
      const ofPod = (path: string) => readFiles(cgroupDirectory(node, '', path), files);
      const free = { 'memory.min': '0', 'memory.low': '0', 'pids.max': '77' };
      assert.deepEqual(await ofPod(`pod${whole.metadata.uid}`), {
        ...free,
        'cpu.weight': '20',
        'cpu.max': '50000 100000',
        'memory.max': String(64 * MIB),
      });
      const unbound = { ...free, 'cpu.max': 'max 100000', 'memory.max': 'max' };
      assert.deepEqual(await ofPod(`burstable/pod${some.metadata.uid}`), { ...unbound, 'cpu.weight': '4' });
      assert.deepEqual(await ofPod(`besteffort/pod${none.metadata.uid}`), { ...unbound, 'cpu.weight': '1' });

      const inside = containerDirectory(node, `pod${whole.metadata.uid}`, whole);
      assert.deepEqual(await readFiles(inside, ['memory.max', 'memory.oom.group', 'cpu.max']), {
        'memory.max': String(64 * MIB),
        'memory.oom.group': '1',
        'cpu.max': '50000 100000',
      });
    }));

  it('keep memory for the pods that requested it with MemoryQoS', () =>
    withNode(
      { config: { featureGates: { MemoryQoS: true }, memoryReservationPolicy: 'TieredReservation' } },
      async (node) => {
        const all = { cpu: '100m', memory: '64Mi' };
        await node.writeManifest('whole.json', podWith('whole', { requests: all, limits: all }));
        const part = { requests: { memory: '32Mi' }, limits: { memory: '64Mi' } };
        await node.writeManifest('part.json', podWith('part', part));
        const whole = await node.waitReady('whole');
        const part1 = await node.waitReady('part');
        const read = (path: string) =>
          readFiles(cgroupDirectory(node, '', path), ['memory.min', 'memory.low']);
        const [kept, preferred] = [String(64 * MIB), String(32 * MIB)];
        assert.deepEqual(await read(`pod${whole.metadata.uid}`), { 'memory.min': kept, 'memory.low': '0' });
        const partPath = `burstable/pod${part1.metadata.uid}`;
        assert.deepEqual(await read(partPath), { 'memory.min': '0', 'memory.low': preferred });
        await node.waitFor(
          'the tiers to follow',
          async () =>
            (await read('burstable'))['memory.low'] === preferred &&
            (await read(''))['memory.min'] === String(96 * MIB),
          30_000,
        );
        // 32 MiB and nine tenths of the way to 64 MiB, in whole pages.
        const high = String(Math.floor((32 * MIB + 0.9 * 32 * MIB) / 4096) * 4096);
        const inside = containerDirectory(node, partPath, part1);
        assert.deepEqual(await readFiles(inside, ['memory.high', 'memory.low']), {
          'memory.high': high,
          'memory.low': preferred,
        });
      },
    ));

  it(
    'bind huge pages, which a volume gives out',
    { skip: !existsSync(HUGE_PAGES) && 'this kernel has none' },
    () =>
      withNode({}, async (node) => {
        const list = { cpu: '100m', memory: '32Mi', 'hugepages-2Mi': '4Mi' };
        // Two pages fit; a third is more than the pod may have.
        const take = (number: number): string => `fallocate -l ${2 * MIB} /pages/${number}`;
        const script = `${take(1)} && ${take(2)} && ! ${take(3)} && grep ' /pages ' /proc/mounts && exec sleep infinity`;
        const main = container('main', ['sh', '-c', script], {
          resources: { requests: list, limits: list },
          volumeMounts: [{ name: 'pages', mountPath: '/pages' }],
          readinessProbe: { exec: { command: ['test', '-e', '/pages/2'] }, periodSeconds: 1 },
        });
        const volumes = [{ name: 'pages', emptyDir: { medium: 'HugePages' } }];
        await node.writeManifest('huge.json', samplePod('huge', { volumes, containers: [main] }));
        const pod = await node.waitReady('huge');
        // The container's own cgroup is left alone: containerd does not use the controller unless it is configured to.
        const directory = cgroupDirectory(node, '', `pod${pod.metadata.uid}`);
        const expected = { 'hugetlb.2MB.max': String(4 * MIB), 'hugetlb.2MB.current': String(4 * MIB) };
        assert.deepEqual(await readFiles(directory, Object.keys(expected)), expected);
        assert.equal(containerStatus(pod, 'main').restartCount, 0);
      }),
  );
});

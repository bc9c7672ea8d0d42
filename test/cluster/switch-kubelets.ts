/**
 * A node whose kubelet is changed for another, there and back: upstream's, ours, upstream's, ours, all on one root
 * directory, with a container that has CPUs and a NUMA node's memory to itself and containers that have devices.
 * What one kubelet gave the next one knows: no container starts again, CPUs and devices stay with their owners, and
 * what is given later is something else.
 *
 * usage (root): node --test test/cluster/switch-kubelets.ts        (make switch-test)
 */
import assert from 'node:assert/strict';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { KubeletProcess } from '../../scripts/demo/kubelet-process.ts';
import { removeCgroupRoot } from '../../scripts/demo/remove-cgroup-root.ts';
import { unmountBelow } from '../../scripts/demo/unmount-below.ts';
import type { CriConnection } from '../../src/adapters/cri/connect-cri.ts';
import { GrpcJsDevicePlugin } from '../fakes/grpc-js-device-plugin.ts';
import { containerCgroup, IS_UNIFIED } from '../integration/cgroup-paths.ts';
import { containerdEndpoint, containerStatus, isReady } from '../integration/node.ts';
import { container, samplePod } from '../integration/sample-pods.ts';
import { findUpstream, removeDead, until, withRuntime } from './compared-kubelet.ts';

const RESOURCE = 'x.io/dev';
const LAST = availableParallelism() - 1;
/** Long enough for any machine: what counts is what happens, not when. */
const PATIENT_MS = 120_000;

type Kind = 'upstream' | 'ours';

const CONFIG = {
  cpuManagerPolicy: 'static',
  reservedSystemCPUs: '0',
  memoryManagerPolicy: 'Static',
  // As much as is kept back for evictions.
  reservedMemory: [{ numaNode: 0, limits: { memory: '100Mi' } }],
  evictionHard: { 'memory.available': '100Mi' },
  topologyManagerPolicy: 'single-numa-node',
  imageGCHighThresholdPercent: 100,
};

function podWith(name: string, list: Readonly<Record<string, string>>): object {
  const command = ['/bin/tini', '--', 'sh', '-c', 'echo "$DEVICES"; exec sleep infinity'];
  const resources = { requests: list, limits: list };
  return samplePod(name, { containers: [container('main', command, { resources })] });
}

/** One root directory, and a kubelet of either kind on it. */
class SwitchedNode {
  readonly plugin: GrpcJsDevicePlugin;
  readonly #kubelets: Readonly<Record<Kind, KubeletProcess>>;
  readonly #cri: CriConnection;
  #running: KubeletProcess;

  constructor(directory: string, upstream: string, cri: CriConnection) {
    const settings = { directory, endpoint: containerdEndpoint(), nodeName: 'switched', config: CONFIG };
    const program = join(import.meta.dirname, 'upstream-at-home.sh');
    this.#kubelets = {
      ours: new KubeletProcess(settings),
      upstream: new KubeletProcess({ ...settings, program, env: { UPSTREAM_KUBELET: upstream } }),
    };
    this.#cri = cri;
    this.#running = this.#kubelets.upstream;
    this.plugin = new GrpcJsDevicePlugin(RESOURCE, join(this.#running.rootDir, 'device-plugins'), [
      'd0',
      'd1',
      'd2',
    ]);
  }

  /** Ends the kubelet that runs, if one does, and starts one of that kind; the plugin registers as plugins do then. */
  async switchTo(kind: Kind): Promise<void> {
    await this.end();
    this.#running = this.#kubelets[kind];
    await this.#running.start();
    await until(`the ${kind} kubelet to take the plugin`, PATIENT_MS, async () => {
      try {
        this.plugin.kill();
        await this.plugin.serve();
        await this.plugin.register();
      } catch (error) {
        return String(error);
      }
      return undefined;
    });
    // A pod that came before its devices are listed would be refused for good.
    await until('the devices to be listed', PATIENT_MS, () =>
      this.plugin.isWatched ? undefined : 'no call',
    );
  }

  writeManifest(name: string, list: Readonly<Record<string, string>>): Promise<number> {
    return this.#running.writeManifest(`${name}.json`, podWith(name, list));
  }

  /** What each of these pods has, once all are ready. */
  async holdings(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
    await until(`${names.join(', ')} to be ready`, PATIENT_MS, () => this.#missing(names));
    const held: Record<string, string> = {};
    for (const pod of await this.#running.pods()) {
      const { containerID = '', restartCount } = containerStatus(pod, 'main');
      const id = containerID.replace(/^.*:\/\//, '');
      const places = await this.#placesOf(id);
      const devices = await this.#devicesOf(pod.metadata.uid ?? '');
      held[pod.metadata.name] = `${id} restarts=${restartCount} places=${places} devices=${devices}`;
    }
    return held;
  }

  async end(): Promise<void> {
    this.plugin.kill();
    await this.#running.stop();
  }

  /** Without the help of a kubelet, which may be what failed. */
  async dispose(): Promise<void> {
    await this.end();
    for (const { id, ready } of await this.#cri.reader.listSandboxes()) {
      if (ready) await this.#cri.runtime.stopSandbox(id);
    }
    await removeDead(this.#cri);
    await removeCgroupRoot(this.#running.cgroupRoot);
    await unmountBelow(this.#running.rootDir);
  }

  showLog(): void {
    const lines = this.#running.lines.slice(-60).map((line) => JSON.stringify(line));
    process.stderr.write(`--- the last lines of the kubelet\n${lines.join('\n')}\n---\n`);
  }

  async #missing(names: readonly string[]): Promise<string | undefined> {
    const pods = await this.#running.pods().catch(() => []);
    const ready = new Set(pods.filter(isReady).map(({ metadata }) => metadata.name));
    const left = names.filter((name) => !ready.has(`${name}-switched`));
    if (left.length === 0) return undefined;
    const texts = pods.map(
      ({ metadata, status }) => `${metadata.name}: ${status.phase} ${status.message ?? ''}`,
    );
    return `${left.join(', ')} of ${texts.join('; ')}`;
  }

  /** CPUs and NUMA nodes, as the kernel has them. */
  async #placesOf(id: string): Promise<string> {
    const root = join('/sys/fs/cgroup', IS_UNIFIED ? '' : 'cpuset', this.#running.cgroupRoot);
    const [directory] = await Array.fromAsync(glob(`${root}/**/${containerCgroup(id)}`));
    assert.ok(directory, `no cgroup of container ${id}`);
    const read = async (file: string) => (await readFile(join(directory, file), 'utf8')).trim();
    return `${await read('cpuset.cpus')}/${await read('cpuset.mems')}`;
  }

  /** As the file has them that both kubelets keep. */
  async #devicesOf(podUid: string): Promise<string> {
    const text = await readFile(join(this.plugin.directory, 'kubelet_internal_checkpoint'), 'utf8');
    const { Data } = JSON.parse(text) as {
      Data: { PodDeviceEntries: { PodUID: string; DeviceIDs: Record<string, string[]> }[] | null };
    };
    const entries = (Data.PodDeviceEntries ?? []).filter(({ PodUID }) => PodUID === podUid);
    return entries.flatMap(({ DeviceIDs }) => Object.values(DeviceIDs).flat()).join(',');
  }
}

async function withSwitchedNode(body: (node: SwitchedNode) => Promise<void>): Promise<void> {
  const upstream = await findUpstream();
  const directory = await mkdtemp(join(tmpdir(), 'kubelet-switch-'));
  await withRuntime(async (cri) => {
    const node = new SwitchedNode(directory, upstream, cri);
    try {
      await body(node);
    } catch (error) {
      node.showLog();
      throw error;
    } finally {
      await node.dispose();
      await rm(directory, { recursive: true, force: true });
    }
  });
}

it(
  'CPUs, memory and devices stay where they are when the kubelet is changed, and nothing starts again',
  { skip: LAST < 1 && 'the machine has one CPU', timeout: 590_000 },
  () =>
    withSwitchedNode(async (node) => {
      const own = { cpu: String(LAST), memory: '64Mi' };
      const device = { memory: '8Mi', [RESOURCE]: '1' };
      await node.switchTo('upstream');
      await node.writeManifest('own', own);
      await node.writeManifest('first', device);
      const names = ['own', 'first'];
      const given = [await node.holdings(names)];

      for (const [kind, name] of [
        ['ours', 'second'],
        ['upstream', 'third'],
        ['ours', undefined],
      ] as const) {
        await node.switchTo(kind);
        const kept = await node.holdings(names);
        assert.deepEqual(kept, given.at(-1), `changed by ${kind}`);
        if (name === undefined) break;
        await node.writeManifest(name, device);
        names.push(name);
        given.push(await node.holdings(names));
      }

      const last = given.at(-1) ?? {};
      const devices = Object.values(last).map((line) => /devices=(.*)$/.exec(line)?.[1]);
      assert.deepEqual(devices.filter(Boolean).toSorted(), ['d0', 'd1', 'd2']);
      assert.match(last['own-switched'] ?? '', LAST === 1 ? /places=1\/0 / : new RegExp(`places=1-${LAST}/`));
    }),
);

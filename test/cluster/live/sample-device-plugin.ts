/**
 * Upstream's sample device plugin, with its two devices, beside the kubelet of
 * the test cluster. It looks for the kubelet where kubelets usually are; its
 * own view of the file system has the cluster's kubelet there.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, requireVariable, waitFor } from './cluster.ts';
import { PeerProcess } from './peer-process.ts';

export const SAMPLE_RESOURCE = 'example.com/resource';
export const SAMPLE_DEVICES = ['Dev-1', 'Dev-2'];
/** Where the plugin looks, whatever it is asked. */
const USUAL_DIRECTORY = '/var/lib/kubelet/device-plugins';
const BIND_THEN_BECOME = 'mount --bind "$1" "$2" && exec sample-device-plugin';

interface Checkpoint {
  readonly Data: {
    readonly PodDeviceEntries:
      | readonly {
          readonly PodUID: string;
          readonly ResourceName: string;
          readonly DeviceIDs: Readonly<Record<string, readonly string[]>>;
        }[]
      | null;
  };
}

export class SampleDevicePlugin implements AsyncDisposable {
  readonly process: PeerProcess;
  readonly #directory = join(requireVariable('KUBELET_TS_HOST_DIR'), 'cluster/kubelet/root/device-plugins');

  private constructor() {
    mkdirSync(USUAL_DIRECTORY, { recursive: true, mode: 0o750 });
    const view = ['--mount', '--propagation=private', 'sh', '-c', BIND_THEN_BECOME];
    this.process = new PeerProcess('unshare', [
      ...view,
      'sh',
      this.#directory,
      USUAL_DIRECTORY,
    ]).startsAgain();
  }

  /** Resolves when the node offers its devices. */
  static async start(cluster: Cluster): Promise<SampleDevicePlugin> {
    const plugin = new SampleDevicePlugin();
    plugin.process.launch();
    try {
      await waitFor(
        'the devices of the node',
        async () =>
          (await cluster.node()).status?.allocatable?.[SAMPLE_RESOURCE] === `${SAMPLE_DEVICES.length}`,
      );
    } catch (error) {
      await plugin[Symbol.asyncDispose]();
      throw error;
    }
    return plugin;
  }

  /** The devices that the kubelet gave to each pod, by uid. */
  given(): Map<string, string[]> {
    const text = readFileSync(join(this.#directory, 'kubelet_internal_checkpoint'), 'utf8');
    const given = new Map<string, string[]>();
    for (const { PodUID, ResourceName, DeviceIDs } of (JSON.parse(text) as Checkpoint).Data
      .PodDeviceEntries ?? [])
      if (ResourceName === SAMPLE_RESOURCE) given.set(PodUID, Object.values(DeviceIDs).flat());
    return given;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process.kill();
    for (const id of SAMPLE_DEVICES) rmSync(join('/tmp', id), { force: true });
  }
}

/**
 * Upstream's sample driver of dynamic resources as a process beside the kubelet
 * of the test cluster, with the devices of its node and the files by which it
 * hands them to containers.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, requireVariable, waitFor } from './cluster.ts';
import { PeerProcess } from './peer-process.ts';

/** Where runtimes look for descriptions of devices. */
const CDI_DIRECTORY = '/var/run/cdi';

export class DraDriver implements AsyncDisposable {
  readonly name: string;
  readonly process: PeerProcess;
  readonly #cluster: Cluster;
  readonly #root = join(requireVariable('KUBELET_TS_HOST_DIR'), 'cluster/kubelet/root');

  private constructor(cluster: Cluster, name: string, devices: number) {
    this.#cluster = cluster;
    this.name = name;
    const data = join(this.#root, 'plugins');
    mkdirSync(join(data, name), { recursive: true, mode: 0o700 });
    this.process = new PeerProcess('dra-test-driver', [
      'kubelet-plugin',
      `--drivername=${name}`,
      `--node-name=${cluster.nodeName}`,
      `--num-devices=${devices}`,
      `--datadir=${data}`,
      `--plugin-registration-path=${join(this.#root, 'plugins_registry')}`,
      `--cdi-dir=${CDI_DIRECTORY}`,
    ]);
  }

  /** Makes a class of devices with its name; resolves when the driver has published its devices. */
  static async start(cluster: Cluster, name: string, devices: number): Promise<DraDriver> {
    const driver = new DraDriver(cluster, name, devices);
    const selectors = [{ cel: { expression: `device.driver == "${name}"` } }];
    await cluster.apply('default', {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name },
      spec: { selectors },
    });
    driver.process.launch();
    try {
      await waitFor('the devices to be published', async () => {
        assert.ok(driver.process.isRunning, 'the driver has ended');
        return (await driver.#countSlices()) > 0;
      });
    } catch (error) {
      await driver[Symbol.asyncDispose]();
      throw error;
    }
    return driver;
  }

  /** What it prepared and did not take back yet. */
  preparedFiles(): string[] {
    if (!existsSync(CDI_DIRECTORY)) return [];
    return readdirSync(CDI_DIRECTORY).filter((name) => name.startsWith(this.name));
  }

  /** Claims that the kubelet keeps a record of; null without any. */
  claimsOfKubelet(): unknown {
    const record = JSON.parse(readFileSync(join(this.#root, 'dra_manager_state'), 'utf8')) as {
      Data: string;
    };
    return (JSON.parse(record.Data) as { ClaimInfoStateList: unknown }).ClaimInfoStateList;
  }

  async #countSlices(): Promise<number> {
    const names = await this.#cluster.kubectl(
      ...['get', 'resourceslices', `--field-selector=spec.driver=${this.name}`, '-o', 'name'],
    );
    return names.split('\n').filter((name) => name !== '').length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process.kill();
    for (const place of ['plugins_registry', 'plugins'])
      for (const name of readdirSync(join(this.#root, place)).filter((one) => one.startsWith(this.name)))
        rmSync(join(this.#root, place, name), { recursive: true });
    for (const name of this.preparedFiles()) rmSync(join(CDI_DIRECTORY, name));
    await this.#cluster.kubectl('delete', 'deviceclass', this.name, '--ignore-not-found');
    await this.#cluster.kubectl(...['delete', 'resourceslices', `--field-selector=spec.driver=${this.name}`]);
  }
}

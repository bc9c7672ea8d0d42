/**
 * The storage driver of ../csi as a process beside the kubelet of the test
 * cluster, with what it was asked and what of its volumes is on the node.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CsiNodeObject } from '../../../src/core/api/storage.ts';
import { CSI_NODES } from '../../../src/ports/cluster/api-resource.ts';
import { type Cluster, requireVariable, waitFor } from './cluster.ts';

interface Call {
  readonly method: string;
  readonly request: {
    readonly volumeId?: string;
    readonly targetPath?: string;
    readonly volumePath?: string;
  };
  readonly error?: string;
}

export class CsiDriver implements AsyncDisposable {
  readonly name: string;
  readonly #cluster: Cluster;
  readonly #root = join(requireVariable('KUBELET_TS_HOST_DIR'), 'cluster/kubelet/root');
  readonly #state: string;
  readonly #calls: string;
  #process: ChildProcess | undefined;

  private constructor(cluster: Cluster, name: string) {
    this.name = name;
    this.#cluster = cluster;
    const directory = mkdtempSync(join(tmpdir(), 'csi-driver-'));
    this.#state = join(directory, 'volumes');
    this.#calls = join(directory, 'calls');
  }

  /** Starts it and makes its CSIDriver object; resolves when it is registered. */
  static async start(cluster: Cluster, name: string, spec: object): Promise<CsiDriver> {
    const driver = new CsiDriver(cluster, name);
    await cluster.apply('default', {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name },
      spec,
    });
    try {
      await driver.launch();
    } catch (error) {
      await driver[Symbol.asyncDispose]();
      throw error;
    }
    return driver;
  }

  async launch(): Promise<void> {
    const child = spawn(
      'csi-driver',
      [
        ['--name', this.name],
        ['--node-id', this.#cluster.nodeName],
        ['--socket', join(this.#root, 'plugins', this.name, 'csi.sock')],
        ['--registration-socket', join(this.#root, 'plugins_registry', `${this.name}-reg.sock`)],
        ['--state', this.#state],
        ['--calls', this.#calls],
      ].flat(),
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    this.#process = child;
    await waitFor(`the registration of "${this.name}"`, () => {
      assert.equal(child.exitCode, null, 'the driver has ended');
      return this.isRegistered();
    });
  }

  async isRegistered(): Promise<boolean> {
    const found = await this.#cluster.api.get<CsiNodeObject>({
      resource: CSI_NODES,
      name: this.#cluster.nodeName,
    });
    return found?.spec.drivers?.some(({ name }) => name === this.name) === true;
  }

  /** Ends it; its volumes stay as they are. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** What it was asked about a volume, oldest first, without questions about itself or how full something is. */
  calls(volumeId?: string): string[] {
    if (!existsSync(this.#calls)) return [];
    const lines = readFileSync(this.#calls, 'utf8').split('\n').slice(0, -1);
    return lines
      .map((line) => JSON.parse(line) as Call)
      .filter(({ method, request }) => request.volumeId !== undefined && method !== 'NodeGetVolumeStats')
      .filter(({ request }) => volumeId === undefined || request.volumeId === volumeId)
      .map(
        ({ method, error }) => `${method.replace('Volume', '')}${error === undefined ? '' : `: ${error}`}`,
      );
  }

  /** Handles of volumes that pods define themselves. */
  inlineVolumes(): string[] {
    if (!existsSync(this.#state)) return [];
    return readdirSync(this.#state).filter((name) => /^csi-[0-9a-f]+$/.test(name));
  }

  /** The volume has this trouble while `text` is not undefined. */
  trouble(volumeId: string, kind: 'abnormal' | 'hangs' | 'stays', text: string | undefined): void {
    const path = join(this.#state, `${volumeId}.${kind}`);
    if (text === undefined) rmSync(path, { force: true });
    else writeFileSync(path, text);
  }

  /** Everything of its volumes that is on the node: mounts, directories, links, loop devices. */
  traces(): string[] {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .filter((place) => place.startsWith(this.#root) && /csi/.test(place));
    const below = existsSync(this.#root)
      ? readdirSync(this.#root, { recursive: true, encoding: 'utf8' })
      : [];
    const files = below.filter((path) =>
      /globalmount|vol_data\.json|kubernetes\.io~csi\/|kubernetes\.io\/csi\/volumeDevices\/.+\//.test(path),
    );
    return [...mounts, ...files, ...this.#loops()];
  }

  #loops(): string[] {
    return readdirSync('/sys/block')
      .map((name) => `/sys/block/${name}/loop/backing_file`)
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, 'utf8').trim())
      .filter((file) => file.startsWith(this.#root) || file.startsWith(this.#state));
  }

  async waitForNoTraces(): Promise<void> {
    await waitFor(`the end of all volumes of "${this.name}"`, () => this.traces().length === 0).catch(() =>
      assert.deepEqual(this.traces(), []),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    for (const place of ['plugins_registry', 'plugins'])
      for (const name of readdirSync(join(this.#root, place)).filter((one) => one.startsWith(this.name)))
        rmSync(join(this.#root, place, name), { recursive: true });
    await this.#cluster.kubectl('delete', 'csidriver', this.name, '--ignore-not-found');
    rmSync(join(this.#state, '..'), { recursive: true, force: true });
  }
}

/** A persistent volume that is bound to a claim of the same name. */
export function boundVolume(
  driver: CsiDriver,
  namespace: string,
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
): object[] {
  const shared = { accessModes: ['ReadWriteOnce'], storageClassName: '', ...spec };
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels: { 'claims-of': namespace } },
    spec: {
      ...shared,
      capacity: { storage: '16Mi' },
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { namespace, name },
      csi: { driver: driver.name, volumeHandle: `handle-${name}`, fsType: 'ext4' },
    },
  };
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { ...shared, volumeName: name, resources: { requests: { storage: '16Mi' } } },
  };
  return [volume, claim];
}

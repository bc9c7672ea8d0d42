/** A node with one registered fake storage driver, for the tests of its adapter. */

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CsiDrivers } from '../../src/adapters/csi/csi-drivers.ts';
import type { CsiParts } from '../../src/adapters/csi/csi-parts.ts';
import { CSI_PLUGIN } from '../../src/adapters/csi/csi-paths.ts';
import { CsiVolumeDriver } from '../../src/adapters/csi/csi-volume-driver.ts';
import type { LoopDevices } from '../../src/adapters/linux/mount/loop-devices.ts';
import { accept } from '../../src/base/outcome.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../src/core/api/persistent-volume.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import type { CsiDriverSpec } from '../../src/core/api/storage.ts';
import { toPodUid } from '../../src/core/model/ids.ts';
import { volumeDevicePath, volumeDirectory } from '../../src/core/model/pod-paths.ts';
import type { TokenSource } from '../../src/ports/cluster/token-source.ts';
import type { VolumeRequest } from '../../src/ports/storage/volume-driver.ts';
import { sampleNode, samplePod } from '../samples/sample-pod.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeCsiDriver } from './fake-csi-driver.ts';
import { MemoryApiServer } from './memory-api-server.ts';
import { RecordingLogger } from './recording-logger.ts';
import { RecordingMounter } from './recording-mounter.ts';

export const DRIVER = 'drv.test';

type CsiTestParts = Partial<CsiParts> & Pick<CsiParts['attach'], 'onNodeFull'>;

export class CsiTestNode implements AsyncDisposable {
  readonly rootDir: string;
  readonly server: FakeCsiDriver;
  readonly clock = new FakeClock();
  readonly logger = new RecordingLogger();
  readonly api = new MemoryApiServer({ clock: this.clock });
  readonly drivers = new CsiDrivers(this.clock);
  /** The CSIDriver object; undefined when there is none. */
  spec: CsiDriverSpec | undefined = { attachRequired: false };
  /** Attachments: what was held and let go. */
  readonly held: string[] = [];
  isAttached = true;
  readonly warnings: string[] = [];
  readonly mounter = new RecordingMounter();
  /** By file: the loop device that holds it. */
  readonly attached = new Map<string, string>();
  readonly loops: LoopDevices = {
    find: async (file) => this.attached.get(file),
    attach: async (file) => void this.attached.set(file, `/dev/loop${this.attached.size}`),
    detach: async (device) => {
      for (const [file, loop] of this.attached) if (loop === device) this.attached.delete(file);
    },
  };
  tokens: TokenSource = {
    token: async ({ audience }) =>
      accept({ token: `token-${audience}`, expiresAtMs: 0, refreshAtMs: this.clock.now() + 30_000 }),
    forget: () => {},
  };
  driver: CsiVolumeDriver;

  private constructor(rootDir: string, server: FakeCsiDriver) {
    this.rootDir = rootDir;
    this.server = server;
    this.register();
    this.driver = this.restart();
  }

  static async start(): Promise<CsiTestNode> {
    const rootDir = await mkdtemp(join(tmpdir(), 'csi-node-'));
    return new CsiTestNode(rootDir, await FakeCsiDriver.start());
  }

  register(): void {
    this.drivers.put(DRIVER, { endpoint: this.server.socketPath, version: { text: '1.0', numbers: [1, 0] } });
  }

  /** An agent that knows nothing but what is on disk. */
  restart({ onNodeFull = () => {}, ...over }: CsiTestParts = {}): CsiVolumeDriver {
    const { drivers, clock, logger, api, rootDir } = this;
    this.driver = new CsiVolumeDriver({
      kit: { clock, logger, random: () => 0 },
      node: sampleNode({ rootDir }),
      cluster: {
        api,
        driverObjects: { get: async () => this.spec },
        tokens: { token: (...args) => this.tokens.token(...args), forget: () => {} },
      },
      drivers,
      attach: {
        attachments: {
          hold: (name, uid) => void this.held.push(`hold ${name} ${uid}`),
          release: (name, uid) => void this.held.push(`release ${name} ${uid}`),
          whenAttached: async () => this.isAttached,
          devicePathOf: () => '',
        },
        controllerAttaches: true,
        onNodeFull,
      },
      block: { mounter: this.mounter, loops: this.loops },
      ...over,
    });
    return this.driver;
  }

  /** Lets time pass until the work is done; files and sockets take their own. */
  async patiently<T>(work: Promise<T>): Promise<T> {
    const state = { isDone: false };
    const end = (): void => {
      state.isDone = true;
    };
    work.then(end, end);
    while (!state.isDone) await this.clock.advance(1_000);
    return work;
  }

  /** Directories of volumes and staged ones, data files included. */
  async left(): Promise<string[]> {
    const entries = await readdir(this.rootDir, { recursive: true });
    return entries
      .filter((path) => /globalmount|vol_data|volumeDevices.*\/.*|\/mount$|~csi\/./.test(path))
      .toSorted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await rm(this.rootDir, { recursive: true });
  }

  inline(pod: Pod = samplePod(), more: object = {}): VolumeRequest {
    const volume = { name: 'scratch', csi: { driver: DRIVER, volumeAttributes: { size: '1' }, ...more } };
    return this.#toRequest(pod, 'scratch', { volume });
  }

  persistent(
    pod: Pod = samplePod(),
    change: (volume: PersistentVolume) => PersistentVolume = (v) => v,
  ): VolumeRequest {
    const volume = change(sampleVolume());
    const { name } = volume.metadata;
    const claim = sampleClaim();
    const mode = volume.spec.volumeMode ?? 'Filesystem';
    return this.#toRequest(pod, name, {
      volume: { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      persistent: { volume, claim, readOnly: false, mode },
    });
  }

  #toRequest(pod: Pod, name: string, rest: Pick<VolumeRequest, 'volume' | 'persistent'>): VolumeRequest {
    const place = rest.persistent?.mode === 'Block' ? volumeDevicePath : volumeDirectory;
    return {
      ...rest,
      pod,
      podUid: toPodUid(pod.metadata.uid),
      name,
      directory: place(this.rootDir, toPodUid(pod.metadata.uid), CSI_PLUGIN, name),
      isRemount: false,
      signal: new AbortController().signal,
      warn: (reason, message) => void this.warnings.push(`${reason}: ${message}`),
    };
  }
}

export function sampleVolume(): PersistentVolume {
  return {
    metadata: { name: 'pv-1' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Filesystem',
      mountOptions: ['noatime'],
      csi: { driver: DRIVER, volumeHandle: 'vol-1', fsType: 'ext4', volumeAttributes: { kind: 'slow' } },
    },
  };
}

export function sampleClaim(): PersistentVolumeClaim {
  return {
    metadata: { name: 'data', namespace: 'market', uid: 'claim-1' },
    spec: { volumeName: 'pv-1' },
    status: { phase: 'Bound', capacity: { storage: '1Gi' } },
  };
}

/**
 * Fibre Channel disks: the fabric shows them to the node by itself, they only
 * have to be found. A disk reached over several paths is used through the
 * device that joins them.
 */
import { AgentError } from '../../../base/errors.ts';
import { accept, refuse } from '../../../base/outcome.ts';
import {
  type FcDisk,
  leadsToFcDisk,
  parseFcPlace,
  toFcDisk,
  toFcName,
  toFcPlace,
} from '../../../core/volume/disk/fc-disk.ts';
import type { VolumeOutcome, VolumeRequest } from '../../../ports/storage/volume-driver.ts';
import { runProgram } from '../../linux/program/run-program.ts';
import type { DiskConnector, WantedDisk } from './disk-connector.ts';
import type { ScsiDevices } from './scsi-devices.ts';

export interface FcConnectorParts {
  readonly devices: ScsiDevices;
  readonly run?: typeof runProgram;
}

export class FcConnector implements DiskConnector {
  readonly plugin = 'kubernetes.io/fc';
  readonly source = 'fc';
  readonly isMeasured = false;
  readonly #devices: ScsiDevices;
  readonly #run: typeof runProgram;

  constructor({ devices, run = runProgram }: FcConnectorParts) {
    this.#devices = devices;
    this.#run = run;
  }

  async read({ volume, persistent }: VolumeRequest): Promise<VolumeOutcome<WantedDisk>> {
    const source = persistent?.volume.spec.fc ?? volume.fc ?? {};
    const disk = toFcDisk(source);
    if (!disk.ok) return disk;
    return accept({
      name: toFcName(source),
      place: toFcPlace(disk.value),
      fsType: source.fsType ?? '',
      readOnly: persistent?.readOnly ?? source.readOnly ?? false,
      attach: () => this.#attach(disk.value),
    });
  }

  async detach(place: string, _directory: string, signal?: AbortSignal): Promise<void> {
    const disk = parseFcPlace(place);
    const found = disk === undefined ? undefined : await this.#find(disk);
    if (found === undefined) return;
    const device = found.joined ?? found.single;
    await this.#devices.requireUnused(device);
    const parts = await this.#devices.partsOf(device);
    if (found.joined !== undefined)
      await this.#run('multipath', ['-f', device], 'flush multipath device', device, { signal });
    for (const part of parts) {
      // What is not written by now is lost with the disk, not with this call.
      await this.#run('blockdev', ['--flushbufs', part], 'flush', part, { signal }).catch(ignoreAgentError);
      await this.#devices.forget(part);
    }
  }

  async #attach(disk: FcDisk): Promise<VolumeOutcome<string>> {
    let found = await this.#find(disk);
    if (found?.joined === undefined) {
      await this.#devices.scanAll();
      found = await this.#find(disk);
    }
    return found === undefined ? refuse('no fc disk found') : accept(found.joined ?? found.single);
  }

  /** The device that joins the paths counts before any of them. */
  async #find(disk: FcDisk): Promise<{ readonly single: string; readonly joined?: string } | undefined> {
    let single: string | undefined;
    const directory = disk.by === 'id' ? 'by-id' : 'by-path';
    for (const name of disk.by === 'id' ? disk.wwids : disk.wwns) {
      const device = await this.#devices.findLink(directory, (link) => leadsToFcDisk(link, name, disk));
      if (device === undefined) continue;
      const joined = await this.#devices.findMultipath(device);
      if (joined !== undefined) return { single: device, joined };
      single ??= device;
    }
    return single === undefined ? undefined : { single };
  }
}

function ignoreAgentError(error: unknown): string {
  if (!(error instanceof AgentError)) throw error;
  return '';
}

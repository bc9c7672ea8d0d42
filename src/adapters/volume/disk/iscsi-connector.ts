/**
 * iSCSI disks: the node logs in to the target through every portal, asks for
 * the one number it wants, and uses the device that joins the paths where
 * there is one. A session is shared by all disks of a target: the last one
 * logs out. Everything goes through iscsiadm(8).
 */

import { join } from 'node:path';
import { type Clock, sleep } from '../../../base/async/clock.ts';
import { KeyedMutex } from '../../../base/async/keyed-mutex.ts';
import { AgentError, errorText } from '../../../base/errors.ts';
import { accept, type Outcome, refuse } from '../../../base/outcome.ts';
import type { IscsiSource } from '../../../core/api/volume.ts';
import {
  type ChapUse,
  type IscsiDisk,
  parseIscsiJson,
  renderIscsiJson,
  toIscsiDisk,
  toIscsiName,
  toIscsiPlace,
  toIscsiTargetPrefix,
} from '../../../core/volume/disk/iscsi-disk.ts';
import type { VolumeOutcome, VolumeRequest } from '../../../ports/storage/volume-driver.ts';
import { listNames } from '../../linux/files/list-names.ts';
import { readBounded } from '../../linux/files/read-bounded.ts';
import { hasErrno, toHostError } from '../../linux/host-error.ts';
import { unlink, writeFile } from '../../linux/storage/storage-fs.ts';
import { readVolumeSecret, type SecretLookup } from '../place/read-volume-secret.ts';
import type { DiskConnector, WantedDisk } from './disk-connector.ts';
import type { Iscsiadm } from './iscsiadm.ts';
import type { ScsiDevices } from './scsi-devices.ts';

const NOTE = 'iscsi.json';
const MAX_NOTE_BYTES = 1024 * 1024;
/** How often all portals are tried; with two paths the rest are tried twice only. */
const MAX_ROUNDS = 5;
const ENOUGH_ROUNDS = 2;
const ENOUGH_PATHS = 2;
const DEVICE_WAIT_SECONDS = 30;
const MULTIPATH_WAIT_SECONDS = 10;

export interface IscsiConnectorParts {
  readonly devices: ScsiDevices;
  readonly admin: Iscsiadm;
  readonly clock: Clock;
  readonly rootDir: string;
  readonly readSecret: SecretLookup;
}

export class IscsiConnector implements DiskConnector {
  readonly plugin = 'kubernetes.io/iscsi';
  readonly source = 'iscsi';
  readonly isMeasured = true;
  readonly #parts: IscsiConnectorParts;
  /** By target: no log-out overlaps a log-in. */
  readonly #mutex = new KeyedMutex();

  constructor(parts: IscsiConnectorParts) {
    this.#parts = parts;
  }

  async read(request: VolumeRequest): Promise<VolumeOutcome<WantedDisk>> {
    const { volume, persistent, name } = request;
    const source = persistent?.volume.spec.iscsi ?? volume.iscsi ?? {};
    const disk = toIscsiDisk(name, source);
    if (!disk.ok) return disk;
    const chap = await this.#readChap(request, source);
    if (!chap.ok) return chap;
    return accept({
      name: toIscsiName(source),
      place: toIscsiPlace(disk.value),
      fsType: source.fsType ?? '',
      readOnly: persistent?.readOnly ?? source.readOnly ?? false,
      attach: (directory, signal) =>
        this.#mutex.run(disk.value.iqn, () => this.#attach(disk.value, chap.value, directory, signal)),
    });
  }

  async detach(_place: string, directory: string, signal?: AbortSignal): Promise<void> {
    const disk = await readNote(directory);
    // It goes last: without it there is nothing to undo.
    if (disk === undefined) return;
    await this.#forgetDevices(disk, signal);
    await this.#mutex.run(disk.iqn, async () => {
      if (!(await this.#isTargetUsed(disk, directory))) await this.#logOut(disk, signal);
      await removeNote(directory);
    });
  }

  async #readChap(
    { pod, persistent, signal }: VolumeRequest,
    source: IscsiSource,
  ): Promise<Outcome<ChapUse>> {
    const { chapAuthDiscovery: discovery = false, chapAuthSession: session = false, secretRef } = source;
    const { name = '', namespace: other = '' } = secretRef ?? {};
    if ((!discovery && !session) || name === '') return accept({ discovery, session, values: {} });
    const namespace = (persistent === undefined ? '' : other) || pod.metadata.namespace;
    const found = await readVolumeSecret(this.#parts.readSecret, namespace, name, signal);
    if (found.ok) return accept({ discovery, session, values: found.value.data });
    return refuse(`couldn't get secret ${namespace}/${name} error: ${found.message}`);
  }

  async #attach(
    disk: IscsiDisk,
    chap: ChapUse,
    directory: string,
    signal: AbortSignal,
  ): Promise<VolumeOutcome<string>> {
    const { admin } = this.#parts;
    const transport = await admin.readTransport(disk.baseInterface, signal);
    if (transport === undefined) return refuse(`could not parse iface file for ${disk.baseInterface}`);
    await writeNote(directory, disk);
    if (disk.initiatorName !== '') await admin.cloneInterface(disk, signal);
    const paths = new Map<string, string>();
    let problem = '';
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      for (const portal of disk.portals) {
        if (paths.has(portal)) continue;
        const path = await this.#reach(disk, portal, chap, transport, signal);
        signal.throwIfAborted();
        if (path.ok) paths.set(portal, path.value);
        else problem = path.message;
      }
      if (paths.size === 0) {
        if (disk.initiatorName !== '') await admin.deleteInterface(disk.interface, signal);
        return refuse(`failed to get any path for iscsi disk, last err seen:\n${problem}`);
      }
      if (paths.size === disk.portals.length) break;
      if (paths.size >= ENOUGH_PATHS && round >= ENOUGH_ROUNDS) break;
    }
    return accept(await this.#choose([...paths.values()], disk.portals.length > 1, signal));
  }

  /** The device of the disk through one portal. */
  async #reach(
    disk: IscsiDisk,
    portal: string,
    chap: ChapUse,
    transport: string,
    signal: AbortSignal,
  ): Promise<Outcome<string>> {
    const { devices, admin } = this.#parts;
    const { iqn, lun } = disk;
    try {
      let host = (await devices.iscsiHosts(iqn)).get(portal);
      if (host === undefined) {
        await admin.logIn(disk, portal, chap, signal);
        host = (await devices.iscsiHosts(iqn)).get(portal);
      }
      if (host === undefined)
        return refuse(`Could not get SCSI host number for portal ${portal} after logging in`);
      await devices.scan(host, `0 0 ${lun}`);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      return refuse(errorText(error));
    }
    // Links of udev have the address without brackets.
    const link = `ip-${portal.replaceAll(/[[\]]/g, '')}-iscsi-${iqn}-lun-${lun}`;
    const accepts = (name: string): boolean =>
      transport === 'tcp' ? name === link : name.startsWith('pci-') && name.endsWith(`-${link}`);
    for (let second = 0; ; second++) {
      const device = await devices.findLink('by-path', accepts);
      if (device !== undefined) return accept(device);
      if (second >= DEVICE_WAIT_SECONDS) {
        const path = devices.dev(`disk/by-path/${transport === 'tcp' ? '' : 'pci-*-'}${link}`);
        return refuse(`Timed out waiting for device at path ${path} after ${DEVICE_WAIT_SECONDS}s`);
      }
      await sleep(this.#parts.clock, 1000, signal);
      signal.throwIfAborted();
    }
  }

  async #choose(paths: readonly string[], isJoined: boolean, signal: AbortSignal): Promise<string> {
    for (let second = 0; ; second++) {
      for (const path of paths) {
        const joined = await this.#parts.devices.findMultipath(path);
        if (joined !== undefined) return joined;
      }
      if (!isJoined || second >= MULTIPATH_WAIT_SECONDS) return paths[0] ?? '';
      await sleep(this.#parts.clock, 1000, signal);
      signal.throwIfAborted();
    }
  }

  /** Best effort: logging out may help where this does not. */
  async #forgetDevices({ iqn, lun }: IscsiDisk, signal: AbortSignal | undefined): Promise<void> {
    const { devices, admin } = this.#parts;
    const found = await devices.iscsiDevices(iqn, lun);
    const joined = new Set<string>();
    for (const device of found) {
      const by = await devices.findMultipath(device);
      if (by !== undefined) joined.add(by);
    }
    for (const device of joined.size > 0 ? joined : found) await devices.requireUnused(device);
    for (const device of joined) await admin.flushMultipath(device, signal);
    for (const device of found)
      await devices.forget(device).catch((error: unknown) => {
        if (!(error instanceof AgentError)) throw error;
      });
  }

  /** Another disk of the target has a place on the node, mounted or as a device. */
  async #isTargetUsed(disk: IscsiDisk, directory: string): Promise<boolean> {
    const base = join(this.#parts.rootDir, 'plugins', this.plugin);
    const prefix = toIscsiTargetPrefix(disk);
    for (const top of [base, join(base, 'volumeDevices')])
      for (const used of await listNames(top)) {
        if (!used.startsWith('iface-')) continue;
        for (const name of await listNames(join(top, used)))
          if (name.startsWith(prefix) && join(top, used, name) !== directory) return true;
      }
    return false;
  }

  async #logOut(disk: IscsiDisk, signal: AbortSignal | undefined): Promise<void> {
    const { admin } = this.#parts;
    for (const portal of disk.portals) await admin.logOut(disk, portal, signal);
    if (disk.initiatorName !== '' && disk.interface === `${disk.portals[0]}:${disk.volumeName}`)
      await admin.deleteInterface(disk.interface, signal);
  }
}

async function readNote(directory: string): Promise<IscsiDisk | undefined> {
  try {
    const text = await readBounded(join(directory, NOTE), { maxBytes: MAX_NOTE_BYTES });
    return parseIscsiJson(text.toString('utf8'));
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw toHostError('read', join(directory, NOTE), error);
  }
}

async function writeNote(directory: string, disk: IscsiDisk): Promise<void> {
  try {
    await writeFile(join(directory, NOTE), renderIscsiJson(disk), { mode: 0o600 });
  } catch (error) {
    throw toHostError('write', join(directory, NOTE), error);
  }
}

async function removeNote(directory: string): Promise<void> {
  try {
    await unlink(join(directory, NOTE));
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw toHostError('remove', join(directory, NOTE), error);
  }
}

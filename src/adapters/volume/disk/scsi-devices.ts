/**
 * Disks behind SCSI hosts, as the kernel shows them in sysfs and udev names
 * them in `/dev/disk`: which paths lead to one disk, which device joins the
 * paths, and how a disk that is no longer used is let go of.
 */
import { constants } from 'node:fs';
import { basename, join } from 'node:path';
import { AgentError } from '../../../base/errors.ts';
import { hasErrno, toHostError } from '../../linux/host-error.ts';
import { open, readdir, readFile, realpath, stat } from '../../linux/storage/storage-fs.ts';

export interface ScsiRoots {
  readonly sys: string;
  readonly dev: string;
}

const MACHINE: ScsiRoots = { sys: '/sys', dev: '/dev' };

export class ScsiDevices {
  readonly #roots: ScsiRoots;

  constructor(roots: ScsiRoots = MACHINE) {
    this.#roots = roots;
  }

  /** A path below `/dev`, such as `disk/by-path`. */
  dev(path: string): string {
    return join(this.#roots.dev, path);
  }

  /** The device that `accepts` finds among the links of a directory below `/dev/disk`; undefined when there is none. */
  async findLink(
    directory: 'by-path' | 'by-id',
    accepts: (name: string) => boolean,
  ): Promise<string | undefined> {
    const place = this.dev(`disk/${directory}`);
    for (const name of (await list(place)).filter(accepts)) {
      const device = await realpath(join(place, name)).catch(() => undefined);
      if (device !== undefined) return device;
    }
    return undefined;
  }

  /** Where the path leads; undefined when it leads nowhere. */
  async resolve(path: string): Promise<string | undefined> {
    return realpath(path).catch(() => undefined);
  }

  async exists(path: string): Promise<boolean> {
    return stat(path).then(
      () => true,
      () => false,
    );
  }

  /** The device that joins this one with other paths to the same disk; undefined when there is none. */
  async findMultipath(device: string): Promise<string | undefined> {
    const real = await this.resolve(device);
    if (real === undefined) return undefined;
    const name = basename(real);
    if (name.startsWith('dm-')) return real;
    for (const candidate of await this.#list('block')) {
      if (!candidate.startsWith('dm-')) continue;
      if ((await this.#list(`block/${candidate}/slaves`)).includes(name)) return this.dev(candidate);
    }
    return undefined;
  }

  /** What a joining device is made of; the device itself when it joins nothing. */
  async partsOf(device: string): Promise<string[]> {
    if (!basename(device).startsWith('dm-')) return [device];
    return (await this.#list(`block/${basename(device)}/slaves`)).map((name) => this.dev(name));
  }

  /** Rejects with AgentError while a mount or a program holds the device exclusively. */
  async requireUnused(device: string): Promise<void> {
    try {
      const handle = await open(device, constants.O_RDONLY | constants.O_EXCL | constants.O_NONBLOCK);
      await handle.close();
    } catch (error) {
      if (!hasErrno(error, 'EBUSY')) return;
      const message = `cannot detach ${JSON.stringify(device)}: the device is in use when it was no longer expected to be in use`;
      throw new AgentError('unavailable', message, { cause: error });
    }
  }

  /** Asks one host for one number; rejects with AgentError. */
  async scan(host: string, what: string): Promise<void> {
    const file = join(this.#roots.sys, 'class/scsi_host', host, 'scan');
    try {
      await order(file, what);
    } catch (error) {
      throw toHostError('scan', file, error);
    }
  }

  /** Asks every host for everything; one that cannot be asked does not count. */
  async scanAll(): Promise<void> {
    for (const host of await this.#list('class/scsi_host')) await this.scan(host, '- - -').catch(() => {});
  }

  /** The kernel forgets the disk; one it does not know is success. Rejects with AgentError. */
  async forget(device: string): Promise<void> {
    const file = join(this.#roots.sys, 'block', basename(device), 'device/delete');
    try {
      await order(file, '1');
    } catch (error) {
      if (!hasErrno(error, 'ENOENT')) throw toHostError('delete', device, error);
    }
  }

  /** Portal to host (`host3`) of every connection to the target, by its address now and as configured. */
  async iscsiHosts(iqn: string): Promise<ReadonlyMap<string, string>> {
    const hosts = new Map<string, string>();
    for (const { host, path } of await this.#iscsiSessions(iqn))
      for (const connection of await this.#list(path)) {
        if (!connection.startsWith('connection')) continue;
        const facts = `${path}/${connection}/iscsi_connection/${connection}`;
        for (const prefix of ['', 'persistent_']) {
          const address = await this.#read(`${facts}/${prefix}address`);
          const port = await this.#read(`${facts}/${prefix}port`);
          if (address !== '' && port !== '')
            hosts.set(`${address.includes(':') ? `[${address}]` : address}:${port}`, host);
        }
      }
    return hosts;
  }

  /** Devices of one number of the target, one for each path. */
  async iscsiDevices(iqn: string, lun: number): Promise<string[]> {
    const devices: string[] = [];
    for (const { host, path } of await this.#iscsiSessions(iqn)) {
      const number = host.slice('host'.length);
      const [name] = await this.#list(`${path}/target${number}:0:0/${number}:0:0:${lun}/block`);
      if (name !== undefined) devices.push(this.dev(name));
    }
    return devices;
  }

  async #iscsiSessions(iqn: string): Promise<{ readonly host: string; readonly path: string }[]> {
    const found: { host: string; path: string }[] = [];
    for (const host of await this.#list('class/iscsi_host')) {
      if (!/^host\d+$/.test(host)) continue;
      const device = `class/iscsi_host/${host}/device`;
      for (const session of await this.#list(device)) {
        if (!session.startsWith('session')) continue;
        const path = `${device}/${session}`;
        if ((await this.#read(`${path}/iscsi_session/${session}/targetname`)) === iqn)
          found.push({ host, path });
      }
    }
    return found;
  }

  #list(path: string): Promise<string[]> {
    return list(join(this.#roots.sys, path));
  }

  /** Empty when it cannot be read: what is about to vanish counts as gone. */
  async #read(path: string): Promise<string> {
    return readFile(join(this.#roots.sys, path), 'utf8').then(
      (text) => text.trim(),
      () => '',
    );
  }
}

/** The kernel lets such a file be opened for writing alone, and there is none to be made. */
async function order(file: string, text: string): Promise<void> {
  const handle = await open(file, constants.O_WRONLY);
  try {
    await handle.write(text);
  } finally {
    await handle.close();
  }
}

/** Sorted; none when there is no such directory. */
async function list(directory: string): Promise<string[]> {
  return readdir(directory).then(
    (names) => names.sort(),
    () => [],
  );
}

/**
 * Takes away the cgroup that a kubelet had its pods below, once they have ended: directories of cgroupfs, or the slice
 * of systemd, which takes those below with it. What is still in use stays.
 */
import { existsSync } from 'node:fs';
import { readdir, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseCgroupRoot, toCgroupPath } from '../../core/resources/cgroup-names.ts';
import { SystemClock } from '../linux/machine/system-clock.ts';
import { findSystemBus } from './system-bus.ts';
import { SystemdUnits, toUnitBus } from './systemd-units.ts';

const MOUNT = '/sys/fs/cgroup';

/** `root` is one component with a leading `/`. Never rejects. */
export async function removeCgroupRoot(root: string, mount = MOUNT): Promise<void> {
  const isUnified = existsSync(join(mount, 'cgroup.controllers'));
  const hierarchies = isUnified ? [''] : await readdir(mount).catch(() => []);
  const slice = toCgroupPath(parseCgroupRoot(root), 'systemd');
  if (hierarchies.some((hierarchy) => existsSync(join(mount, hierarchy, slice))))
    await stopSlice(basename(slice));
  // Systemd leaves what it did not make itself.
  for (const path of [root, slice])
    await Promise.all(hierarchies.map((hierarchy) => removeTree(join(mount, hierarchy, path))));
}

async function stopSlice(slice: string): Promise<void> {
  const connect = toUnitBus(findSystemBus(process.env['DBUS_SYSTEM_BUS_ADDRESS']));
  using units = new SystemdUnits({ clock: new SystemClock(), connect });
  await units.stop(slice).catch(() => {});
}

/** Control files go with their directory, so only directories have to be emptied. */
async function removeTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory()) await removeTree(join(directory, entry.name));
  await rmdir(directory).catch(() => {});
}

/** The process itself: the places it has to itself, its cgroups, and the service manager. */
import type { FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findHeldLock, waitForContention } from '../../adapters/linux/files/lock-contention.ts';
import { holdLockFile } from '../../adapters/linux/files/lock-file.ts';
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import type { StatusBoard } from '../../agent/pod/status-board.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { podsCgroupName, toCgroupPath } from '../../core/resources/cgroup-names.ts';
import type { HealthCheck } from '../../server/health/health-check.ts';
import { claimRootDirectory, claimSharedPlaces } from '../process/claim-place.ts';
import { findHeap, HeapCare } from '../process/heap-care.ts';
import { keepIptablesChains } from '../process/keep-iptables-chains.ts';
import { keepProcessCgroups } from '../process/keep-process-cgroups.ts';
import { type readSystemd, runSystemdNotifications } from '../process/systemd.ts';
import type { Foundation } from './foundation.ts';

/**
 * A second kubelet with the same lock file waits here until the first one ends; one with the same root directory
 * gives up. `onContention` is called when another process wants the lock file, where that is to end this one.
 */
export async function claimPlaces(foundation: Foundation, onContention: () => void): Promise<void> {
  const { loaded, logger, scope } = foundation;
  const { lockFile, rootDir } = loaded.flags;
  if (lockFile !== '') {
    logger.info('waiting for the lock file', { path: lockFile });
    const held = await holdLockFile(lockFile, scope.signal);
    scope.defer(() => held.close());
    if (loaded.flags.exitOnLockContention) await watchLock(foundation, held, onContention);
  }
  await claimRootDirectory(resolve(rootDir), foundation);
}

async function watchLock(
  { loaded, clock, logger, scope }: Foundation,
  held: FileHandle,
  onContention: () => void,
): Promise<void> {
  const { lockFile: path } = loaded.flags;
  const lock = await findHeldLock(held, path);
  scope.run(
    async (stop) => {
      const why = await waitForContention(lock, { clock }, stop);
      if (why === undefined) return;
      logger.info('exiting, containers keep running: the lock file is wanted elsewhere', { path, why });
      onContention();
    },
    (error) => logger.error('cannot watch the lock file any longer', error),
  );
}

/** The same for places that are known only with the node. */
export async function claimPodPlaces(foundation: Foundation, node: NodeProfile): Promise<void> {
  const { cgroupsPerQos, cgroupRoot, cgroupDriver, podLogsDir, rootDir } = node;
  const podsCgroup = cgroupsPerQos ? toCgroupPath(podsCgroupName(cgroupRoot), cgroupDriver) : undefined;
  await claimSharedPlaces({ podsCgroup, podLogsDir }, rootDir, foundation);
}

/** Keeps this process and those of the system in their cgroups. */
export function startProcessCgroups(
  { loaded, clock, logger, scope }: Foundation,
  machine: MachineFacts,
): void {
  const { config } = loaded;
  scope.run(
    (stop) => keepProcessCgroups({ config, machine, clock, logger }, stop),
    (error) => logger.error('process cgroup loop failed', error),
  );
}

/** A guest on the machine leaves its packet filter alone. */
export function startIptablesChains({ loaded, clock, logger, scope, podOwner }: Foundation): void {
  if (!loaded.config.makeIPTablesUtilChains || podOwner !== undefined) return;
  scope.run(
    (stop) => keepIptablesChains({ clock, logger }, stop),
    (error) => logger.error('iptables loop failed', error),
  );
}

/** Pods that start and end are what the heap grows for; so is the start itself. */
export function startHeapCare({ clock, scope }: Foundation, statuses: StatusBoard['published']): void {
  const heap = findHeap();
  if (heap === undefined) return;
  const care = new HeapCare(heap, clock);
  const listening = statuses.subscribe(() => care.noteWork());
  scope.defer(() => {
    listening[Symbol.dispose]();
    care[Symbol.dispose]();
  });
  care.noteWork();
}

/** Where there is a service manager, it is notified when the agent runs, and pinged while the checks pass. */
export function startServiceManager(
  { clock, logger, scope }: Foundation,
  systemd: ReturnType<typeof readSystemd>,
  checks: readonly HealthCheck[],
): void {
  if (systemd === undefined) return;
  scope.run(
    (stop) => runSystemdNotifications({ systemd, checks, clock, logger }, stop),
    (error) => logger.error('systemd notification loop failed', error),
  );
}

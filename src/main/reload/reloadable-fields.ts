/**
 * Which fields a running agent takes over from its files, and when not. A field
 * is here only if everything that reads it does so through the live
 * configuration: then a reload changes it whole. All others need a restart,
 * because something was built from them: a listener, a cgroup, a policy that
 * has given things away, or what the node has promised to others.
 */

import type { ConfigPath } from '../config/kubelet-configuration.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { toEvictionSettings } from '../settings/eviction-settings.ts';
import { toLogRotation } from '../settings/log-rotation.ts';

export type Reloaded = Pick<LoadedConfiguration, 'config' | 'flags'>;

/** Why this change cannot be taken over while the agent runs; undefined when it can. */
type Obstacle = (before: Reloaded, after: Reloaded) => string | undefined;

const always: Obstacle = () => undefined;

/** Who watches for eviction, and who rotates logs, is there from the start or not at all. */
const whileWatched: Obstacle = (before, after) =>
  (toEvictionSettings(before) === undefined) === (toEvictionSettings(after) === undefined)
    ? undefined
    : 'eviction is turned on or off at the start only';

const whileRotating: Obstacle = (before, after) =>
  (toLogRotation(before) === undefined) === (toLogRotation(after) === undefined)
    ? undefined
    : 'log rotation is turned on or off at the start only';

/** Allocatable follows from these, and others have counted on it: the scheduler, limits of containers, cgroups. */
const ALLOCATABLE_SIGNALS = ['memory.available', 'nodefs.available'] as const;

const whileAllocatableStays: Obstacle = (before, after) => {
  const changed = ALLOCATABLE_SIGNALS.find(
    (signal) => hardLimit(before, signal) !== hardLimit(after, signal),
  );
  if (changed === undefined) return whileWatched(before, after);
  return `what the node can give to pods follows from ${changed}`;
};

function hardLimit({ config }: Reloaded, signal: string): string | undefined {
  return config.evictionHard[signal];
}

export const RELOADABLE_FIELDS: ReadonlyMap<ConfigPath, Obstacle> = new Map<ConfigPath, Obstacle>([
  ['logging.verbosity', always],
  ['imageGCHighThresholdPercent', always],
  ['imageGCLowThresholdPercent', always],
  ['imageMinimumGCAge', always],
  ['imageMaximumGCAge', always],
  ['containerLogMaxSize', whileRotating],
  ['containerLogMaxFiles', always],
  ['containerLogMonitorInterval', always],
  ['evictionHard', whileAllocatableStays],
  ['evictionSoft', whileWatched],
  ['evictionSoftGracePeriod', whileWatched],
  ['evictionMinimumReclaim', always],
  ['evictionPressureTransitionPeriod', always],
  ['evictionMaxPodGracePeriod', always],
  ['kubeAPIQPS', always],
  ['kubeAPIBurst', always],
  ['eventRecordQPS', always],
  ['eventBurst', always],
  ['registryPullQPS', always],
  ['registryBurst', always],
  ['maxPods', always],
  ['podsPerCore', always],
]);

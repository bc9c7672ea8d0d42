/**
 * Keeps the agent in the cgroup `kubeletCgroups`, with the OOM score
 * `oomScoreAdj`, and processes that are in no cgroup of their own in
 * `systemCgroups`. Set at the start and again every few minutes, because other
 * programs move processes too.
 */

import { ProcessCgroups } from '../../adapters/linux/cgroup/process-cgroups.ts';
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import { setOwnOomScore } from '../../adapters/linux/machine/process-limits.ts';
import { type Clock, sleep } from '../../base/async/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';

/** With something to move, and with the score alone. */
const MOVE_PERIOD_MS = 60_000;
const SCORE_PERIOD_MS = 300_000;

export interface ProcessCgroupsLoop {
  readonly config: Pick<KubeletConfiguration, 'kubeletCgroups' | 'systemCgroups' | 'oomScoreAdj'>;
  readonly machine: Pick<MachineFacts, 'cgroup'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cgroups?: Pick<ProcessCgroups, 'move' | 'moveFromRoot'>;
  readonly setScore?: (score: number) => Promise<void>;
}

/** Runs until `stop` aborts. Never rejects: what a host refuses is logged once. */
export async function keepProcessCgroups(parts: ProcessCgroupsLoop, stop: AbortSignal): Promise<void> {
  const { config, machine, clock, logger } = parts;
  const { kubeletCgroups, systemCgroups, oomScoreAdj } = config;
  const cgroups = parts.cgroups ?? new ProcessCgroups({ layout: machine.cgroup });
  const setScore = parts.setScore ?? setOwnOomScore;
  const refused = new Set<string>();
  const attempt = async (setting: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      refused.delete(setting);
    } catch (error) {
      if (!refused.has(setting)) logger.warn('cannot apply a process setting', { setting, err: error });
      refused.add(setting);
    }
  };
  const movesSystem = systemCgroups !== '' && systemCgroups !== '/';
  const periodMs = movesSystem || kubeletCgroups !== '' ? MOVE_PERIOD_MS : SCORE_PERIOD_MS;
  while (!stop.aborted) {
    if (movesSystem) await attempt('systemCgroups', () => cgroups.moveFromRoot(systemCgroups));
    if (kubeletCgroups !== '')
      await attempt('kubeletCgroups', () => cgroups.move(process.pid, kubeletCgroups));
    await attempt('oomScoreAdj', () => setScore(oomScoreAdj));
    await sleep(clock, periodMs, stop);
  }
}

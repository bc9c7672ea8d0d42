/**
 * The agent's cgroups where systemd owns the tree: every level is a slice that
 * systemd is asked for, so that it neither removes nor rewrites what it does
 * not know. Values go to systemd first and then to the files as well, as some
 * have no property. Reading is that of the files.
 */
import { basename, dirname } from 'node:path';
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import type { CgroupValues } from '../../core/resources/cgroup-values.ts';
import type { CgroupReading } from '../../core/resources/plan-resize.ts';
import type { CgroupRefusal, EnsuredCgroup, PodCgroups } from '../../ports/host/cgroups.ts';
import type { CgroupTree } from '../linux/cgroup/cgroups.ts';
import {
  roundQuota,
  type SystemdFacts,
  toSlicePropertiesOf,
  toUnitProperties,
} from './systemd-properties.ts';
import type { SystemdUnits } from './systemd-units.ts';

/** The parent of slices at the top. */
const ROOT_SLICE = '-.slice';
/** In place of a control file, where systemd refuses values. */
const CONTROL = 'systemd';

export interface SystemdPodCgroupsParts {
  readonly units: Pick<SystemdUnits, 'start' | 'set' | 'stop'>;
  /** The same cgroups as files. */
  readonly files: CgroupTree;
  readonly facts: SystemdFacts;
  /** The cgroup that holds all pods. */
  readonly podsRoot: string;
}

export class SystemdPodCgroups implements PodCgroups {
  readonly #parts: SystemdPodCgroupsParts;
  /** Parents that were asked for once, and have been there since. */
  readonly #known = new Set<string>();

  constructor(parts: SystemdPodCgroupsParts) {
    this.#parts = parts;
  }

  async ensure(path: string): Promise<EnsuredCgroup> {
    const { units, files } = this.#parts;
    // Before systemd is asked, which makes missing parents itself, without any limit.
    const hadParent = files.isThere(dirname(path));
    if (!hadParent) this.#known.clear();
    for (const level of toLevels(path)) {
      if (this.#known.has(level)) continue;
      const unit = basename(level);
      const parent = dirname(level) === '/' ? ROOT_SLICE : basename(dirname(level));
      await units.start(unit, toSlicePropertiesOf(unit, parent));
      if (level !== path) this.#known.add(level);
    }
    const { warnings } = await files.ensure(path);
    return { warnings, hadParent };
  }

  async apply(path: string, values: CgroupValues): Promise<readonly CgroupRefusal[]> {
    const { units, files, facts } = this.#parts;
    const rounded = roundQuota(values);
    const refused: CgroupRefusal[] = [];
    try {
      await units.set(basename(path), toUnitProperties(rounded, facts));
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      // Not refused: systemd was not reached.
      if (hasCode(error, 'unavailable') || hasCode(error, 'deadline-exceeded')) throw error;
      refused.push({ control: CONTROL, message: errorText(error), retryable: false });
    }
    return [...refused, ...(await files.apply(path, rounded))];
  }

  read(path: string): Promise<CgroupReading> {
    return this.#parts.files.read(path);
  }

  async remove(path: string): Promise<void> {
    const { units, files, podsRoot } = this.#parts;
    // What is not a pod's is refused by the files, and no unit of it stopped before.
    if (path.startsWith(`${podsRoot}/`)) {
      // Asked to stop a slice, systemd sends SIGTERM first and waits for longer than we wait for systemd.
      await files.kill(path);
      await units.stop(basename(path));
    }
    await files.remove(path);
  }

  exists(path: string): Promise<boolean> {
    return this.#parts.files.exists(path);
  }

  children(path: string): Promise<readonly string[]> {
    return this.#parts.files.children(path);
  }

  processes(path: string): Promise<readonly number[]> {
    return this.#parts.files.processes(path);
  }
}

/** The path and all above it, from the top. */
function toLevels(path: string): string[] {
  const names = path.split('/').filter(Boolean);
  return names.map((_name, index) => `/${names.slice(0, index + 1).join('/')}`);
}

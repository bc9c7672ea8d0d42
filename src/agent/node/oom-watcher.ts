/**
 * Follows the log of the kernel for processes that were killed for lack of
 * memory. When the machine had none left, the node gets an event; when a cgroup
 * had reached its limit, it is counted. After a restart the messages that the
 * kernel still has are read again.
 */
import { errorText } from '../../base/errors.ts';
import { type OpenOomReport, readOomLine, renderSystemOom } from '../../core/node/parse-oom.ts';
import type { KernelMessages } from '../../ports/host/kernel-messages.ts';
import type { Kit } from '../../ports/kit.ts';

/** Cgroups come and go; those that were killed in longest ago are forgotten. */
const MAX_CGROUPS = 1_000;

export interface OomWatcherParts {
  readonly kit: Pick<Kit, 'logger' | 'events'>;
  readonly kernelMessages: KernelMessages;
  /** In a user namespace the log of the kernel cannot be read, which is no failure. */
  readonly inUserNamespace: boolean;
}

export class OomWatcher {
  readonly name = 'OOM watcher';
  readonly #parts: OomWatcherParts;
  readonly #kills = new Map<string, number>();

  constructor(parts: OomWatcherParts) {
    this.#parts = parts;
  }

  /** How often a process was killed because this cgroup had reached its limit, by path. */
  get killsByCgroup(): ReadonlyMap<string, number> {
    return this.#kills;
  }

  /** Runs until `stop` aborts; ends early when the log cannot be read. */
  async run(stop: AbortSignal): Promise<void> {
    const { kit, kernelMessages, inUserNamespace } = this.#parts;
    let open: OpenOomReport;
    const onMessage = (text: string): void => {
      const step = readOomLine(open, text);
      open = step.open;
      if (step.kill !== undefined) this.#note(step.kill);
    };
    const onLost = (): void =>
      kit.logger.debug(
        { file: 'oom-watcher', level: 1 },
        'messages of the kernel were lost before they were read',
      );
    try {
      await kernelMessages.followKills(onMessage, onLost, stop);
    } catch (error) {
      const message = 'the kernel log cannot be read: system OOM events are not reported';
      if (inUserNamespace) kit.logger.warn(message, { err: errorText(error) });
      else kit.logger.error(message, error);
    }
  }

  #note(kill: Parameters<typeof renderSystemOom>[0]): void {
    const { kit } = this.#parts;
    const message = renderSystemOom(kill);
    if (message !== undefined) {
      kit.events.record({ about: 'node', type: 'Warning', reason: 'SystemOOM', message });
      return;
    }
    const { victimCgroup, process, pid } = kill;
    kit.logger.info('a cgroup reached its memory limit, a process in it was killed', {
      cgroup: victimCgroup,
      process,
      processId: pid,
    });
    const count = this.#kills.get(victimCgroup) ?? 0;
    this.#kills.delete(victimCgroup);
    this.#kills.set(victimCgroup, count + 1);
    const [oldest] = this.#kills.keys();
    if (this.#kills.size > MAX_CGROUPS && oldest !== undefined) this.#kills.delete(oldest);
  }
}

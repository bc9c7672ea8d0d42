/**
 * Reads the configuration files again when asked to (SIGHUP) and puts those
 * fields in force that a running agent can take over. Files are read and
 * checked as at the start; when something is wrong with them everything stays
 * as it is.
 *
 *   asked ─► load ─► refused? keep the last good ─► plan ─► log each field ─► replace
 */
import type { Clock } from '../../base/async/clock.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import { errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type {
  ConfigurationDifference,
  ConfigurationReport,
  ConfigurationReporter,
} from '../../ports/host/configuration-report.ts';
import type { LoadedConfiguration, LoadOutcome } from '../config/load/load-configuration.ts';
import type { LiveConfiguration } from './live-configuration.ts';
import { planReload, type ReloadPlan } from './plan-reload.ts';

export interface ReloaderParts {
  readonly live: LiveConfiguration;
  /** Reads flags, file and drop-ins as at the start. */
  readonly load: () => LoadOutcome;
  /** What only the machine can say about a configuration; rejects with AgentError. */
  readonly check: (loaded: LoadedConfiguration) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Looked {
  readonly problems: readonly string[];
  readonly plan: ReloadPlan | undefined;
}

export class ConfigurationReloader implements ConfigurationReporter {
  readonly #parts: ReloaderParts;
  readonly #mailbox: Mailbox;

  constructor(parts: ReloaderParts) {
    this.#parts = parts;
    this.#mailbox = new Mailbox(parts.clock);
  }

  /** Reloads soon; asking twice before it began is asking once. */
  ask(): void {
    this.#mailbox.post('reload');
  }

  async run(stop: AbortSignal): Promise<void> {
    for (;;) {
      const { kind } = await this.#mailbox.wait(stop);
      if (kind === 'stopped') return;
      await this.#reload();
    }
  }

  async report(): Promise<ConfigurationReport> {
    const { config, configDir } = this.#parts.live.current.flags;
    const { problems, plan } = await this.#look();
    const sources = [config, configDir].filter((path) => path !== '');
    return { sources, problems, differences: plan?.differences ?? [] };
  }

  async #reload(): Promise<void> {
    const { logger, live } = this.#parts;
    const { problems, plan } = await this.#look();
    if (plan === undefined) {
      for (const problem of problems) logger.error('the configuration was not reloaded', problem);
      logger.warn('keeping the configuration in force', { problems: problems.length });
      return;
    }
    const { differences, next } = plan;
    const applied = differences.filter(({ takes }) => takes === 'reload');
    const waiting = differences.filter(({ takes }) => takes === 'restart');
    for (const { field, running, inFiles } of applied)
      logger.info('setting changed', { field, from: running ?? null, to: inFiles ?? null });
    if (applied.length > 0) live.replace(next);
    this.#warnAboutRestart(waiting);
    logger.info('configuration reloaded', { changed: applied.length, waitForRestart: waiting.length });
  }

  #warnAboutRestart(waiting: readonly ConfigurationDifference[]): void {
    if (waiting.length === 0) return;
    const fields = waiting.map(({ field, because }) =>
      because === undefined ? field : `${field} (${because})`,
    );
    this.#parts.logger.warn('these settings differ from the files and need a restart', {
      fields: fields.join(', '),
    });
  }

  async #look(): Promise<Looked> {
    const { live, load, check } = this.#parts;
    try {
      const outcome = load();
      if (outcome.kind === 'rejected') return { problems: outcome.problems, plan: undefined };
      if (outcome.kind === 'print') return { problems: ['the flags ask for a text'], plan: undefined };
      const plan = planReload(live.current, outcome);
      await check(plan.next);
      return { problems: [], plan };
    } catch (error) {
      return { problems: [errorText(error)], plan: undefined };
    }
  }
}

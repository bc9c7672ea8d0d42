/**
 * The health port (10248), for supervisors of the agent on this host:
 * `/healthz` and a path per check. Upstream runs only the ping check here.
 * A taken port does not end the agent; binding is retried.
 */

import type { Clock } from '../../base/async/clock.ts';
import type { Logger } from '../../base/log.ts';
import { HttpListener } from '../http/http-listener.ts';
import { keepListening } from '../http/keep-listening.ts';
import { type HealthCheck, toHealthRoutes } from './health-check.ts';

export interface HealthzServerSettings {
  readonly address: string;
  readonly port: number;
  readonly checks: readonly HealthCheck[];
  /** Checks with a path of their own that count for `/healthz` only with `verbose`. */
  readonly informationalChecks?: readonly HealthCheck[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Turns a failure to listen into one that says more. */
  readonly explain?: ((error: unknown) => Promise<unknown>) | undefined;
}

const RETRY_MS = 5_000;

export class HealthzServer {
  readonly #settings: HealthzServerSettings;

  constructor(settings: HealthzServerSettings) {
    this.#settings = settings;
  }

  /** Listens until `stop`, retrying while the port is taken. `onListening` gets the port. */
  async run(stop: AbortSignal, onListening?: (port: number) => void): Promise<void> {
    const { clock, log, checks, informationalChecks, explain, ...place } = this.#settings;
    const routes = toHealthRoutes(checks, informationalChecks);
    const listener = new HttpListener({ name: 'healthz', place, routes, kit: { clock, logger: log } });
    const onUnavailable = async (error: unknown): Promise<void> => {
      const explained = explain === undefined ? error : await explain(error);
      log.error('health port is not available, trying again', explained);
    };
    await keepListening({ listener, retryMs: RETRY_MS, clock, onOpen: onListening, onUnavailable }, stop);
  }
}

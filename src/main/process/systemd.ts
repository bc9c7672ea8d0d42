/**
 * Notifications to the service manager: that the kubelet has started and, as
 * long as its health checks pass, that it is alive. Without them in time it
 * restarts the kubelet; containers keep running.
 */
import { notifySystemd } from '../../adapters/systemd/systemd-notifier.ts';
import { type Clock, sleep } from '../../base/async/clock.ts';
import { AgentError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { HealthCheck } from '../../server/health/health-check.ts';

const MIN_TIMEOUT_US = 1_000_000;
const TRIES = 2;
const RETRY_MS = 1_000;

export interface Systemd {
  readonly socket: string;
  /** How often it expects a ping; undefined when it does not watch. */
  readonly watchdogMs?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined when no service manager listens. Throws AgentError for a watchdog that cannot be served. */
export function readSystemd(environment: Environment, pid: number): Systemd | undefined {
  const timeoutUs = readTimeout(environment, pid);
  const { NOTIFY_SOCKET: socket = '' } = environment;
  if (socket === '') return undefined;
  return timeoutUs === undefined ? { socket } : { socket, watchdogMs: timeoutUs / 2_000 };
}

function readTimeout(environment: Environment, pid: number): number | undefined {
  const { WATCHDOG_USEC: timeout = '', WATCHDOG_PID: owner = '' } = environment;
  if (timeout === '') return undefined;
  const timeoutUs = Number(timeout);
  if (!/^\d+$/.test(timeout) || timeoutUs <= 0)
    throw refuse(`WATCHDOG_USEC must be a positive number, got ${JSON.stringify(timeout)}`);
  if (owner !== '' && !/^\d+$/.test(owner))
    throw refuse(`WATCHDOG_PID must be a process id, got ${JSON.stringify(owner)}`);
  if (owner !== '' && Number(owner) !== pid) return undefined;
  if (timeoutUs <= MIN_TIMEOUT_US)
    throw refuse(`timeout too small: ${timeoutUs / 1_000}ms, want more than 1s`);
  return timeoutUs;
}

function refuse(why: string): AgentError {
  return new AgentError('invalid-argument', `configure watchdog: ${why}`);
}

export interface SystemdParts {
  readonly systemd: Systemd;
  readonly checks: readonly HealthCheck[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly notify?: (message: string, signal: AbortSignal) => Promise<void>;
}

/** Sends systemd the start of the kubelet, then watchdog pings while it is healthy, until `stop` aborts. Never rejects. */
export async function runSystemdNotifications(parts: SystemdParts, stop: AbortSignal): Promise<void> {
  const { systemd, clock, logger } = parts;
  await send(parts, 'READY=1', stop);
  if (systemd.watchdogMs === undefined) return;
  logger.info('systemd watchdog enabled', { intervalMs: systemd.watchdogMs });
  while (!stop.aborted) {
    const problem = findProblem(parts.checks);
    if (problem === undefined) await send(parts, 'WATCHDOG=1', stop);
    else logger.error('health check failed, withholding the watchdog ping', new Error(problem));
    await sleep(clock, systemd.watchdogMs, stop);
  }
}

function findProblem(checks: readonly HealthCheck[]): string | undefined {
  for (const { name, check } of checks) {
    const problem = check();
    if (problem !== undefined) return `checker ${name} failed: ${problem}`;
  }
  return undefined;
}

async function send(
  { systemd, clock, logger, notify }: SystemdParts,
  message: string,
  stop: AbortSignal,
): Promise<void> {
  const deliver = notify ?? ((text, signal) => notifySystemd(text, systemd.socket, { signal }));
  for (let attempt = 1; !stop.aborted; attempt++) {
    try {
      await deliver(message, stop);
      return;
    } catch (error) {
      if (stop.aborted) return;
      if (attempt === TRIES) {
        logger.error('cannot notify systemd', error, { message });
        return;
      }
    }
    await sleep(clock, RETRY_MS, stop);
  }
}

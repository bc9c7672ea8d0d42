/**
 * The shutdown of a machine that systemd runs. Logind announces it and waits
 * for its inhibitor locks. A lock is a file descriptor, which Node cannot
 * receive over a socket; and one of our own would go with our process. So a
 * transient unit of systemd holds it: systemd-inhibit(1), which systemd starts
 * and, should it die, starts again.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, sleep } from '../../base/async/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import { computeRetryDelay, type RetryPolicy } from '../../base/async/retry-delay.ts';
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import type { HostShutdown, HostShutdownLink } from '../../ports/host/host-shutdown.ts';
import { replaceFile } from '../linux/files/atomic-file.ts';
import { isOurLock, LOCK_UNIT, toInhibitors, toLockProperties } from './shutdown-lock.ts';
import { type BusObject, SystemBus } from './system-bus.ts';
import { SYSTEMD, toUnitObject } from './systemd-manager.ts';

const LOGIND: BusObject = {
  destination: 'org.freedesktop.login1',
  path: '/org/freedesktop/login1',
  interface: 'org.freedesktop.login1.Manager',
};
const LOGIND_OVERRIDE = '/etc/systemd/logind.conf.d/99-kubelet.conf';
const SIGHUP = 1;
/** The unit takes its lock a moment after systemd has started it. */
const LOCK_ATTEMPTS = 7;
const LOCK_WAIT: RetryPolicy = { initialMs: 50, maxMs: 3_200 };

export interface LogindShutdownParts {
  readonly clock: Clock;
  /** The socket of the system bus. */
  readonly bus: string;
  /** Where logind reads what overrides its configuration. */
  readonly overridePath?: string;
}

export class LogindShutdown implements HostShutdown {
  readonly #parts: LogindShutdownParts;

  constructor(parts: LogindShutdownParts) {
    this.#parts = parts;
  }

  async connect(signal: AbortSignal): Promise<HostShutdownLink> {
    const { clock, bus: path, overridePath = LOGIND_OVERRIDE } = this.#parts;
    const bus = await SystemBus.connect(path, signal);
    try {
      const link = new LogindLink(bus, clock, overridePath);
      await link.listen(signal);
      return link;
    } catch (error) {
      bus[Symbol.dispose]();
      throw error;
    }
  }
}

class LogindLink implements HostShutdownLink {
  readonly #bus: SystemBus;
  readonly #clock: Clock;
  readonly #overridePath: string;
  readonly #changes = new Emitter<[isPending: boolean]>();
  readonly #signals: Mailbox;
  readonly #ended = new AbortController();
  readonly lost: AbortSignal;

  constructor(bus: SystemBus, clock: Clock, overridePath: string) {
    this.#bus = bus;
    this.#clock = clock;
    this.#signals = new Mailbox(clock);
    this.#overridePath = overridePath;
    this.lost = AbortSignal.any([bus.lost, this.#ended.signal]);
  }

  async listen(signal: AbortSignal): Promise<void> {
    const { destination: sender, path, interface: owner } = LOGIND;
    const wanted = { sender, interface: owner, path, member: 'PrepareForShutdown' };
    await this.#bus.subscribe(wanted, () => this.#signals.post(wanted.member), signal);
    void this.#lookAfterSignals();
  }

  subscribe(listener: (isPending: boolean) => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  async readDelayMs(signal: AbortSignal): Promise<number> {
    const delayUs = await this.#bus.readProperty(LOGIND, 'InhibitDelayMaxUSec', signal);
    if (typeof delayUs !== 'bigint')
      throw new AgentError('unknown', 'InhibitDelayMaxUSec from logind is not a uint64 as expected');
    return Number(delayUs) / 1000;
  }

  async raiseDelay(seconds: number, signal: AbortSignal): Promise<void> {
    const path = this.#overridePath;
    const content = `# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=${seconds}\n`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o755 });
      await replaceFile(path, { content, mode: 0o644 });
    } catch (error) {
      const message = `failed writing logind shutdown inhibit override file ${path}: ${errorText(error)}`;
      throw new AgentError('failed-precondition', message, { cause: error });
    }
    await this.#bus.call(SYSTEMD, 'KillUnit', 'ssi', ['systemd-logind.service', 'all', SIGHUP], signal);
  }

  /** Once logind waits no longer it hands over to systemd, which is stopping from then on. */
  async isPending(signal: AbortSignal): Promise<boolean> {
    if ((await this.#bus.readProperty(LOGIND, 'PreparingForShutdown', signal)) === true) return true;
    return (await this.#bus.readProperty(SYSTEMD, 'SystemState', signal)) === 'stopping';
  }

  async takeLock(signal: AbortSignal): Promise<void> {
    if (await this.#isLocked(signal)) return;
    // One that has no lock has failed, or is useless.
    await this.#stopUnit(signal);
    let isStarted = false;
    for (let attempt = 0; attempt < LOCK_ATTEMPTS && !signal.aborted; attempt++) {
      isStarted ||= await this.#startUnit(signal);
      if (isStarted && (await this.#isLocked(signal))) return;
      await sleep(this.#clock, computeRetryDelay(LOCK_WAIT, attempt, 0), signal);
    }
    throw new AgentError(
      'failed-precondition',
      `cannot inhibit the shutdown of the machine: ${JSON.stringify(LOCK_UNIT)} has no lock of logind; its log says why (journalctl -u ${LOCK_UNIT})`,
    );
  }

  async releaseLock(signal: AbortSignal): Promise<void> {
    await this.#stopUnit(signal);
  }

  [Symbol.dispose](): void {
    this.#bus[Symbol.dispose]();
  }

  /**
   * Asks logind itself: any process can have sent the signal. One question
   * after the other: an answer that was overtaken would call off a shutdown.
   */
  async #lookAfterSignals(): Promise<void> {
    try {
      while ((await this.#signals.wait(this.lost)).kind === 'posted')
        this.#changes.emit(await this.isPending(this.lost));
    } catch (error) {
      // The next connection asks again.
      this.#ended.abort(error);
    }
  }

  async #isLocked(signal: AbortSignal): Promise<boolean> {
    const inhibitors = toInhibitors(await this.#bus.call(LOGIND, 'ListInhibitors', '', [], signal));
    for (const inhibitor of inhibitors.filter(isOurLock)) {
      try {
        const unit = await this.#bus.call(SYSTEMD, 'GetUnitByPID', 'u', [inhibitor.pid], signal);
        if (unit === toUnitObject(LOCK_UNIT).path) return true;
      } catch (error) {
        // It ended meanwhile.
        if (!hasCode(error, 'not-found')) throw error;
      }
    }
    return false;
  }

  /** False while its predecessor has not ended. */
  async #startUnit(signal: AbortSignal): Promise<boolean> {
    try {
      const body = [LOCK_UNIT, 'replace', toLockProperties(), []];
      await this.#bus.call(SYSTEMD, 'StartTransientUnit', 'ssa(sv)a(sa(sv))', body, signal);
      return true;
    } catch (error) {
      if (hasCode(error, 'already-exists')) return false;
      throw error;
    }
  }

  async #stopUnit(signal: AbortSignal): Promise<void> {
    try {
      await this.#bus.call(SYSTEMD, 'StopUnit', 'ss', [LOCK_UNIT, 'replace'], signal);
    } catch (error) {
      if (!hasCode(error, 'not-found')) throw error;
    }
  }
}

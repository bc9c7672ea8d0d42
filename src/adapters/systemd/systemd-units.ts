/**
 * Slices of systemd, made, changed and stopped over one connection to the
 * message bus, which is opened with the first of them and again when it was
 * lost. Systemd only queues what it is asked for: the state of a unit says
 * when it is done.
 */
import { stat } from 'node:fs/promises';
import { type Clock, sleep } from '../../base/async/clock.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import { type BusObject, SystemBus } from './system-bus.ts';
import { SYSTEMD, toUnitObject } from './systemd-manager.ts';
import type { UnitProperty } from './systemd-properties.ts';

/** There while systemd is the init of the machine. */
const RUNNING_MARK = '/run/systemd/system';
/** A job of systemd that takes longer has failed. */
const PATIENCE_MS = 30_000;
/** Most jobs are done by the first look. */
const FIRST_WAIT_MS = 2;
const MAX_WAIT_MS = 250;

export type UnitBus = Pick<SystemBus, 'call' | 'readProperty' | 'lost'> & Disposable;

export interface SystemdUnitsParts {
  readonly clock: Clock;
  readonly connect: () => Promise<UnitBus>;
  /** The deadline of a step; default: a real timer. */
  readonly patience?: () => AbortSignal;
}

export class SystemdUnits implements Disposable {
  readonly #parts: SystemdUnitsParts;
  readonly #patience: () => AbortSignal;
  #bus: Promise<UnitBus> | undefined;
  #isOver = false;

  constructor(parts: SystemdUnitsParts) {
    this.#parts = parts;
    this.#patience = parts.patience ?? (() => AbortSignal.timeout(PATIENCE_MS));
  }

  /** Makes a transient unit; one that is there is success. Rejects with AgentError. */
  async start(unit: string, properties: readonly UnitProperty[]): Promise<void> {
    const signal = this.#patience();
    try {
      const body = [unit, 'replace', properties, []];
      await this.#call('start', unit, 'StartTransientUnit', 'ssa(sv)a(sa(sv))', body, signal);
    } catch (error) {
      if (hasCode(error, 'already-exists')) return;
      throw error;
    }
    const state = await this.#whenDone('start', unit, ['active', 'failed'], signal);
    if (state === 'failed')
      throw new AgentError('failed-precondition', `cannot start ${JSON.stringify(unit)}: it has failed`);
  }

  /** Until the next boot. Rejects with AgentError. */
  async set(unit: string, properties: readonly UnitProperty[]): Promise<void> {
    if (properties.length === 0) return;
    const body = [unit, true, properties];
    await this.#call('change', unit, 'SetUnitProperties', 'sba(sv)', body, this.#patience());
  }

  /** One that is not there is success. Rejects with AgentError. */
  async stop(unit: string): Promise<void> {
    const signal = this.#patience();
    try {
      await this.#call('stop', unit, 'StopUnit', 'ss', [unit, 'replace'], signal);
      const state = await this.#whenDone('stop', unit, ['inactive', 'failed'], signal);
      // A failed unit would keep its name taken.
      if (state === 'failed') await this.#call('reset', unit, 'ResetFailedUnit', 's', [unit], signal);
    } catch (error) {
      if (!hasCode(error, 'not-found')) throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#bus?.then(
      (bus) => bus[Symbol.dispose](),
      () => {},
    );
    this.#bus = undefined;
  }

  /** The first of these states that the unit is in; one that systemd does not know any more is inactive. */
  async #whenDone(
    action: string,
    unit: string,
    states: readonly string[],
    signal: AbortSignal,
  ): Promise<string> {
    const object = toUnitObject(unit);
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)) {
      const state = await this.#ask((bus) => readState(bus, object, signal));
      if (states.includes(state)) return state;
      await sleep(this.#parts.clock, waitMs, signal);
      if (signal.aborted)
        throw new AgentError('deadline-exceeded', `cannot ${action} ${JSON.stringify(unit)}: still ${state}`);
    }
  }

  async #call(
    action: string,
    unit: string,
    method: string,
    signature: string,
    body: readonly unknown[],
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.#ask((bus) => bus.call(SYSTEMD, method, signature, body, signal));
    } catch (error) {
      const code = error instanceof AgentError ? error.code : 'unknown';
      const message = `cannot ${action} ${JSON.stringify(unit)}: ${errorText(error)}`;
      throw new AgentError(code, message, { cause: error });
    }
  }

  /** Once more when the connection is lost meanwhile: any process of the machine can break one. */
  async #ask<T>(ask: (bus: UnitBus) => Promise<T>): Promise<T> {
    const bus = await this.#connected();
    try {
      return await ask(bus);
    } catch (error) {
      if (!bus.lost.aborted || this.#isOver) throw error;
      return ask(await this.#connected());
    }
  }

  #connected(): Promise<UnitBus> {
    this.#bus ??= this.#connect();
    return this.#bus;
  }

  async #connect(): Promise<UnitBus> {
    const forget = (): void => {
      this.#bus = undefined;
    };
    try {
      const bus = await this.#parts.connect();
      onAbort(bus.lost, forget);
      return bus;
    } catch (error) {
      forget();
      throw error;
    }
  }
}

async function readState(bus: UnitBus, object: BusObject, signal: AbortSignal): Promise<string> {
  try {
    return String(await bus.readProperty(object, 'ActiveState', signal));
  } catch (error) {
    if (hasCode(error, 'not-found')) return 'inactive';
    throw error;
  }
}

/**
 * The version of the systemd that runs here. Rejects with AgentError when
 * none does, or cannot be asked: half of the cgroups must not be made without it.
 */
export async function requireSystemd(
  connect: () => Promise<UnitBus>,
  mark: string = RUNNING_MARK,
): Promise<number> {
  const cannot = 'cannot use the cgroup driver "systemd"';
  const isRunning = await stat(mark).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  if (!isRunning)
    throw new AgentError(
      'failed-precondition',
      `${cannot}: systemd does not run here (there is no ${mark}); set cgroupDriver: cgroupfs here and in the container runtime, or start under systemd`,
    );
  let text: unknown;
  try {
    using bus = await connect();
    text = await bus.readProperty(SYSTEMD, 'Version', AbortSignal.timeout(PATIENCE_MS));
  } catch (error) {
    throw new AgentError('failed-precondition', `${cannot}: ${errorText(error)}`, { cause: error });
  }
  const version = Number(/^v?(\d+)/.exec(String(text))?.[1]);
  if (!Number.isInteger(version))
    throw new AgentError('failed-precondition', `${cannot}: it does not report its version`);
  return version;
}

/** A connection for units; `path` is the socket of the bus. */
export function toUnitBus(path: string): () => Promise<UnitBus> {
  return () => SystemBus.connect(path, AbortSignal.timeout(PATIENCE_MS));
}

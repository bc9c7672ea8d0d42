/**
 * Slices of systemd, made, changed and stopped through its own programs:
 * busctl(1) for what needs D-Bus types, systemctl(1) for what has to be waited
 * for. Started with argument lists, never through a shell.
 */
import { stat } from 'node:fs/promises';
import { AgentError } from '../../base/errors.ts';
import { runProgram } from '../linux/program/run-program.ts';
import type { UnitProperty } from './systemd-properties.ts';

/** There while systemd is the init of the machine. */
const RUNNING_MARK = '/run/systemd/system';
/** A job of systemd that takes longer has failed. */
const PATIENCE_MS = 30_000;
const MANAGER = [
  'org.freedesktop.systemd1',
  '/org/freedesktop/systemd1',
  'org.freedesktop.systemd1.Manager',
] as const;

export interface SystemdUnitsParts {
  readonly run?: typeof runProgram;
  /** The deadline of a start; default: a real timer. */
  readonly startPatience?: () => AbortSignal;
}

export class SystemdUnits {
  readonly #run: typeof runProgram;
  readonly #startPatience: () => AbortSignal;

  constructor({
    run = runProgram,
    startPatience = () => AbortSignal.timeout(PATIENCE_MS),
  }: SystemdUnitsParts = {}) {
    this.#run = run;
    this.#startPatience = startPatience;
  }

  /** Makes a transient unit; one that is there is success. Rejects with AgentError. */
  async start(unit: string, properties: readonly UnitProperty[]): Promise<void> {
    const signal = this.#startPatience();
    try {
      const args = [unit, 'replace', ...toWords(properties), '0'];
      await this.#call('start', unit, 'StartTransientUnit', 'ssa(sv)a(sa(sv))', args, signal);
    } catch (error) {
      if (error instanceof AgentError && /already (exists|loaded)|UnitExists/.test(error.message)) return;
      throw error;
    }
    // The call only queues a job; this waits for its end.
    await this.#run('systemctl', ['start', '--', unit], 'start', unit, { signal });
  }

  /** Until the next boot. Rejects with AgentError. */
  async set(unit: string, properties: readonly UnitProperty[]): Promise<void> {
    if (properties.length === 0) return;
    const args = [unit, 'true', ...toWords(properties)];
    await this.#call('change', unit, 'SetUnitProperties', 'sba(sv)', args, this.#startPatience());
  }

  /** One that is not there is success. Rejects with AgentError. */
  async stop(unit: string): Promise<void> {
    const signal = this.#startPatience();
    try {
      await this.#run('systemctl', ['stop', '--', unit], 'stop', unit, { signal });
    } catch (error) {
      if (!(error instanceof AgentError) || !/not loaded/.test(error.message)) throw error;
    }
    // A failed unit would keep its name taken; most are not failed.
    await this.#run('systemctl', ['reset-failed', '--', unit], 'reset', unit, { signal }).catch(() => {});
  }

  async #call(
    action: string,
    unit: string,
    method: string,
    signature: string,
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    // Without the dashes a value that begins with one, such as the root slice, would be an option.
    const words = ['--', 'call', ...MANAGER, method, signature, ...args];
    await this.#run('busctl', words, action, unit, { signal });
  }
}

/**
 * The version of the systemd that runs here. Rejects with AgentError when
 * none does: half of the cgroups must not be made without it.
 */
export async function requireSystemd(
  run: typeof runProgram = runProgram,
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
  const text = await run('systemctl', ['--version'], 'ask the version of', 'systemd');
  const version = Number(/^systemd (\d+)/.exec(text)?.[1]);
  if (!Number.isInteger(version))
    throw new AgentError('failed-precondition', `${cannot}: systemctl does not report its version`);
  return version;
}

/** An array of `(sv)`: how many, then each with the type of its value. */
function toWords(properties: readonly UnitProperty[]): string[] {
  return [String(properties.length), ...properties.flat()];
}

/** What the configuration keeps from pods, after the flags and fields that change it, and what it does not put up with. */
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import { AgentError } from '../../base/errors.ts';
import { NO_CPUS, parseCpuSet } from '../../core/cpus/cpu-set.ts';
import {
  computeReserved,
  findOverReservation,
  type ReservationSettings,
} from '../../core/node-status/node-resources.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';

/** CPUs that are kept by number count as the system's, and nothing else is kept of CPU. */
export function toReservations({
  config,
  flags,
}: Pick<LoadedConfiguration, 'config' | 'flags'>): ReservationSettings {
  const { systemReserved, kubeReserved, evictionHard } = config;
  const cpus = parseCpuSet(config.reservedSystemCPUs) ?? NO_CPUS;
  const { cpu: _cpu, ...kubeWithoutCpu } = kubeReserved;
  return {
    systemReserved: cpus.size === 0 ? systemReserved : { ...systemReserved, cpu: String(cpus.size) },
    kubeReserved: cpus.size === 0 ? kubeReserved : kubeWithoutCpu,
    evictionHard: flags.experimentalAllocatableIgnoreEviction ? {} : evictionHard,
  };
}

/** Throws AgentError when there is swap and that was not said to be all right. */
export function checkSwap(
  { config }: Pick<LoadedConfiguration, 'config'>,
  { swapBytes }: Pick<MachineFacts, 'swapBytes'>,
): void {
  if (swapBytes === 0 || !config.failSwapOn) return;
  const message =
    'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false';
  throw new AgentError('failed-precondition', message);
}

/** Throws AgentError when more is kept than the machine has: no pod could ever run. */
export function checkReservations(loaded: LoadedConfiguration, { capacity, hugepages }: MachineFacts): void {
  const machine = { ...capacity, hugepages };
  const problem = findOverReservation(machine, computeReserved(toReservations(loaded), machine));
  if (problem === undefined) return;
  const { name, reserved, total } = problem;
  const what = `Resource "${name}" has a reservation of ${reserved} but capacity of ${total}.`;
  const message = `invalid Node Allocatable configuration. ${what} Expected capacity >= reservation.`;
  throw new AgentError('invalid-argument', message);
}

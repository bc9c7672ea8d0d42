import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load/load-configuration.ts';
import { checkReservations, checkSwap, toReservations } from './reservations.ts';

const GIB = 2 ** 30;
const MACHINE = {
  capacity: { cpuCount: 4, memoryBytes: 2 * GIB, ephemeralStorageBytes: 9 * GIB },
  hugepages: [],
} as unknown as MachineFacts;

function load(...argv: string[]): LoadedConfiguration {
  const noFiles = (path: string): never => {
    throw new Error(`no such file: ${path}`);
  };
  const io = { cwd: '/', cgroupVersion: 2, readFile: noFiles, readDir: noFiles } as const;
  const outcome = loadConfiguration(argv, io);
  assert.equal(outcome.kind, 'loaded', JSON.stringify(outcome));
  return outcome as LoadedConfiguration;
}

describe('toReservations', () => {
  it('counts CPUs that are kept by number as the system’s, instead of all other CPU that is kept', () => {
    const reservations = toReservations(
      load(
        '--reserved-cpus=0,2-3',
        '--kube-reserved=cpu=500m,memory=1Gi',
        '--system-reserved=cpu=1,memory=2Gi',
      ),
    );
    assert.deepEqual(reservations.systemReserved, { cpu: '3', memory: '2Gi' });
    assert.deepEqual(reservations.kubeReserved, { memory: '1Gi' });
  });

  it('leaves the eviction thresholds out when so configured', () => {
    const eviction = '--eviction-hard=memory.available<200Mi';
    assert.equal(toReservations(load(eviction)).evictionHard['memory.available'], '200Mi');
    const without = load(eviction, '--experimental-allocatable-ignore-eviction');
    assert.deepEqual(toReservations(without).evictionHard, {});
  });
});

describe('checkSwap', () => {
  it('refuses a machine with swap, unless that is allowed', () => {
    checkSwap(load(), { swapBytes: 0 });
    checkSwap(load('--fail-swap-on=false'), { swapBytes: 1 });
    assert.throws(() => checkSwap(load(), { swapBytes: 1 }), /^AgentError: running with swap on is not supp/);
  });
});

describe('checkReservations', () => {
  it('refuses to keep more than the machine has, and says of what', () => {
    checkReservations(load('--kube-reserved=memory=1Gi', '--system-reserved=cpu=4'), MACHINE);
    const eviction = '--eviction-hard=memory.available<512Mi';
    assert.throws(
      () => checkReservations(load('--kube-reserved=memory=1792Mi', eviction), MACHINE),
      /^AgentError: invalid Node Allocatable configuration\. Resource "memory" has a reservation of 2304Mi but capacity of 2Gi\. Expected capacity >= reservation\.$/,
    );
    checkReservations(
      load('--kube-reserved=memory=1792Mi', eviction, '--experimental-allocatable-ignore-eviction'),
      MACHINE,
    );
  });
});

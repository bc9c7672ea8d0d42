/**
 * Rules on what the node gives away and keeps: cgroups, reservations, CPU/memory/topology policies, eviction.
 * One family of `validate-configuration.ts`.
 */

import type { StringMap } from '../../../core/api/meta.ts';
import { isWholeQuantity, type Quantity, tryParseQuantity } from '../../../core/api/quantity.ts';
import { parseCpuSet } from '../../../core/cpus/cpu-set.ts';
import { isHugePages } from '../../../core/resources/hugepages.ts';
import {
  field,
  oneOfRule,
  quoteAll,
  type Rule,
  type ValidationContext,
  type Violation,
  when,
} from '../configuration-rule.ts';
import type { KubeletConfiguration } from '../kubelet-configuration.ts';
import { parseDuration } from '../parse-duration.ts';
import { validateCpuManagerOptions, validateTopologyOptions } from './validate-policy-options.ts';

const ENFORCEMENTS: readonly string[] = [
  'none',
  'pods',
  'system-reserved',
  'system-reserved-compressible',
  'kube-reserved',
  'kube-reserved-compressible',
];
const RESERVABLE: readonly string[] = ['cpu', 'memory', 'ephemeral-storage', 'pid'];
const EVICTION_SIGNALS: readonly string[] = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
];

export const RESOURCE_RULES: readonly Rule[] = [
  when('systemCgroups', ({ systemCgroups, cgroupRoot }) =>
    systemCgroups !== '' && cgroupRoot === '' ? 'requires cgroupRoot to be set' : undefined,
  ),
  validateEnforcement,
  validateReservationCgroups,
  (config) => validateReservation('systemReserved', config.systemReserved),
  (config) => validateReservation('kubeReserved', config.kubeReserved),
  field('reservedSystemCPUs', (value) =>
    value === '' || parseCpuSet(String(value)) !== undefined
      ? undefined
      : 'must be a CPU list such as "0-3,7"',
  ),
  when('reservedSystemCPUs', (config) =>
    config.reservedSystemCPUs !== '' &&
    (config.systemReservedCgroup !== '' || config.kubeReservedCgroup !== '')
      ? 'cannot be used with systemReservedCgroup or kubeReservedCgroup'
      : undefined,
  ),
  validateReservedMemory,
  validateQosReserved,
  oneOfRule('cpuManagerPolicy', ['none', 'static']),
  validateCpuManagerOptions,
  oneOfRule('memoryManagerPolicy', ['None', 'Static']),
  oneOfRule('topologyManagerPolicy', ['none', 'best-effort', 'restricted', 'single-numa-node']),
  oneOfRule('topologyManagerScope', ['container', 'pod']),
  validateTopologyOptions,
  field('memoryThrottlingFactor', (value) =>
    Number(value) > 0 && Number(value) <= 1 ? undefined : 'must be greater than 0 and at most 1.0',
  ),
  oneOfRule('memoryReservationPolicy', ['None', 'TieredReservation']),
  when('memoryReservationPolicy', ({ memoryReservationPolicy }, { gates }) =>
    memoryReservationPolicy === 'TieredReservation' && !gates.enabled('MemoryQoS')
      ? 'requires feature gate MemoryQoS'
      : undefined,
  ),
  field('containerLogMaxSize', (value) => {
    const size = tryParseQuantity(String(value));
    return size !== undefined && isWholeQuantity(size)
      ? undefined
      : 'must be a quantity of whole bytes, such as "10Mi"';
  }),
  (config) => validateThresholds('evictionHard', config.evictionHard, isThreshold),
  (config) => validateThresholds('evictionSoft', config.evictionSoft, isThreshold),
  (config) => validateThresholds('evictionMinimumReclaim', config.evictionMinimumReclaim, isReclaim),
  validateSoftGrace,
];

function validateEnforcement({ enforceNodeAllocatable: names, cgroupsPerQOS }: KubeletConfiguration) {
  const violations: Violation[] = names.flatMap((value, index) => {
    const path = `enforceNodeAllocatable[${index}]`;
    if (names.indexOf(value) !== index) return [{ path, value, message: 'must not be repeated' }];
    const message = `must be one of ${quoteAll(ENFORCEMENTS)}`;
    return ENFORCEMENTS.includes(value) ? [] : [{ path, value, message }];
  });
  const complain = (message: string): void => {
    violations.push({ path: 'enforceNodeAllocatable', value: names, message });
  };
  if (names.includes('none') && names.length > 1) complain('must not contain anything else beside "none"');
  for (const name of ['system-reserved', 'kube-reserved']) {
    if (names.includes(name) && names.includes(`${name}-compressible`)) {
      complain(`must not contain both "${name}" and "${name}-compressible"`);
    }
  }
  if (!cgroupsPerQOS && names.some((name) => name !== 'none')) {
    const message = 'must be true unless enforceNodeAllocatable is empty or "none"';
    violations.push({ path: 'cgroupsPerQOS', value: cgroupsPerQOS, message });
  }
  return violations;
}

function validateReservationCgroups(config: KubeletConfiguration): readonly Violation[] {
  const needs = [
    ['systemReservedCgroup', 'system-reserved'],
    ['kubeReservedCgroup', 'kube-reserved'],
  ] as const;
  return needs.flatMap(([path, name]) => {
    const used = [name, `${name}-compressible`].find((key) => config.enforceNodeAllocatable.includes(key));
    if (used === undefined || config[path] !== '') return [];
    return [{ path, value: '', message: `must be set when enforceNodeAllocatable contains "${used}"` }];
  });
}

function validateReservation(field: string, reservation: StringMap): readonly Violation[] {
  return Object.entries(reservation).flatMap(([name, value]) => {
    const path = `${field}.${name}`;
    if (!RESERVABLE.includes(name)) {
      return [{ path, value, message: `is not reservable: the resources are ${RESERVABLE.join(', ')}` }];
    }
    const quantity = tryParseQuantity(value);
    const message = 'must be a quantity of at least 0, such as "500m" or "1Gi"';
    return quantity === undefined || quantity.nanos < 0n ? [{ path, value, message }] : [];
  });
}

function validateReservedMemory({ reservedMemory }: KubeletConfiguration): readonly Violation[] {
  const seen = new Set<string>();
  return reservedMemory.flatMap(({ numaNode, limits }, index) =>
    Object.entries(limits).flatMap(([type, value]): Violation[] => {
      const path = `reservedMemory[${index}].limits.${type}`;
      const key = `${numaNode}/${type}`;
      const repeated = seen.has(key);
      seen.add(key);
      if (repeated) return [{ path, value, message: `must not be repeated for NUMA node ${numaNode}` }];
      if (type !== 'memory' && !isHugePages(type)) {
        return [{ path, value, message: 'must be of type memory or hugepages-<size>' }];
      }
      return tryParseQuantity(value)?.nanos === 0n ? [{ path, value, message: 'must not be zero' }] : [];
    }),
  );
}

function validateQosReserved(
  { qosReserved }: KubeletConfiguration,
  { gates }: ValidationContext,
): readonly Violation[] {
  return Object.entries(qosReserved).flatMap(([name, value]): Violation[] => {
    const path = `qosReserved.${name}`;
    if (!gates.enabled('QOSReserved')) return [{ path, value, message: 'requires feature gate QOSReserved' }];
    if (name !== 'memory') return [{ path, value, message: 'is not supported: only memory is' }];
    return isPercent(value) ? [] : [{ path, value, message: 'must be a percentage between 0% and 100%' }];
  });
}

function validateThresholds(field: string, map: StringMap, accepts: (value: string) => boolean) {
  return Object.entries(map).flatMap(([signal, value]): Violation[] => {
    const path = `${field}.${signal}`;
    if (!EVICTION_SIGNALS.includes(signal)) {
      return [
        { path, value, message: `is not an eviction signal: must be one of ${EVICTION_SIGNALS.join(', ')}` },
      ];
    }
    const message = 'must be a positive quantity or a percentage between 0% and 100%';
    return accepts(value) ? [] : [{ path, value, message }];
  });
}

function validateSoftGrace({ evictionSoft, evictionSoftGracePeriod: grace }: KubeletConfiguration) {
  const missing = Object.keys(evictionSoft)
    .filter((signal) => !Object.hasOwn(grace, signal))
    .map((signal): Violation => {
      return {
        path: `evictionSoftGracePeriod.${signal}`,
        message: 'must be set: the soft threshold needs a grace period',
      };
    });
  const bad = Object.entries(grace).flatMap(([signal, value]): Violation[] => {
    const path = `evictionSoftGracePeriod.${signal}`;
    if (!EVICTION_SIGNALS.includes(signal)) {
      return [
        { path, value, message: `is not an eviction signal: must be one of ${EVICTION_SIGNALS.join(', ')}` },
      ];
    }
    const period = parseDuration(value);
    const valid = period !== undefined && !period.startsWith('-');
    return valid ? [] : [{ path, value, message: 'must be a duration of at least 0s, such as "1m30s"' }];
  });
  return [...missing, ...bad];
}

function isThreshold(value: string): boolean {
  return value.endsWith('%') ? isPercent(value) : positive(tryParseQuantity(value));
}

function isReclaim(value: string): boolean {
  const quantity = tryParseQuantity(value);
  return value.endsWith('%') ? isPercent(value) : quantity !== undefined && quantity.nanos >= 0n;
}

function positive(quantity: Quantity | undefined): boolean {
  return quantity !== undefined && quantity.nanos > 0n;
}

function isPercent(value: string): boolean {
  const match = /^\+?(\d+\.?\d*|\.\d+)%$/.exec(value);
  return match !== null && Number(match[1]) <= 100;
}

/**
 * Rules on the option maps of the CPU and topology managers: which options exist, at which maturity, and which
 * exclude each other. One family of `validate-configuration.ts`.
 */

import type { Rule, Violation } from '../configuration-rule.ts';
import type { FeatureName } from '../features.ts';
import { parseBoolean } from '../parse-boolean.ts';

const CPU_OPTIONS: Readonly<Record<string, FeatureName | undefined>> = {
  'full-pcpus-only': undefined,
  'strict-cpu-reservation': undefined,
  'prefer-align-cpus-by-uncorecache': undefined,
  'distribute-cpus-across-numa': 'CPUManagerPolicyBetaOptions',
  'align-by-socket': 'CPUManagerPolicyAlphaOptions',
  'distribute-cpus-across-cores': 'CPUManagerPolicyAlphaOptions',
};

const CPU_CONFLICTS: ReadonlyArray<readonly [string, string]> = [
  ['distribute-cpus-across-cores', 'full-pcpus-only'],
  ['distribute-cpus-across-cores', 'distribute-cpus-across-numa'],
  ['distribute-cpus-across-cores', 'prefer-align-cpus-by-uncorecache'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-numa'],
];

export const validateCpuManagerOptions: Rule = ({ cpuManagerPolicyOptions: options }, { gates }) => {
  const violations = Object.entries(options).flatMap(([name, value]): Violation[] => {
    const path = `cpuManagerPolicyOptions.${name}`;
    if (!Object.hasOwn(CPU_OPTIONS, name)) {
      return [{ path, value, message: `is unknown: the options are ${Object.keys(CPU_OPTIONS).join(', ')}` }];
    }
    const gate = CPU_OPTIONS[name];
    if (gate !== undefined && !gates.enabled(gate))
      return [{ path, value, message: `requires feature gate ${gate}` }];
    return parseBoolean(value) !== undefined ? [] : [{ path, value, message: 'must be true or false' }];
  });
  const on = (name: string): boolean => parseBoolean(options[name] ?? '') === true;
  const conflicts = CPU_CONFLICTS.filter(([a, b]) => on(a) && on(b)).map(
    ([a, b]): Violation => ({
      path: `cpuManagerPolicyOptions.${a}`,
      value: options[a] ?? '',
      message: `cannot be combined with ${b}`,
    }),
  );
  return [...violations, ...conflicts];
};

export const validateTopologyOptions: Rule = ({ topologyManagerPolicyOptions: options }) =>
  Object.entries(options).flatMap(([name, value]): Violation[] => {
    const path = `topologyManagerPolicyOptions.${name}`;
    switch (name) {
      case 'prefer-closest-numa-nodes':
        return parseBoolean(value) !== undefined ? [] : [{ path, value, message: 'must be true or false' }];
      case 'max-allowable-numa-nodes':
        return /^\d+$/.test(value) && Number(value) >= 8
          ? []
          : [{ path, value, message: 'must be at least 8' }];
      default: {
        const message = 'is unknown: the options are prefer-closest-numa-nodes, max-allowable-numa-nodes';
        return [{ path, value, message }];
      }
    }
  });

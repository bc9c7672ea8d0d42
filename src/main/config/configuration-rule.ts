/**
 * What a validation rule is, and the handful of shapes most rules have.
 * The tables in `validate-*.ts` are built from these; `validate-configuration.ts` runs them.
 * Invariant: a rule reports, it never throws, and it looks only at its arguments.
 */

import { CONFIG_FLAGS } from './config-flags.ts';
import type { FeatureGates } from './features.ts';
import { type JsonValue, valueAt } from './json-value.ts';
import type { ConfigPath, KubeletConfiguration } from './kubelet-configuration.ts';
import { type Duration, durationMs } from './parse-duration.ts';

/** One broken rule. `message` says what is allowed and reads on from the value: "must be between 1 and 5". */
export interface Violation {
  /** Field path, with list index or map key where it applies. */
  readonly path: string;
  /** The offending value; absent when the fault is that there is none. */
  readonly value?: JsonValue;
  readonly message: string;
}

/** What the rules need to know besides the configuration. */
export interface ValidationContext {
  readonly gates: FeatureGates;
  /** True when there is no kubeconfig, hence no API server. */
  readonly standalone: boolean;
  /** Version of the host's cgroup hierarchy; absent when it is not known (or the host is not Linux). */
  readonly cgroupVersion?: 1 | 2 | undefined;
}

export type Rule = (config: KubeletConfiguration, context: ValidationContext) => readonly Violation[];

/** Prints a violation as one line: field, its flag, value, complaint. */
export function renderViolation(violation: Violation): string {
  const flag = CONFIG_FLAGS.find(([, path]) => path === violation.path)?.[0];
  const subject = flag === undefined ? violation.path : `${violation.path} (--${flag})`;
  const value = violation.value === undefined ? '' : ` ${JSON.stringify(violation.value)}`;
  return `invalid configuration: ${subject}${value} ${violation.message}`;
}

/** A rule on one field that is checked only when the field has a value. */
export function field(path: ConfigPath, complain: (value: JsonValue) => string | undefined): Rule {
  return (config) => {
    const value = valueAt(config, path);
    const message = value === undefined ? undefined : complain(value);
    return message === undefined || value === undefined ? [] : [{ path, value, message }];
  };
}

/** A rule on one field that also looks elsewhere. */
export function when(
  path: ConfigPath,
  complain: (config: KubeletConfiguration, context: ValidationContext) => string | undefined,
): Rule {
  return (config, context) => {
    const message = complain(config, context);
    if (message === undefined) return [];
    const value = valueAt(config, path);
    return [value === undefined ? { path, message } : { path, value, message }];
  };
}

export function between(path: ConfigPath, min: number, max: number): Rule {
  return field(path, (value) =>
    typeof value === 'number' && value >= min && value <= max
      ? undefined
      : `must be between ${min} and ${max}, inclusive`,
  );
}

export function atLeast(path: ConfigPath, min: number): Rule {
  return field(path, (value) =>
    typeof value === 'number' && value >= min ? undefined : `must be at least ${min}`,
  );
}

export function oneOfRule(path: ConfigPath, allowed: readonly string[]): Rule {
  return field(path, (value) =>
    typeof value === 'string' && allowed.includes(value) ? undefined : `must be one of ${quoteAll(allowed)}`,
  );
}

/** A rule on a duration, given in milliseconds. */
export function duration(path: ConfigPath, allowed: (ms: number) => boolean, range: string): Rule {
  return field(path, (value) => (allowed(durationMs(value as Duration)) ? undefined : `must be ${range}`));
}

export function quoteAll(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(', ');
}

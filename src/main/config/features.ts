/**
 * Feature gates: parsing "Gate=true" maps, checking them against the table and looking a gate up.
 * The configuration loader builds the one `FeatureGates` of the process; everyone else only reads it.
 * Invariants: an explicit setting beats AllAlpha/AllBeta; a locked gate always has its default; no gate is
 * on while a gate it depends on is off.
 */
import { setOwnValue } from '../../base/own-value.ts';
import { renderGuess } from '../../core/manifest/field/suggest-name.ts';
import {
  FEATURE_GATES,
  type FeatureName,
  GATE_DEPENDENCIES,
  type GateSpec,
  type GateStage,
} from './feature-table.ts';

export type { FeatureName, GateStage } from './feature-table.ts';

/** Readonly view of the gates in force. */
export interface FeatureGates {
  enabled(name: FeatureName): boolean;
  /** Every known gate with its stage and state, sorted by name (for the feature metric). */
  list(): readonly GateState[];
}

export interface GateState {
  readonly name: FeatureName;
  readonly stage: GateStage;
  readonly enabled: boolean;
}

/** One thing wrong with one gate. */
export interface GateProblem {
  readonly gate: string;
  readonly value: boolean;
  readonly message: string;
}

export interface GateResolution {
  /** In force as far as the settings allow; with problems the offending settings are left out. */
  readonly gates: FeatureGates;
  readonly problems: readonly GateProblem[];
  /** GA and deprecated gates that were set explicitly: they will go away. */
  readonly warnings: readonly string[];
}

/**
 * Resolves explicit settings against the table. All problems are reported at once; dependencies are only
 * checked when the settings themselves are sound, since a refused setting would make those reports wrong.
 */
export function resolveFeatureGates(settings: Readonly<Record<string, boolean>>): GateResolution {
  const problems: GateProblem[] = [];
  const warnings: string[] = [];
  const explicit = new Map<FeatureName, boolean>();
  for (const [gate, value] of Object.entries(settings)) {
    if (!isFeatureName(gate)) {
      problems.push({
        gate,
        value,
        message: `unrecognized feature gate: ${gate}${renderGuess(gate, featureNames())}`,
      });
      continue;
    }
    const spec: GateSpec = FEATURE_GATES[gate];
    if (spec.locked && spec.default !== value) {
      const message = `cannot set feature gate ${gate} to ${value}, feature is locked to ${spec.default}`;
      problems.push({ gate, value, message });
      continue;
    }
    explicit.set(gate, value);
    const warning = removalWarning(gate, spec.stage, value);
    if (warning !== undefined) warnings.push(warning);
  }
  const state = computeState(explicit);
  if (problems.length === 0) problems.push(...dependencyProblems(state));
  return { gates: gatesOf(state), problems, warnings };
}

export type ParsedFeatureGates =
  | { readonly ok: true; readonly settings: Readonly<Record<string, boolean>> }
  | { readonly ok: false; readonly message: string };

const TRUE_WORDS = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE_WORDS = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** Parses the flag form `Gate=true,Other=false`; it does not ask whether the gates exist. */
export function parseFeatureGates(text: string): ParsedFeatureGates {
  const settings: Record<string, boolean> = {};
  for (const item of text.split(',')) {
    if (item === '') continue;
    const at = item.indexOf('=');
    if (at < 0) return { ok: false, message: `missing bool value for ${item}: want Gate=true or Gate=false` };
    const [name, word] = [item.slice(0, at).trim(), item.slice(at + 1).trim()];
    if (!TRUE_WORDS.has(word) && !FALSE_WORDS.has(word)) {
      return { ok: false, message: `invalid value of ${name}: ${word}: want true or false` };
    }
    setOwnValue(settings, name, TRUE_WORDS.has(word));
  }
  return { ok: true, settings };
}

/** One line per gate for --help: `Name=true|false (STAGE - default=…)`; locked and GA gates are left out. */
export function describeFeatureGates(): readonly string[] {
  return featureNames()
    .map((name): [FeatureName, GateSpec] => [name, FEATURE_GATES[name]])
    .filter(([, spec]) => !spec.locked && (spec.stage === 'ALPHA' || spec.stage === 'BETA'))
    .map(([name, spec]) => `${name}=${spec.default} (${spec.stage})`);
}

function featureNames(): readonly FeatureName[] {
  return Object.keys(FEATURE_GATES) as FeatureName[];
}

function isFeatureName(name: string): name is FeatureName {
  return Object.hasOwn(FEATURE_GATES, name);
}

function removalWarning(gate: string, stage: GateStage, value: boolean): string | undefined {
  if (stage === 'GA')
    return `setting GA feature gate ${gate}=${value}: it will be removed in a future release`;
  if (stage !== 'DEPRECATED') return undefined;
  return `setting deprecated feature gate ${gate}=${value}: it will be removed in a future release`;
}

function computeState(explicit: ReadonlyMap<FeatureName, boolean>): ReadonlyMap<FeatureName, boolean> {
  const state = new Map<FeatureName, boolean>();
  for (const name of featureNames()) {
    const spec: GateSpec = FEATURE_GATES[name];
    const group = spec.stage === 'ALPHA' ? 'AllAlpha' : spec.stage === 'BETA' ? 'AllBeta' : undefined;
    const groupValue = group === undefined || spec.locked || name === group ? undefined : explicit.get(group);
    state.set(name, explicit.get(name) ?? groupValue ?? spec.default);
  }
  return state;
}

function dependencyProblems(state: ReadonlyMap<FeatureName, boolean>): readonly GateProblem[] {
  return featureNames().flatMap((gate): GateProblem[] => {
    if (state.get(gate) !== true) return [];
    const off = (GATE_DEPENDENCIES[gate] ?? []).filter((name) => state.get(name) !== true);
    if (off.length === 0) return [];
    const message = `${gate} is enabled, but depends on features that are disabled: [${off.join(' ')}]`;
    return [{ gate, value: true, message }];
  });
}

function gatesOf(state: ReadonlyMap<FeatureName, boolean>): FeatureGates {
  return {
    enabled: (name) => state.get(name) ?? false,
    list: () =>
      [...state]
        .map(([name, enabled]) => ({ name, stage: FEATURE_GATES[name].stage, enabled }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

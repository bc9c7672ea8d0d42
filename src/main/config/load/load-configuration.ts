/**
 * From argv to the effective configuration: flags > drop-ins > --config file > defaults.
 * The first thing `main.ts` does; everything it needs from outside comes as an argument.
 * Order: parse argv, help/version, gates and flag rules, file, drop-ins, argv again, gates, validation.
 * Invariant: the outcome is a value; a refusal lists every problem found, not only the first.
 */
import { renderGuess } from '../../../core/manifest/field/suggest-name.ts';
import { isVerb, VERBS } from '../cli/cli-verbs.ts';
import { CONFIG_PATHS } from '../config-fields.ts';
import { renderViolation } from '../configuration-rule.ts';
import { applyDefaults, applyLegacyDefaults } from '../default-configuration.ts';
import { type FeatureGates, resolveFeatureGates } from '../features.ts';
import { type ParsedFlags, parseFlags } from '../flags.ts';
import { type JsonObject, valueAt, withValueAt } from '../json-value.ts';
import type { ConfigPath, KubeletConfiguration } from '../kubelet-configuration.ts';
import { type Duration, durationMs } from '../parse-duration.ts';
import type { ProcessFlags } from '../process-flags.ts';
import { validateConfiguration } from '../validate/validate-configuration.ts';
import { validateProcessFlags } from '../validate/validate-flags.ts';
import { KUBERNETES_VERSION, REPORTED_VERSION } from '../version.ts';
import { renderHelp, renderRawVersion, renderVersion } from './help.ts';
import { type ConfigurationFiles, type GateSettings, loadConfigFile, setPaths } from './load-config-file.ts';
import { loadDropIns } from './load-drop-ins.ts';
import { type ConfigurationNotice, type FailureExitCode, LoadFindings } from './load-findings.ts';
import { warnAboutIgnoredValues, warnAboutUnhonoured } from './warn-about-settings.ts';

/** What loading needs from the host. */
export interface LoadHost extends ConfigurationFiles {
  /** Of the terminal; absent when there is none. */
  readonly columns?: number | undefined;
  /** Absent when unknown: rules about the cgroup version are then not checked. */
  readonly cgroupVersion?: 1 | 2 | undefined;
}

export interface LoadedConfiguration {
  readonly kind: 'loaded';
  readonly flags: ProcessFlags;
  readonly config: KubeletConfiguration;
  readonly features: FeatureGates;
  /** The version to report: ours, or what --version=vX.Y.Z… asked for. */
  readonly version: string;
  readonly parsedFlags: ParsedFlags;
  readonly warnings: readonly ConfigurationNotice[];
}

export interface PrintAndExit {
  readonly kind: 'print';
  readonly text: string;
  readonly exitCode: 0;
  readonly warnings: readonly ConfigurationNotice[];
}

export interface RejectedConfiguration {
  readonly kind: 'rejected';
  readonly exitCode: FailureExitCode;
  readonly problems: readonly string[];
  /** All problems as one text: `e1`, or `[e1, e2, …]`. */
  readonly message: string;
  readonly warnings: readonly ConfigurationNotice[];
}

export type LoadOutcome = LoadedConfiguration | PrintAndExit | RejectedConfiguration;

/** Loads everything; `argv` is without the program name. Never throws for bad input. */
export function loadConfiguration(argv: readonly string[], host: LoadHost): LoadOutcome {
  const findings = new LoadFindings();
  const parsed = parseFlags(argv);
  for (const line of parsed.deprecations) findings.notice('deprecated-flag', line);
  for (const problem of parsed.problems) findings.refuse(`failed to parse kubelet flag: ${problem}`);
  const version = checkVersion(parsed.version, findings);
  // After a flag that could not be read, a stray word is probably its value: do not blame the word too.
  const [stray] = parsed.positionals;
  if (stray !== undefined && !findings.refused)
    findings.refuse(
      isVerb(stray)
        ? `the command "${stray}" comes before all flags; see kubelet ${stray} --help`
        : `unknown command ${stray}${renderGuess(stray, VERBS)}; see kubelet --help`,
    );
  if (findings.refused) return rejected(findings);
  const text = textToPrint(parsed, host.columns);
  if (text !== undefined) return { kind: 'print', text, exitCode: 0, warnings: findings.notices };

  const argvGates = checkArgvGates(parsed, findings);
  for (const problem of validateProcessFlags(parsed.process)) findings.refuse(problem);
  const layers = loadLayers(parsed, host, argvGates, findings);
  if (layers === undefined) return rejected(findings);
  const config = finish(applyFlags(layers.config, parsed), parsed);
  const features = checkEffective(config, layers.mismatched, parsed, host, findings);
  if (findings.refused) return rejected(findings);
  warnAboutUnhonoured([...layers.set, ...parsed.configValues.keys()], parsed.given, findings);
  warnAboutIgnoredValues(config, parsed.process, findings);
  const { notices: warnings } = findings;
  return { kind: 'loaded', flags: parsed.process, config, features, version, parsedFlags: parsed, warnings };
}

interface Layers {
  readonly config: JsonObject;
  readonly set: readonly ConfigPath[];
  readonly mismatched: readonly string[];
}

function loadLayers(
  parsed: ParsedFlags,
  host: LoadHost,
  argvGates: GateSettings,
  findings: LoadFindings,
): Layers | undefined {
  const { config: file, configDir: directory } = parsed.process;
  const fileLayer = file === '' ? undefined : loadConfigFile(file, host, argvGates, findings);
  if (file !== '' && fileLayer === undefined) return undefined;
  const base = fileLayer?.config ?? flagLevelBase(parsed, argvGates);
  const set = setPaths(fileLayer?.fields ?? {}, CONFIG_PATHS);
  const mismatched = fileLayer?.mismatched ?? [];
  if (directory === '') return { config: base, set, mismatched };
  const merged = loadDropIns(directory, base, host, argvGates, findings);
  return {
    config: merged.config,
    set: [...set, ...merged.set],
    mismatched: [...mismatched, ...merged.mismatched],
  };
}

/** The base without a --config file: defaults, the older open settings, and the flags already on top. */
function flagLevelBase(parsed: ParsedFlags, argvGates: GateSettings): JsonObject {
  const { gates } = resolveFeatureGates(argvGates);
  return applyFlags(applyLegacyDefaults(applyDefaults({}, gates)), parsed);
}

/** Feature gates merge per gate; any other flag replaces the whole value. */
function applyFlags(config: JsonObject, parsed: ParsedFlags): JsonObject {
  return [...parsed.configValues].reduce((result, [path, value]) => {
    if (path !== 'featureGates') return withValueAt(result, path, value);
    const merged = { ...(valueAt(result, path) as GateSettings), ...(value as GateSettings) };
    return withValueAt(result, path, merged);
  }, config);
}

/** Values the rest of the program never wants to see in their raw form. */
function finish(config: JsonObject, parsed: ParsedFlags): KubeletConfiguration {
  let result = config;
  if (Number(valueAt(result, 'podPidsLimit')) < 0) result = withValueAt(result, 'podPidsLimit', -1);
  const transition = 'evictionPressureTransitionPeriod';
  if (durationMs(valueAt(result, transition) as Duration) === 0)
    result = withValueAt(result, transition, '5m0s');
  if (parsed.process.seccompDefault) result = withValueAt(result, 'seccompDefault', true);
  // Decoding and defaulting give every field of the table its type, and the compiler ties table to type.
  return result as unknown as KubeletConfiguration;
}

function checkArgvGates(parsed: ParsedFlags, findings: LoadFindings): GateSettings {
  const settings = (parsed.configValues.get('featureGates') ?? {}) as GateSettings;
  const { problems } = resolveFeatureGates(settings);
  for (const { message } of problems) findings.refuse(`--feature-gates: ${message}`);
  // A gate that was refused must not be blamed again on a file.
  const bad = new Set(problems.map((problem) => problem.gate));
  return Object.fromEntries(Object.entries(settings).filter(([gate]) => !bad.has(gate)));
}

function checkEffective(
  config: KubeletConfiguration,
  mismatched: readonly string[],
  parsed: ParsedFlags,
  host: LoadHost,
  findings: LoadFindings,
): FeatureGates {
  const { gates, problems, warnings } = resolveFeatureGates(config.featureGates);
  if (!findings.refused) for (const { message } of problems) findings.refuse(`featureGates: ${message}`);
  for (const warning of warnings) findings.notice('feature-gate', warning);
  const standalone = parsed.process.kubeconfig === '';
  const { cgroupVersion } = host;
  const context = { gates, standalone, cgroupVersion };
  for (const violation of validateConfiguration(config, context)) {
    // A field of the wrong type was reported with its line; its default must not be complained about.
    if (!mismatched.includes(violation.path)) findings.refuse(renderViolation(violation));
  }
  return gates;
}

function textToPrint({ help, version }: ParsedFlags, columns: number | undefined): string | undefined {
  if (help) return renderHelp(columns);
  if (version === 'raw') return renderRawVersion();
  return version === 'true' ? renderVersion() : undefined;
}

/** --version=vX.Y.Z… may only refine the version we are compatible with. */
function checkVersion(text: string | undefined, findings: LoadFindings): string {
  if (text === undefined || ['true', 'false', 'raw'].includes(text)) return REPORTED_VERSION;
  if (text === KUBERNETES_VERSION || /^[-+]/.test(text.slice(KUBERNETES_VERSION.length))) {
    if (text.startsWith(KUBERNETES_VERSION)) return text;
  }
  const want = `want true, false, raw or a version that starts with ${KUBERNETES_VERSION}`;
  findings.refuse(
    `failed to parse kubelet flag: invalid argument ${JSON.stringify(text)} for "--version" flag: ${want}`,
  );
  return REPORTED_VERSION;
}

function rejected(findings: LoadFindings): RejectedConfiguration {
  const { problems, exitCode, notices: warnings } = findings;
  const [only = ''] = problems;
  const message = problems.length === 1 ? only : `[${problems.join(', ')}]`;
  return { kind: 'rejected', exitCode, problems, message, warnings };
}

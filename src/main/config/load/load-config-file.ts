/**
 * The --config file: read, decoded strictly (or leniently with a notice), relative paths resolved, defaulted.
 * Step 3 of loading. Invariant: a strictness fault alone never stops the start; a type fault always does.
 */
import { dirname, isAbsolute, resolve } from 'node:path';
import { toHostError } from '../../../adapters/linux/host-error.ts';
import { errorText } from '../../../base/errors.ts';
import { renderGuess } from '../../../core/manifest/field/suggest-name.ts';
import { CONFIG_PATHS } from '../config-fields.ts';
import { decodeConfiguration, type TypeMismatch } from '../decode-configuration.ts';
import { applyDefaultEviction, applyDefaults } from '../default-configuration.ts';
import { resolveFeatureGates } from '../features.ts';
import { isConfigObject, type JsonObject, valueAt, withValueAt } from '../json-value.ts';
import type { ConfigPath } from '../kubelet-configuration.ts';
import { type ConfigDocument, readConfigDocument } from '../read-config-document.ts';
import { MASK } from '../render-config.ts';
import type { LoadFindings } from './load-findings.ts';

/** File access, given by the caller; both throw like `node:fs` when the path cannot be read. */
export interface ConfigurationFiles {
  readonly cwd: string;
  readFile(path: string): string;
  readDir(path: string): readonly { readonly name: string; readonly isDirectory: boolean }[];
}

export type GateSettings = Readonly<Record<string, boolean>>;

export interface LoadedLayer {
  /** All fields, defaulted. */
  readonly config: JsonObject;
  /** Only what the documents themselves set. */
  readonly fields: JsonObject;
  /** Paths that were left out because their value had the wrong type. */
  readonly mismatched: readonly string[];
}

const RELATIVE_PATHS: readonly ConfigPath[] = [
  'staticPodPath',
  'authentication.x509.clientCAFile',
  'tlsCertFile',
  'tlsPrivateKeyFile',
  'resolvConf',
  'volumePluginDir',
  'podLogsDir',
];

/** Loads the file; `undefined` when there is nothing to go on with (the reasons are in `findings`). */
export function loadConfigFile(
  path: string,
  files: ConfigurationFiles,
  argvGates: GateSettings,
  findings: LoadFindings,
): LoadedLayer | undefined {
  const document = readDocument(path, files, findings);
  if (document === undefined) return undefined;
  const decoded = decodeConfiguration(document.content, 'exact');
  reportMismatches(decoded.mismatches, path, document, findings);
  const lax = [
    ...document.repeated,
    ...decoded.unknown.map((name) => {
      const guess = renderGuess(name, CONFIG_PATHS);
      return `line ${document.lineOf(name)}: unknown field ${JSON.stringify(name)}${guess}`;
    }),
  ];
  if (lax.length > 0) {
    const text = `config file ${path} is not strictly valid, going on without the faulty parts: ${lax.join('; ')}`;
    findings.notice('lenient-file', text);
  }
  const fields = resolvePaths(decoded.fields, dirname(resolve(files.cwd, path)));
  const gates = resolveLayerGates(fields, argvGates, path, findings);
  const config = applyDefaultEviction(applyDefaults(fields, gates), fields);
  return { config, fields, mismatched: decoded.mismatches.map((mismatch) => mismatch.path) };
}

/** Reads one document of any layer, reporting what is wrong with it as `<path>: …`. */
export function readDocument(
  path: string,
  files: ConfigurationFiles,
  findings: LoadFindings,
): ConfigDocument | undefined {
  let text: string;
  try {
    text = files.readFile(resolve(files.cwd, path));
  } catch (error) {
    findings.refuse(errorText(toHostError('read config file', path, error)));
    return undefined;
  }
  const read = readConfigDocument(text);
  if (read.ok) return read.document;
  for (const problem of read.problems) findings.refuse(`config file ${path}: ${problem}`);
  return undefined;
}

export function reportMismatches(
  mismatches: readonly TypeMismatch[],
  file: string,
  document: ConfigDocument,
  findings: LoadFindings,
): void {
  for (const { path, value, expected } of mismatches) {
    const shown = path.startsWith('staticPodURLHeader') ? MASK : JSON.stringify(value);
    findings.refuse(
      `config file ${file}: line ${document.lineOf(path)}: ${path} ${shown} must be ${expected}`,
    );
  }
}

/** Gates as a file sees them: argv first, the file on top. A bad gate here is the one crash of loading. */
export function resolveLayerGates(
  fields: JsonObject,
  argvGates: GateSettings,
  file: string,
  findings: LoadFindings,
) {
  const own = (fields['featureGates'] ?? {}) as GateSettings;
  const { gates, problems } = resolveFeatureGates({ ...argvGates, ...own });
  for (const { gate, message } of problems) findings.refuse(`${file}: featureGates.${gate}: ${message}`, 2);
  return gates;
}

/** The known fields a decoded document sets. */
export function setPaths(fields: JsonObject, paths: readonly ConfigPath[]): readonly ConfigPath[] {
  // An empty `tracing: {}` sets no leaf, yet turns tracing on.
  const tracing = isConfigObject(fields['tracing']);
  return paths.filter(
    (path) => valueAt(fields, path) !== undefined || (tracing && path === 'tracing.endpoint'),
  );
}

function resolvePaths(fields: JsonObject, directory: string): JsonObject {
  return RELATIVE_PATHS.reduce((result, path) => {
    const value = valueAt(result, path);
    if (typeof value !== 'string' || value === '' || isAbsolute(value)) return result;
    return withValueAt(result, path, resolve(directory, value));
  }, fields);
}

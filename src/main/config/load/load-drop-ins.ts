/**
 * The --config-dir drop-ins: found in lexical order, merged as JSON merge patches, decoded once at the end.
 * Step 4 of loading. Invariants: later files win; names match whatever their case; a repeated key is fatal;
 * the base is already defaulted, so defaults that depend on another field do not follow a drop-in.
 */
import { join, resolve } from 'node:path';
import { toHostError } from '../../../adapters/linux/host-error.ts';
import { errorText } from '../../../base/errors.ts';
import { CONFIG_PATHS } from '../config-fields.ts';
import { decodeConfiguration } from '../decode-configuration.ts';
import { applyDefaults } from '../default-configuration.ts';
import { type JsonObject, mergePatch } from '../json-value.ts';
import type { ConfigPath } from '../kubelet-configuration.ts';
import { toWireForm } from '../render-config.ts';
import {
  type ConfigurationFiles,
  type GateSettings,
  readDocument,
  reportMismatches,
  resolveLayerGates,
  setPaths,
} from './load-config-file.ts';
import type { LoadFindings } from './load-findings.ts';

export interface MergedLayers {
  readonly config: JsonObject;
  /** Fields some drop-in sets. */
  readonly set: readonly ConfigPath[];
  readonly mismatched: readonly string[];
}

/** Merges every drop-in of `directory` onto `base`; problems go to `findings` and the rest is still merged. */
export function loadDropIns(
  directory: string,
  base: JsonObject,
  files: ConfigurationFiles,
  argvGates: GateSettings,
  findings: LoadFindings,
): MergedLayers {
  let merged = toWireForm(base);
  const set = new Set<ConfigPath>();
  const mismatched: string[] = [];
  for (const path of listDropIns(directory, files, findings)) {
    const document = readDocument(path, files, findings);
    if (document === undefined) continue;
    for (const complaint of document.repeated) findings.refuse(`config file ${path}: ${complaint}`);
    const own = decodeConfiguration(document.content, 'ignore-case');
    reportMismatches(own.mismatches, path, document, findings);
    mismatched.push(...own.mismatches.map((mismatch) => mismatch.path));
    for (const name of setPaths(own.fields, CONFIG_PATHS)) set.add(name);
    merged = mergePatch(merged, document.content) as JsonObject;
  }
  const { fields } = decodeConfiguration(merged, 'ignore-case');
  const gates = resolveLayerGates(fields, argvGates, directory, findings);
  return { config: applyDefaults(fields, gates), set: [...set], mismatched };
}

/** Paths of the *.conf files below a directory, depth first, siblings in lexical order. */
function listDropIns(
  directory: string,
  files: ConfigurationFiles,
  findings: LoadFindings,
): readonly string[] {
  let entries: ReturnType<ConfigurationFiles['readDir']>;
  try {
    entries = files.readDir(resolve(files.cwd, directory));
  } catch (error) {
    findings.refuse(errorText(toHostError('read config directory', directory, error)));
    return [];
  }
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.flatMap(({ name, isDirectory }) => {
    const path = join(directory, name);
    if (isDirectory) return listDropIns(path, files, findings);
    if (name.endsWith('.conf')) return [path];
    findings.notice('skipped-file', `skipping ${path}: drop-in files end in .conf`, 4);
    return [];
  });
}

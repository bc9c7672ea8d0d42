/**
 * Manifest text to decoded pods: the first step from a file to a static pod. Each document must be one v1 Pod;
 * a document that is not one becomes problems with line and field and leaves the others alone.
 * Decoded means: known fields of the right types only, quantities as text, nothing defaulted yet.
 */
import type { Pod } from '../api/pod.ts';
import { checkFields } from './check-fields.ts';
import type { FieldError } from './field/field-error.ts';
import { type DecodedLocalObject, decodeLocalObject, isLocalKind } from './local-object.ts';
import { type ManifestProblem, type ManifestSubject, toSubject } from './manifest-problem.ts';
import { parseYaml, type YamlDocument } from './parse-yaml.ts';

export const MAX_MANIFEST_BYTES = 10 * 1024 * 1024;

export interface ParsedManifestPod {
  /** The pod as written; name, namespace and uid are empty text when absent. */
  readonly pod: Pod;
  /** Field errors found while decoding; a pod with any must not run. */
  readonly errors: readonly FieldError[];
  /** The line of a field, or of the nearest written field above it. */
  lineOf(path: string): number;
}

export interface ParsedManifestObject extends DecodedLocalObject {
  lineOf(path: string): number;
}

export interface ParsedManifest {
  readonly pods: readonly ParsedManifestPod[];
  /** What pods may use; only where there is no API server. */
  readonly objects: readonly ParsedManifestObject[];
  readonly problems: readonly ManifestProblem[];
}

/** Reads every document of `text`. `fileName` only names the source in problems. Never throws. */
export function parseManifest(text: string, fileName: string, isStandalone = false): ParsedManifest {
  const whole = (message: string): ParsedManifest => ({
    pods: [],
    objects: [],
    problems: [{ file: fileName, path: '', message }],
  });
  // Characters never outnumber bytes, so this is the cheap half of the check; the reader of bytes does the rest.
  if (text.length > MAX_MANIFEST_BYTES) return whole('the manifest is larger than 10 MiB');
  if (text.trim() === '') return whole('the file is empty: write a Pod into it or remove it');
  const pods: ParsedManifestPod[] = [];
  const problems: ManifestProblem[] = [];
  const objects: ParsedManifestObject[] = [];
  for (const document of parseYaml(text)) {
    const problem = findDocumentProblem(document, isStandalone);
    if (problem !== undefined) {
      problems.push({ file: fileName, ...problem, subject: subjectOf(document) });
      continue;
    }
    const { kind } = document.value as { readonly kind: unknown };
    if (isLocalKind(kind)) objects.push({ ...decodeLocalObject(document, kind), lineOf: document.lineOf });
    else pods.push(decodePod(document));
  }
  return { pods, objects, problems };
}

function subjectOf({ value }: YamlDocument): ManifestSubject | undefined {
  const { kind, metadata } = (value ?? {}) as { readonly kind?: unknown; readonly metadata?: unknown };
  return toSubject(kind, metadata);
}

function findDocumentProblem(
  document: YamlDocument,
  isStandalone: boolean,
): Omit<ManifestProblem, 'file'> | undefined {
  if (document.error !== undefined) {
    return { line: document.error.line, path: '', message: `cannot read YAML: ${document.error.message}` };
  }
  const at = (path: string, message: string) => ({ line: document.lineOf(path), path, message });
  const { value } = document;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return at('', 'expected a v1 Pod, got something that is not a map of fields');
  }
  const { kind, apiVersion } = value as { readonly kind?: unknown; readonly apiVersion?: unknown };
  if (kind === undefined) return at('kind', 'Required value: must be "Pod"');
  if (kind === 'List' || kind === 'PodList') {
    return at(
      'kind',
      `kind "${kind}" is not accepted: write each Pod as a document of its own, parted by "---"`,
    );
  }
  if (isLocalKind(kind) && !isStandalone)
    return at('kind', `kind "${kind}" is not accepted in a manifest: this node has an API server for it`);
  if (kind !== 'Pod' && !isLocalKind(kind))
    return at('kind', `unsupported kind ${JSON.stringify(kind)}: only "Pod" can run here`);
  if (apiVersion === undefined) return at('apiVersion', 'Required value: must be "v1"');
  if (apiVersion !== 'v1') {
    return at('apiVersion', `unsupported apiVersion ${JSON.stringify(apiVersion)}: a ${kind} is "v1"`);
  }
  return undefined;
}

/** One document, known to be a v1 Pod, as a pod with what is wrong in its fields. */
export function decodePod(document: YamlDocument): ParsedManifestPod {
  const { value, errors } = checkFields(document.value, 'Pod');
  const decoded = value as Omit<Pod, 'metadata' | 'spec'> & Partial<Pod>;
  const metadata = { name: '', namespace: '', uid: '', ...decoded.metadata };
  const spec = { containers: [], ...decoded.spec };
  return { pod: { ...decoded, metadata, spec }, errors, lineOf: document.lineOf };
}

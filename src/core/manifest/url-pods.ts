/**
 * Text from a URL to static pods. Unlike a file it may hold a PodList, and it
 * counts as a whole: one bad pod rejects all of it, so that a node never runs
 * half of what its operator wrote.
 */
import type { Pod } from '../api/pod.ts';
import { fullName, podRef } from '../api/pod-identity.ts';
import { duplicateValue, type FieldError } from './field/field-error.ts';
import type { ManifestProblem } from './manifest-problem.ts';
import { decodePod, MAX_MANIFEST_BYTES, type ParsedManifestPod } from './parse-manifest.ts';
import { parseYaml, type YamlDocument } from './parse-yaml.ts';
import { finishStaticPod, type StaticPods } from './static-pod.ts';
import type { StaticPodPlace } from './static-pod-uid.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Defaulted, validated and free of API references; with any problem there are no pods. Never throws. */
export function readUrlPods(text: string, url: string, nodeName: string): StaticPods {
  const place: StaticPodPlace = { nodeName, source: { kind: 'url', url } };
  const pods = new Map<string, Pod>();
  const problems: ManifestProblem[] = [];
  const documents = text.length > MAX_MANIFEST_BYTES ? [] : parseYaml(text);
  if (documents.length === 0) problems.push({ file: url, path: '', message: 'expected a v1 Pod or PodList' });
  for (const document of documents) {
    const found = decodeDocument(document);
    if ('problem' in found) problems.push({ file: url, ...found.problem });
    else
      for (const one of found.pods)
        problems.push(...add(pods, one, place).map((error) => ({ file: url, ...error })));
  }
  return problems.length === 0 ? { pods: [...pods.values()], problems } : { pods: [], problems };
}

function add(
  pods: Map<string, Pod>,
  parsed: ParsedManifestPod,
  place: StaticPodPlace,
): { line: number; path: string; message: string }[] {
  const { pod, errors } = finishStaticPod(parsed, place);
  const taken = errors.length === 0 && pods.has(fullName(pod));
  const found: readonly FieldError[] = taken ? [duplicateValue('metadata.name', podRef(pod))] : errors;
  if (found.length === 0) pods.set(fullName(pod), pod);
  return found.map(({ path, message }) => ({ line: parsed.lineOf(path), path, message }));
}

type Decoded =
  | { readonly pods: readonly ParsedManifestPod[] }
  | { readonly problem: Omit<ManifestProblem, 'file'> };

function decodeDocument(document: YamlDocument): Decoded {
  const problem = (path: string, message: string): Decoded => ({
    problem: { line: document.lineOf(path), path, message },
  });
  if (document.error !== undefined) {
    const { line, message } = document.error;
    return { problem: { line, path: '', message: `cannot read YAML: ${message}` } };
  }
  const { value } = document;
  if (!isFields(value)) return problem('', 'expected a v1 Pod or PodList, got no map of fields');
  const { kind, apiVersion, items = [] } = value;
  if (apiVersion !== 'v1') return problem('apiVersion', 'expected "v1"');
  if (kind === 'Pod') return { pods: [decodePod(document)] };
  if (kind !== 'PodList') return problem('kind', 'expected "Pod" or "PodList"');
  if (!Array.isArray(items)) return problem('items', 'expected a list');
  return { pods: items.map((item: unknown, index) => decodePod(toItem(document, item, index))) };
}

/** Items of a list need not repeat what they are. */
function toItem(list: YamlDocument, item: unknown, index: number): YamlDocument {
  const value = isFields(item) ? { apiVersion: 'v1', kind: 'Pod', ...item } : item;
  return { value, lineOf: (path) => list.lineOf(`items[${index}]${path === '' ? '' : `.${path}`}`) };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Gives a decoded pod the identity of a static pod: a UID made of its content and place, a name that carries
 * the node's, and what the node itself decides (spec/02 §1.5). `readStaticPods` is the whole way from text to
 * pods that may run.
 *
 * Invariants: the UID is the upstream kubelet's (static-pod-uid.ts), so a node may change kubelets without
 * restarting a static pod. Comments, layout and key order do not change it; content, node and path do.
 */
import type { StringMap } from '../api/meta.ts';
import type { Pod, Toleration } from '../api/pod.ts';
import { CONFIG_HASH_ANNOTATION, fullName, podRef } from '../api/pod-identity.ts';
import { defaultPod } from './default-pod.ts';
import { duplicateValue, type FieldError } from './field/field-error.ts';
import { describeLocalObject, type LocalObject } from './local-object.ts';
import { type ManifestProblem, type ManifestSubject, toSubject } from './manifest-problem.ts';
import { type ParsedManifestPod, parseManifest } from './parse-manifest.ts';
import { findApiReference } from './reject-api-references.ts';
import { computeStaticPodUid, keepAnnotations, type StaticPodPlace } from './static-pod-uid.ts';
import { validatePod } from './validate/validate-pod.ts';

/** The pods of a manifest that may run, and what keeps the others from running. */
export interface StaticPods {
  readonly pods: readonly Pod[];
  readonly problems: readonly ManifestProblem[];
  /** What the node's pods may use instead of API objects; only standalone. */
  readonly objects?: readonly LocalObject[];
}

export interface StaticPodRules {
  /** Without an API server a manifest may hold ConfigMaps, Secrets, volumes and claims, and pods may use them. */
  readonly isStandalone?: boolean;
  /** Why the file may not hold a Secret, if so. */
  readonly secretProblem?: string | undefined;
}

/** `pod` as decoded, made a static pod of the node. Not yet defaulted nor validated. */
export function toStaticPod(pod: Pod, place: StaticPodPlace): Pod {
  const { nodeName, source } = place;
  const uid = pod.metadata.uid === '' ? computeStaticPodUid(pod, place) : pod.metadata.uid;
  const annotations: StringMap = {
    ...keepAnnotations(pod.metadata.annotations ?? {}),
    [CONFIG_HASH_ANNOTATION]: uid,
  };
  const name = `${pod.metadata.name}-${nodeName.toLowerCase()}`;
  const namespace = pod.metadata.namespace === '' ? 'default' : pod.metadata.namespace;
  const tolerations = source.kind === 'file' ? tolerateEviction(pod.spec.tolerations) : pod.spec.tolerations;
  return {
    ...pod,
    metadata: { ...pod.metadata, name, namespace, uid, annotations },
    spec: { ...pod.spec, nodeName, ...(tolerations === undefined ? {} : { tolerations }) },
    // A status in a manifest is stale: the node computes its own.
    status: { phase: 'Pending' },
  };
}

/** Text of a manifest file to static pods, defaulted, validated and free of API references. Never throws. */
export function readStaticPods(
  text: string,
  path: string,
  nodeName: string,
  { isStandalone = false, secretProblem }: StaticPodRules = {},
): StaticPods {
  const place: StaticPodPlace = { nodeName, source: { kind: 'file', path } };
  const parsed = parseManifest(text, path, isStandalone);
  const pods = new Map<string, Pod>();
  const problems: ManifestProblem[] = [...parsed.problems];
  for (const one of parsed.pods) {
    const { pod, errors } = finishStaticPod(one, place, isStandalone);
    const found = errors.length === 0 && pods.has(fullName(pod)) ? [nameTaken(pod)] : errors;
    if (found.length === 0) pods.set(fullName(pod), pod);
    problems.push(...toProblems(path, found, one.lineOf, toSubject('Pod', pod.metadata)));
  }
  const objects = new Map<string, LocalObject>();
  for (const { object, errors, lineOf } of parsed.objects) {
    const key = describeLocalObject(object);
    const found: FieldError[] = objects.has(key) ? [duplicateValue('metadata.name', key)] : [...errors];
    if (object.kind === 'Secret' && secretProblem !== undefined)
      found.push({ path: '', message: secretProblem, value: undefined });
    if (found.length === 0) objects.set(key, object);
    problems.push(...toProblems(path, found, lineOf, toSubject(object.kind, object.metadata)));
  }
  return { pods: [...pods.values()], problems, ...(isStandalone ? { objects: [...objects.values()] } : {}) };
}

function toProblems(
  file: string,
  errors: readonly FieldError[],
  lineOf: (path: string) => number,
  subject: ManifestSubject | undefined,
): ManifestProblem[] {
  return errors.map(({ path, message }) => ({ file, line: lineOf(path), path, message, subject }));
}

function nameTaken(pod: Pod): FieldError {
  return duplicateValue('metadata.name', podRef(pod));
}

/** A decoded pod as the node runs it, and all that keeps it from running. */
export function finishStaticPod(
  parsed: ParsedManifestPod,
  place: StaticPodPlace,
  isStandalone = false,
): { readonly pod: Pod; readonly errors: readonly FieldError[] } {
  if (parsed.pod.metadata.name === '') {
    const missing = { path: 'metadata.name', message: 'Required value', value: undefined };
    return { pod: parsed.pod, errors: withoutRepeats([...parsed.errors, missing]) };
  }
  const pod = defaultPod(toStaticPod(parsed.pod, place));
  const errors = withoutRepeats([...parsed.errors, ...validatePod(pod)]);
  if (errors.length > 0) return { pod, errors };
  const reference = findApiReference(pod, isStandalone);
  return { pod, errors: reference === undefined ? [] : [reference] };
}

/** One error per field: after a decoding error later errors about the field, or below it, are noise. */
function withoutRepeats(errors: readonly FieldError[]): readonly FieldError[] {
  const said = new Set<string>();
  return errors.filter(({ path }) => {
    if (listWithParents(path).some((field) => said.has(field))) return false;
    said.add(path);
    return true;
  });
}

/** A field and all it is a part of: `a`, `a.b`, `a.b[0]`. */
function listWithParents(path: string): string[] {
  return [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index)).concat(path);
}

/** Node trouble must not evict what the node itself runs: tolerate every NoExecute taint forever. */
function tolerateEviction(tolerations: readonly Toleration[] = []): readonly Toleration[] {
  const everything: Toleration = { operator: 'Exists', effect: 'NoExecute' };
  const isSame = (one: Toleration): boolean =>
    (one.key ?? '') === '' &&
    one.operator === 'Exists' &&
    one.effect === 'NoExecute' &&
    (one.value ?? '') === '';
  const known = tolerations.some(isSame);
  return known ? tolerations.map((one) => (isSame(one) ? everything : one)) : [...tolerations, everything];
}

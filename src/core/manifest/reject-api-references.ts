/**
 * Static pods live without the API server, so they may not name API objects. Finds the first such reference, in
 * the order and with the words of upstream: anything that names a Secret or ConfigMap is reported first; the
 * `(via …)` texts are for sources that need the API without naming one. Without an API server objects of some
 * kinds come from manifests as well, and may be named.
 */
import type { Container, Pod, PodSpec } from '../api/pod.ts';
import { CONFIG_MIRROR_ANNOTATION } from '../api/pod-identity.ts';
import type { ProjectedSource, Volume } from '../api/volume.ts';
import { type FieldError, forbiddenField } from './field/field-error.ts';

interface Reference {
  readonly path: string;
  readonly what: string;
}

/** What a manifest file may hold where there is no API server. */
const LOCAL =
  /^(persistentvolumeclaims|(configmaps|secrets)( \(via (configmap|secret|projected) volumes\))?)$/;

/** The reason why `pod` cannot be a static pod, or undefined when it can. */
export function findApiReference(pod: Pod, isStandalone = false): FieldError | undefined {
  if (pod.metadata.annotations?.[CONFIG_MIRROR_ANNOTATION] !== undefined) {
    const path = `metadata.annotations[${CONFIG_MIRROR_ANNOTATION}]`;
    return forbiddenField(
      path,
      'this is the API copy of a static pod: remove this annotation and metadata.uid',
    );
  }
  for (const reference of apiReferences(pod.spec)) {
    if (isStandalone && LOCAL.test(reference.what)) continue;
    const message = `static pods may not reference ${reference.what}`;
    return { path: reference.path, message, value: undefined };
  }
  return undefined;
}

function* apiReferences(spec: PodSpec): Generator<Reference> {
  if (isNamed(spec.serviceAccountName)) yield { path: 'spec.serviceAccountName', what: 'serviceaccounts' };
  for (const path of secretPaths(spec)) yield { path, what: 'secrets' };
  for (const path of configMapPaths(spec)) yield { path, what: 'configmaps' };
  if ((spec.resourceClaims ?? []).length > 0) yield { path: 'spec.resourceClaims', what: 'resourceclaims' };
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    yield* volumeReferences(volume, `spec.volumes[${index}]`);
  }
}

function* volumeReferences(volume: Volume, path: string): Generator<Reference> {
  const by: readonly (readonly [keyof Volume, string])[] = [
    ['configMap', 'configmaps (via configmap volumes)'],
    ['secret', 'secrets (via secret volumes)'],
    ['csi', 'csidrivers (via CSI volumes)'],
    ['glusterfs', 'endpoints (via glusterFS volumes)'],
    ['persistentVolumeClaim', 'persistentvolumeclaims'],
    ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
    ['azureFile', 'secrets (via azureFile volumes)'],
  ];
  for (const [key, what] of by) {
    if (volume[key] !== undefined) yield { path: `${path}.${key}`, what };
  }
  for (const [index, source] of (volume.projected?.sources ?? []).entries()) {
    yield* projectedReferences(source, `${path}.projected.sources[${index}]`);
  }
}

function* projectedReferences(source: ProjectedSource, path: string): Generator<Reference> {
  const by: readonly (readonly [keyof ProjectedSource, string])[] = [
    ['configMap', 'configmaps (via projected volumes)'],
    ['secret', 'secrets (via projected volumes)'],
    ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
    ['clusterTrustBundle', 'clustertrustbundles'],
    ['podCertificate', 'podcertificates'],
  ];
  for (const [key, what] of by) {
    if (source[key] !== undefined) yield { path: `${path}.${key}`, what };
  }
}

/** Fields that name a Secret. */
function* secretPaths(spec: PodSpec): Generator<string> {
  for (const [index, secret] of (spec.imagePullSecrets ?? []).entries()) {
    if (isNamed(secret.name)) yield `spec.imagePullSecrets[${index}].name`;
  }
  for (const [container, path] of containersOf(spec)) {
    for (const [index, from] of (container.envFrom ?? []).entries()) {
      if (isNamed(from.secretRef?.name)) yield `${path}.envFrom[${index}].secretRef`;
    }
    for (const [index, variable] of (container.env ?? []).entries()) {
      if (isNamed(variable.valueFrom?.secretKeyRef?.name))
        yield `${path}.env[${index}].valueFrom.secretKeyRef`;
    }
  }
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    if (volumeSecretNames(volume).some(isNamed)) yield `spec.volumes[${index}]`;
  }
}

function volumeSecretNames(volume: Volume): readonly (string | undefined)[] {
  const azureFile = volume.azureFile as { readonly secretName?: string } | undefined;
  const network = [
    volume.cephfs,
    volume.cinder,
    volume.flexVolume,
    volume.rbd,
    volume.scaleIO,
    volume.iscsi,
    volume.storageos,
  ];
  return [
    volume.secret?.secretName,
    azureFile?.secretName,
    volume.csi?.nodePublishSecretRef?.name,
    ...network.map((source) => source?.secretRef?.name),
    ...(volume.projected?.sources ?? []).map((source) => source.secret?.name),
  ];
}

/** Fields that name a ConfigMap. */
function* configMapPaths(spec: PodSpec): Generator<string> {
  for (const [container, path] of containersOf(spec)) {
    for (const [index, from] of (container.envFrom ?? []).entries()) {
      if (isNamed(from.configMapRef?.name)) yield `${path}.envFrom[${index}].configMapRef`;
    }
    for (const [index, variable] of (container.env ?? []).entries()) {
      const name = variable.valueFrom?.configMapKeyRef?.name;
      if (isNamed(name)) yield `${path}.env[${index}].valueFrom.configMapKeyRef`;
    }
  }
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    const projected = (volume.projected?.sources ?? []).map((source) => source.configMap?.name);
    if ([volume.configMap?.name, ...projected].some(isNamed)) yield `spec.volumes[${index}]`;
  }
}

function* containersOf(spec: PodSpec): Generator<readonly [container: Container, path: string]> {
  for (const kind of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [index, container] of (spec[kind] ?? []).entries()) {
      yield [container, `spec.${kind}[${index}]`];
    }
  }
}

function isNamed(name: string | undefined): boolean {
  return name !== undefined && name !== '';
}

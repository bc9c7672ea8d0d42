/**
 * Rules for the environment of a container and for references to fields of the pod, in variables and in
 * downward API files alike.
 */
import type {
  Container,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  KeySelector,
  PodSpec,
  ResourceFieldSelector,
} from '../../api/pod.ts';
import { formatQuantity, tryParseQuantity } from '../../api/quantity.ts';
import { descendingPathFaults, subdomainFaults, variableNameFaults } from '../../api/validate-name.ts';
import { isHugePages } from '../../resources/hugepages.ts';
import { type FieldError, invalidValue, notFoundValue, oneOf, requiredValue } from '../field/field-error.ts';

const METADATA_PATHS = ['metadata.name', 'metadata.namespace', 'metadata.uid'];
const VARIABLE_FIELD_PATHS = [
  ...METADATA_PATHS,
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
export const FILE_FIELD_PATHS = ['metadata.annotations', 'metadata.labels', ...METADATA_PATHS];
const RESOURCE_FIELDS = ['cpu', 'ephemeral-storage', 'memory'];
const BYTE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

export function* validateVariables(container: Container, spec: PodSpec, path: string): Generator<FieldError> {
  for (const [index, variable] of (container.env ?? []).entries()) {
    const at = `${path}.env[${index}]`;
    if (variable.name === '') yield requiredValue(`${at}.name`);
    else {
      for (const why of variableNameFaults(variable.name)) {
        yield invalidValue(`${at}.name`, variable.name, why);
      }
    }
    yield* validateValueFrom(variable, spec, `${at}.valueFrom`);
  }
  for (const [index, from] of (container.envFrom ?? []).entries()) {
    yield* validateEnvFrom(from, `${path}.envFrom[${index}]`);
  }
}

function* validateEnvFrom(from: EnvFromSource, path: string): Generator<FieldError> {
  const { prefix = '', configMapRef, secretRef } = from;
  for (const why of prefix === '' ? [] : variableNameFaults(prefix)) {
    yield invalidValue(`${path}.prefix`, prefix, why);
  }
  const refs = Object.entries({ configMapRef, secretRef }).filter(([, ref]) => ref !== undefined);
  if (refs.length === 0) yield invalidValue(path, '', 'must specify one of: `configMapRef` or `secretRef`');
  if (refs.length > 1) yield invalidValue(path, '', 'may not have more than one field specified at a time');
  for (const [field, ref] of refs) {
    const name = ref?.name ?? '';
    if (name === '') yield requiredValue(`${path}.${field}.name`);
    else for (const why of subdomainFaults(name)) yield invalidValue(`${path}.${field}.name`, name, why);
  }
}

function* validateValueFrom(variable: EnvVar, spec: PodSpec, path: string): Generator<FieldError> {
  const { valueFrom, value = '' } = variable;
  if (valueFrom === undefined) return;
  const count = Object.keys(valueFrom).length;
  if (count === 0) {
    const why =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    yield invalidValue(path, '', why);
  } else if (value !== '') yield invalidValue(path, '', 'may not be specified when `value` is not empty');
  if (count > 1) yield invalidValue(path, '', 'may not have more than one field specified at a time');
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (fieldRef !== undefined) {
    yield* validateFieldPath(fieldRef.fieldPath, VARIABLE_FIELD_PATHS, `${path}.fieldRef.fieldPath`);
  }
  if (resourceFieldRef !== undefined) {
    yield* validateResourceField(resourceFieldRef, `${path}.resourceFieldRef`);
  }
  if (configMapKeyRef !== undefined) yield* validateKey(configMapKeyRef, `${path}.configMapKeyRef`);
  if (secretKeyRef !== undefined) yield* validateKey(secretKeyRef, `${path}.secretKeyRef`);
  if (fileKeyRef !== undefined) yield* validateFileKey(fileKeyRef, spec, `${path}.fileKeyRef`);
}

/** One of `supported`, or one label or annotation (`metadata.labels['key']`). */
export function* validateFieldPath(
  value: string,
  supported: readonly string[],
  path: string,
): Generator<FieldError> {
  if (value === '') yield requiredValue(path);
  else if (!/^metadata\.(labels|annotations)\['.+'\]$/.test(value)) yield* oneOf(path, value, supported);
}

export function* validateResourceField(ref: ResourceFieldSelector, path: string): Generator<FieldError> {
  const [, list = '', name = ''] = /^(limits|requests)\.(.+)$/.exec(ref.resource) ?? [];
  if (ref.resource === '') yield requiredValue(`${path}.resource`);
  else if (list === '' || !(RESOURCE_FIELDS.includes(name) || isHugePages(name))) {
    const supported = ['limits', 'requests'].flatMap((one) =>
      RESOURCE_FIELDS.map((field) => `${one}.${field}`),
    );
    yield* oneOf(`${path}.resource`, ref.resource, supported);
  }
  const divisor = tryParseQuantity(ref.divisor ?? '0');
  if (divisor === undefined || divisor.nanos === 0n) return;
  const allowed = name === 'cpu' ? ['1m', '1'] : BYTE_DIVISORS;
  if (allowed.includes(formatQuantity(divisor))) return;
  yield invalidValue(
    `${path}.divisor`,
    ref.divisor,
    `only divisor's values ${allowed.join(', ')} are supported`,
  );
}

function* validateKey(ref: KeySelector, path: string): Generator<FieldError> {
  const name = ref.name ?? '';
  for (const why of subdomainFaults(name)) yield invalidValue(`${path}.name`, name, why);
  if (ref.key === '') yield requiredValue(`${path}.key`);
}

function* validateFileKey(
  ref: NonNullable<EnvVarSource['fileKeyRef']>,
  spec: PodSpec,
  path: string,
): Generator<FieldError> {
  for (const field of ['volumeName', 'path', 'key'] as const) {
    if (ref[field] === '') yield requiredValue(`${path}.${field}`);
  }
  for (const why of ref.path === '' ? [] : descendingPathFaults(ref.path)) {
    yield invalidValue(`${path}.path`, ref.path, why);
  }
  if (ref.volumeName === '') return;
  const volume = spec.volumes?.find(({ name }) => name === ref.volumeName);
  if (volume === undefined) yield notFoundValue(`${path}.volumeName`, ref.volumeName);
  else if (volume.emptyDir === undefined) {
    yield invalidValue(`${path}.volumeName`, ref.volumeName, 'referenced volume must be of type emptyDir');
  }
}

/**
 * Rules for the volumes of a defaulted pod: unique names, one source each, and the parts of a source that would
 * fail on the node.
 */
import { tryParseQuantity } from '../../api/quantity.ts';
import { descendingPathFaults, labelFaults } from '../../api/validate-name.ts';
import type { DownwardApiFile, KeyToPath, ProjectedSource, Volume } from '../../api/volume.ts';
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  oneOf,
  requiredValue,
} from '../field/field-error.ts';
import { FILE_FIELD_PATHS, validateFieldPath, validateResourceField } from './validate-variable.ts';

export function* validateVolumes(volumes: readonly Volume[], path: string): Generator<FieldError> {
  const names = new Set<string>();
  for (const [index, volume] of volumes.entries()) {
    const at = `${path}[${index}]`;
    if (volume.name === '') yield requiredValue(`${at}.name`);
    else for (const why of labelFaults(volume.name)) yield invalidValue(`${at}.name`, volume.name, why);
    if (names.has(volume.name)) yield duplicateValue(`${at}.name`, volume.name);
    names.add(volume.name);
    const sources = Object.keys(volume).filter((key) => key !== 'name');
    for (const source of sources.slice(1)) {
      yield forbiddenField(`${at}.${source}`, 'may not specify more than 1 volume type');
    }
    yield* validateSource(volume, at);
  }
}

function* validateSource(volume: Volume, path: string): Generator<FieldError> {
  const { hostPath, emptyDir, configMap, secret, downwardAPI, projected, nfs, persistentVolumeClaim } =
    volume;
  if (hostPath !== undefined) yield* validateHostPath(hostPath, `${path}.hostPath`);
  const size = tryParseQuantity(emptyDir?.sizeLimit ?? '0');
  if (size === undefined || size.nanos < 0n) {
    const why = 'SizeLimit field must be a valid resource quantity';
    yield forbiddenField(`${path}.emptyDir.sizeLimit`, why);
  }
  if (configMap !== undefined) yield* validateFiles(configMap, configMap.name, `${path}.configMap`, 'name');
  if (secret !== undefined) yield* validateFiles(secret, secret.secretName, `${path}.secret`, 'secretName');
  if (downwardAPI !== undefined) {
    yield* validateMode(downwardAPI.defaultMode, `${path}.downwardAPI.defaultMode`);
    yield* validateDownward(downwardAPI.items ?? [], `${path}.downwardAPI.items`);
  }
  if (projected !== undefined) {
    yield* validateMode(projected.defaultMode, `${path}.projected.defaultMode`);
    yield* validateProjected(projected.sources ?? [], `${path}.projected.sources`);
  }
  if (nfs?.server === '') yield requiredValue(`${path}.nfs.server`);
  if (nfs?.path === '') yield requiredValue(`${path}.nfs.path`);
  else if (nfs !== undefined && !nfs.path.startsWith('/')) {
    yield invalidValue(`${path}.nfs.path`, nfs.path, 'must be an absolute path');
  }
  if (persistentVolumeClaim?.claimName === '') yield requiredValue(`${path}.persistentVolumeClaim.claimName`);
  if (volume.csi?.driver === '') yield requiredValue(`${path}.csi.driver`);
  if (volume.image !== undefined) yield* validateImage(volume.image, `${path}.image`);
}

function* validateHostPath(source: NonNullable<Volume['hostPath']>, path: string): Generator<FieldError> {
  if (source.path === '') yield requiredValue(`${path}.path`);
  else if (source.path.split('/').includes('..')) {
    yield invalidValue(`${path}.path`, source.path, "must not contain '..'");
  }
  yield* oneOf(`${path}.type`, source.type, [
    '',
    'BlockDevice',
    'CharDevice',
    'Directory',
    'DirectoryOrCreate',
    'File',
    'FileOrCreate',
    'Socket',
  ]);
}

function* validateImage(source: NonNullable<Volume['image']>, path: string): Generator<FieldError> {
  if (!source.reference) yield requiredValue(`${path}.reference`);
  yield* oneOf(`${path}.pullPolicy`, source.pullPolicy, ['Always', 'IfNotPresent', 'Never']);
}

function* validateFiles(
  source: { readonly items?: readonly KeyToPath[]; readonly defaultMode?: number },
  name: string | undefined,
  path: string,
  nameField: string,
): Generator<FieldError> {
  if (!name) yield requiredValue(`${path}.${nameField}`);
  yield* validateMode(source.defaultMode, `${path}.defaultMode`);
  for (const [index, item] of (source.items ?? []).entries()) {
    const at = `${path}.items[${index}]`;
    if (item.key === '') yield requiredValue(`${at}.key`);
    yield* validateFilePath(item.path, `${at}.path`);
    yield* validateMode(item.mode, `${at}.mode`);
  }
}

function* validateDownward(items: readonly DownwardApiFile[], path: string): Generator<FieldError> {
  for (const [index, item] of items.entries()) {
    const at = `${path}[${index}]`;
    yield* validateFilePath(item.path, `${at}.path`);
    yield* validateMode(item.mode, `${at}.mode`);
    if (item.fieldRef === undefined && item.resourceFieldRef === undefined) {
      yield requiredValue(at, 'one of fieldRef and resourceFieldRef is required');
    }
    if (item.fieldRef !== undefined && item.resourceFieldRef !== undefined) {
      yield invalidValue(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
    }
    if (item.fieldRef !== undefined) {
      yield* validateFieldPath(item.fieldRef.fieldPath, FILE_FIELD_PATHS, `${at}.fieldRef.fieldPath`);
    }
    if (item.resourceFieldRef === undefined) continue;
    if (!item.resourceFieldRef.containerName) yield requiredValue(`${at}.resourceFieldRef.containerName`);
    yield* validateResourceField(item.resourceFieldRef, `${at}.resourceFieldRef`);
  }
}

function* validateProjected(sources: readonly ProjectedSource[], path: string): Generator<FieldError> {
  for (const [index, source] of sources.entries()) {
    const at = `${path}[${index}]`;
    const kinds = Object.keys(source);
    if (kinds.length === 0) yield requiredValue(at, 'must specify a projection source');
    for (const kind of kinds.slice(1)) {
      yield forbiddenField(`${at}.${kind}`, 'may not specify more than 1 volume type per source');
    }
    const { configMap, secret, downwardAPI } = source;
    if (configMap !== undefined) yield* validateFiles(configMap, configMap.name, `${at}.configMap`, 'name');
    if (secret !== undefined) yield* validateFiles(secret, secret.name, `${at}.secret`, 'name');
    if (downwardAPI !== undefined) {
      yield* validateDownward(downwardAPI.items ?? [], `${at}.downwardAPI.items`);
    }
  }
}

function* validateFilePath(value: string, path: string): Generator<FieldError> {
  if (value === '') yield requiredValue(path);
  else for (const why of descendingPathFaults(value)) yield invalidValue(path, value, why);
  if (value.startsWith('..')) yield invalidValue(path, value, "must not start with '..'");
}

function* validateMode(mode: number | undefined, path: string): Generator<FieldError> {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    yield invalidValue(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive');
  }
}

/**
 * Rules for PersistentVolumes and claims in manifest files. Nothing binds a claim here, so that no claim ever
 * gets the data of another by chance: the claim names its volume, or the volume its claim.
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/persistent-volume.ts';
import { type FieldError, forbiddenField, invalidValue, oneOf, requiredValue } from '../field/field-error.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const SOURCES = ['fc', 'flexVolume', 'hostPath', 'iscsi', 'local', 'nfs'] as const;

export function* validateLocalVolume({ spec }: PersistentVolume): Generator<FieldError> {
  const given = SOURCES.filter((source) => spec[source] !== undefined);
  if (given.length === 0) yield requiredValue('spec', `must specify one of ${SOURCES.join(', ')}`);
  for (const source of given.slice(1))
    yield forbiddenField(`spec.${source}`, 'may not specify more than 1 volume type');
  if (spec.hostPath !== undefined) yield* validatePath('spec.hostPath.path', spec.hostPath.path);
  if (spec.local !== undefined) yield* validatePath('spec.local.path', spec.local.path);
  if (spec.nfs !== undefined) {
    if (spec.nfs.server === '') yield requiredValue('spec.nfs.server');
    if (!spec.nfs.path.startsWith('/'))
      yield invalidValue('spec.nfs.path', spec.nfs.path, 'must be an absolute path');
  }
  yield* oneOf('spec.volumeMode', spec.volumeMode, ['Block', 'Filesystem']);
  yield* validateAccessModes(spec.accessModes);
  if (spec.claimRef !== undefined && !spec.claimRef.name) yield requiredValue('spec.claimRef.name');
}

export function* validateLocalClaim({ spec }: PersistentVolumeClaim): Generator<FieldError> {
  yield* oneOf('spec.volumeMode', spec.volumeMode, ['Block', 'Filesystem']);
  yield* validateAccessModes(spec.accessModes);
}

function* validatePath(path: string, value: string): Generator<FieldError> {
  if (value === '') yield requiredValue(path);
  else if (!value.startsWith('/')) yield invalidValue(path, value, 'must be an absolute path');
  else if (value.split('/').includes('..')) yield invalidValue(path, value, "must not contain '..'");
}

function* validateAccessModes(modes: readonly string[] | undefined): Generator<FieldError> {
  if (modes === undefined || modes.length === 0) yield requiredValue('spec.accessModes');
  for (const [index, mode] of (modes ?? []).entries())
    yield* oneOf(`spec.accessModes[${index}]`, mode, ACCESS_MODES);
}

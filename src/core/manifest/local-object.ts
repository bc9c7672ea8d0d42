/**
 * ConfigMaps, Secrets, PersistentVolumes and claims in manifest files: what pods of a node without API server
 * use instead of the API's. Decoded, defaulted and validated like pods; a Secret's `stringData` is its `data`
 * afterwards, as the API server does it.
 */
import type { StringMap } from '../api/meta.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../api/persistent-volume.ts';
import { labelFaults, subdomainFaults } from '../api/validate-name.ts';
import { checkFields } from './check-fields.ts';
import { type FieldError, invalidValue, requiredValue } from './field/field-error.ts';
import type { YamlDocument } from './parse-yaml.ts';
import { validateLocalClaim, validateLocalVolume } from './validate/validate-local-volume.ts';

export interface LocalConfigMap {
  readonly kind: 'ConfigMap';
  readonly metadata: LocalMeta;
  readonly data?: StringMap;
  readonly binaryData?: StringMap;
}

export interface LocalSecret {
  readonly kind: 'Secret';
  readonly metadata: LocalMeta;
  readonly type?: string;
  /** In base64. */
  readonly data?: StringMap;
}

export interface LocalMeta {
  readonly name: string;
  readonly namespace: string;
}

export type LocalObject =
  | LocalConfigMap
  | LocalSecret
  | (PersistentVolume & { readonly kind: 'PersistentVolume' })
  | (PersistentVolumeClaim & { readonly kind: 'PersistentVolumeClaim' });

export type LocalKind = LocalObject['kind'];

const KINDS: readonly string[] = [
  'ConfigMap',
  'Secret',
  'PersistentVolume',
  'PersistentVolumeClaim',
] satisfies LocalKind[];

const MAX_DATA_BYTES = 1024 * 1024;

export function isLocalKind(kind: unknown): kind is LocalKind {
  return typeof kind === 'string' && KINDS.includes(kind);
}

/** Names the object: `ConfigMap default/app`. */
export function describeLocalObject({ kind, metadata }: LocalObject): string {
  return metadata.namespace ? `${kind} ${metadata.namespace}/${metadata.name}` : `${kind} ${metadata.name}`;
}

export interface DecodedLocalObject {
  readonly object: LocalObject;
  /** An object with any must not be used. */
  readonly errors: readonly FieldError[];
}

/** One document, known to be of a local kind. */
export function decodeLocalObject(document: YamlDocument, kind: LocalKind): DecodedLocalObject {
  const { value, errors } = checkFields(document.value, kind);
  const object = toObject(value as Decoded, kind);
  return { object, errors: [...errors, ...validate(object, value as Decoded)] };
}

interface Decoded {
  readonly metadata?: Partial<LocalMeta>;
  readonly data?: StringMap;
  readonly stringData?: StringMap;
  readonly spec?: object;
}

function toObject(value: Decoded, kind: LocalKind): LocalObject {
  const metadata = { ...value.metadata, name: value.metadata?.name ?? '' };
  const namespace = value.metadata?.namespace || 'default';
  switch (kind) {
    case 'ConfigMap':
      return { ...value, kind, metadata: { ...metadata, namespace } };
    case 'Secret': {
      const { stringData = {}, ...rest } = value;
      const texts = Object.entries(stringData).map(([key, text]) => [key, toBase64(text)]);
      const data = { ...rest.data, ...Object.fromEntries(texts) } as StringMap;
      return { ...rest, kind, metadata: { ...metadata, namespace }, data };
    }
    case 'PersistentVolume': {
      const { namespace: _none, ...named } = metadata;
      return { ...value, kind, metadata: named, spec: { volumeMode: 'Filesystem', ...value.spec } };
    }
    case 'PersistentVolumeClaim':
      return { ...value, kind, metadata: { ...metadata, namespace }, spec: { ...value.spec } };
  }
}

function* validate(object: LocalObject, written: Decoded): Generator<FieldError> {
  const { name, namespace } = object.metadata;
  if (name === '') yield requiredValue('metadata.name');
  else for (const why of subdomainFaults(name)) yield invalidValue('metadata.name', name, why);
  if (namespace !== undefined)
    for (const why of labelFaults(namespace)) yield invalidValue('metadata.namespace', namespace, why);
  switch (object.kind) {
    case 'ConfigMap':
      yield* validateKeys({ data: object.data, binaryData: object.binaryData });
      yield* validateBase64('binaryData', object.binaryData);
      for (const key of Object.keys(object.binaryData ?? {}))
        if (object.data !== undefined && Object.hasOwn(object.data, key))
          yield invalidValue(`binaryData[${key}]`, key, 'duplicate of key present in data');
      break;
    case 'Secret':
      yield* validateKeys({ data: written.data, stringData: written.stringData });
      yield* validateBase64('data', written.data);
      break;
    case 'PersistentVolume':
      yield* validateLocalVolume(object);
      break;
    case 'PersistentVolumeClaim':
      yield* validateLocalClaim(object);
  }
}

function* validateKeys(maps: Readonly<Record<string, StringMap | undefined>>): Generator<FieldError> {
  let size = 0;
  for (const [field, map] of Object.entries(maps)) {
    for (const [key, value] of Object.entries(map ?? {})) {
      size += value.length;
      const path = `${field}[${key}]`;
      if (key.length > 253) yield invalidValue(path, key, 'must be no more than 253 characters');
      else if (!/^[-._a-zA-Z0-9]+$/.test(key))
        yield invalidValue(
          path,
          key,
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        );
      else if (key === '.' || key.startsWith('..'))
        yield invalidValue(path, key, "must not be '.' or start with '..'");
    }
  }
  if (size > MAX_DATA_BYTES)
    yield { path: 'data', value: size, message: `Too long: may not be more than ${MAX_DATA_BYTES} bytes` };
}

/** Values are not repeated in messages: they may be secret. */
function* validateBase64(field: string, map: StringMap = {}): Generator<FieldError> {
  for (const [key, value] of Object.entries(map)) {
    const text = value.replaceAll(/\s/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0)
      yield { path: `${field}[${key}]`, value: undefined, message: 'Invalid value: must be base64' };
  }
}

function toBase64(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

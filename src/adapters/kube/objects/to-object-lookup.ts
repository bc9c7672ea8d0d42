/** A ConfigMap or Secret of the API as the answer to a look-up, its values decoded. */
import type { ObjectLookup } from '../../../core/model/environment-objects.ts';
import type { ObjectReference } from '../../../core/volume/volume-objects.ts';

export interface DataObject {
  readonly metadata?: { readonly name?: string; readonly uid?: string };
  /** Of a Secret. */
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>> | null;
  /** Of a ConfigMap: values that are not text, in base64. */
  readonly binaryData?: Readonly<Record<string, string>> | null;
  readonly immutable?: boolean;
}

/** Values of Secrets are base64; those that are not text are kept as bytes beside their text. */
export function toObjectLookup(kind: ObjectReference['kind'], object: DataObject | undefined): ObjectLookup {
  if (object === undefined) return { kind: 'missing' };
  if (kind === 'configmap')
    return withBytes({ ...object.data }, Object.entries(object.binaryData ?? {}).map(decode));
  const values = Object.entries(object.data ?? {}).map(decode);
  const texts = values.map(([name, value]) => [name, value.toString('utf8')] as const);
  const found = withBytes(
    Object.fromEntries(texts),
    values.filter(([, value], i) => !value.equals(Buffer.from(texts[i]?.[1] ?? ''))),
  );
  return { ...found, secret: { uid: object.metadata?.uid ?? '', type: object.type ?? '' } };
}

function withBytes(
  data: Record<string, string>,
  bytes: readonly (readonly [string, Buffer])[],
): Extract<ObjectLookup, { kind: 'found' }> {
  return { kind: 'found', data, ...(bytes.length === 0 ? {} : { bytes: Object.fromEntries(bytes) }) };
}

function decode([name, value]: readonly [string, string]): readonly [string, Buffer] {
  return [name, Buffer.from(value, 'base64')];
}

/**
 * Our manifest schemas (src/core/manifest/pod-schema.ts and those beside it)
 * beside the API server's. Differences are lines `path: what`.
 */
import { OBJECT_SCHEMAS } from '../../../src/core/manifest/pod-schema.ts';
import { type OpenApiSchema, type OpenApiSchemas, toRefName } from './openapi-document.ts';

export interface Comparison {
  readonly schemas: OpenApiSchemas;
  /** Fields that upstream has and ours does not are differences too. */
  readonly isComplete: boolean;
}

const SCALARS: Readonly<Record<string, readonly [type: string, format?: string]>> = {
  string: ['string'],
  bool: ['boolean'],
  int32: ['integer', 'int32'],
  int64: ['integer', 'int64'],
};
const NAMED: Readonly<Record<string, RegExp>> = {
  quantity: /\.resource\.Quantity$/,
  intOrString: /\.intstr\.IntOrString$/,
  time: /\.meta\.v1\.(?:Micro)?Time$/,
};

/** All differences of our object type `ours` from the schema of the full name `theirs`. */
export function compareSchemas(ours: string, theirs: string, comparison: Comparison): string[] {
  return [...compareObject(ours, [ours, theirs], comparison, new Set())];
}

type Pair = readonly [ours: string, theirs: string];

function* compareObject(
  path: string,
  pair: Pair,
  comparison: Comparison,
  done: Set<string>,
): Generator<string> {
  const [ours, theirs] = pair;
  if (done.has(pair.join(' '))) return;
  done.add(pair.join(' '));
  const fields = OBJECT_SCHEMAS.get(ours) ?? new Map();
  const properties = comparison.schemas.get(theirs)?.properties ?? {};
  for (const [name, { type }] of fields) {
    const property = properties[name];
    if (property === undefined) yield `${path}.${name}: does not exist upstream`;
    else yield* compareType(`${path}.${name}`, type, property, comparison, done);
  }
  if (!comparison.isComplete) return;
  for (const name of Object.keys(properties))
    if (!fields.has(name)) yield `${path}.${name}: is missing in our schema`;
}

function* compareType(
  path: string,
  type: string,
  schema: OpenApiSchema,
  comparison: Comparison,
  done: Set<string>,
): Generator<string> {
  const ref = toRefName(schema);
  const list = /^\[(.*)\]$/.exec(type)?.[1];
  const map = /^\{(.*)\}$/.exec(type)?.[1];
  if (type === 'any') return;
  if (list !== undefined && schema.items !== undefined)
    yield* compareType(`${path}[]`, list, schema.items, comparison, done);
  else if (map !== undefined && schema.additionalProperties !== undefined)
    yield* compareType(`${path}{}`, map, schema.additionalProperties, comparison, done);
  else if (OBJECT_SCHEMAS.get(type) !== undefined && ref !== undefined)
    yield* compareObject(path, [type, ref], comparison, done);
  else if (!isSame(type, schema, ref)) yield `${path}: is ${type} here, ${describe(schema, ref)} upstream`;
}

function isSame(type: string, schema: OpenApiSchema, ref: string | undefined): boolean {
  if (ref !== undefined) return NAMED[type]?.test(ref) === true;
  const [wanted, format] = SCALARS[type] ?? [];
  return wanted === schema.type && (format === undefined || format === schema.format);
}

function describe({ type = '', format = '' }: OpenApiSchema, ref: string | undefined): string {
  return ref ?? `${type} ${format}`.trim();
}

/**
 * The TypeScript of one schema: plain interfaces, one encoder and one decoder
 * per message, and a table of RPCs per service, on top of src/gen/wire.ts.
 */
import { type Field, refuse, type Schema, type Service } from './schema.ts';

/** Scalar types: the TypeScript type, its zero value, and the wire type of its tag. */
const SCALARS: Readonly<Record<string, readonly [type: string, zero: string, wireType: number]>> = {
  string: ['string', "''", 2],
  bytes: ['Uint8Array', 'new Uint8Array(0)', 2],
  bool: ['boolean', 'false', 0],
  int32: ['number', '0', 0],
  uint32: ['number', '0', 0],
  int64: ['number', '0', 0],
  uint64: ['number', '0', 0],
  double: ['number', '0', 1],
  fixed64: ['number', '0', 1],
};

/** Renders the TypeScript of one schema. */
export function renderSchema(source: string, schema: Schema): string {
  const enums = new Set(schema.enums.map((entry) => entry.name));
  const messages = new Set(schema.messages.map((entry) => entry.name));
  const isKnown = (name: string): boolean =>
    enums.has(name) || messages.has(name) || Object.hasOwn(SCALARS, name);
  const resolve = (type: string, scope: string): string =>
    toCandidates(type, scope).find(isKnown) ?? refuse(`unknown type ${type} in ${scope}`);

  const lines = [
    `// Generated from ${source} by scripts/generate-proto.ts. Do not edit.`,
    "import { type Init, type Method, Reader, Writer } from './wire.ts';",
    '',
    `export const PACKAGE = '${schema.packageName}';`,
  ];
  for (const { name, values } of schema.enums) {
    const entries = values.map(([value, number]) => `  ${value}: ${number},`);
    lines.push('', `export const ${name} = {`, ...entries, '} as const;', `export type ${name} = number;`);
  }
  for (const message of schema.messages) {
    const fields = message.fields.map((field) => ({ ...field, type: resolve(field.type, message.name) }));
    lines.push(...renderMessage(message.name, fields, enums));
  }
  for (const service of schema.services) {
    const unknown = service.rpcs
      .flatMap((rpc) => [rpc.request, rpc.response])
      .find((type) => !messages.has(type));
    if (unknown !== undefined) refuse(`unknown message ${unknown} in ${service.name}`);
    lines.push(...renderService(schema.packageName, service));
  }
  return `${lines.join('\n')}\n`;
}

/** Where a type may be declared, innermost first: in `A_B` the name `C` is `A_B_C`, then `A_C`, then `C`. */
function toCandidates(type: string, scope: string): string[] {
  const parts = scope.split('_');
  return parts.map((_, at) => [...parts.slice(0, parts.length - at), type].join('_')).concat(type);
}

function renderMessage(name: string, fields: readonly Field[], enums: ReadonlySet<string>): string[] {
  const kinds = fields.map((field) => toKind(field, enums, toRivals(field, fields)));
  const used = fields.length > 0;
  return [
    '',
    `export interface ${name} {`,
    ...fields.map((field, i) => `  ${field.name}: ${kinds[i]?.declared};`),
    '}',
    `function read${name}(r: Reader, end: number): ${name} {`,
    `  const m: ${name} = { ${fields.map((field, i) => `${field.name}: ${kinds[i]?.zero}`).join(', ')} };`,
    '  while (r.pos < end) {',
    '    const tag = r.uint32();',
    ...(used
      ? ['    switch (tag) {', ...kinds.flatMap((kind) => kind.read), '      default: r.skip(tag);', '    }']
      : ['    r.skip(tag);']),
    '  }',
    '  r.finish(end);',
    '  return m;',
    '}',
    `function write${name}(${used ? 'w' : '_w'}: Writer, ${used ? 'm' : '_m'}: Init<${name}>): void {`,
    ...kinds.map((kind) => kind.write),
    '}',
    `export function decode${name}(bytes: Uint8Array): ${name} {`,
    '  const r = new Reader(bytes);',
    `  return read${name}(r, r.end);`,
    '}',
    `export function encode${name}(m: Init<${name}>): Uint8Array {`,
    '  const w = new Writer();',
    `  write${name}(w, m);`,
    '  return w.finish();',
    '}',
  ];
}

interface Kind {
  readonly declared: string;
  readonly zero: string;
  readonly read: string[];
  readonly write: string;
}

/** Of a oneof the last field on the wire counts: reading one clears these. */
function toRivals(field: Field, fields: readonly Field[]): Field[] {
  return fields.filter(
    ({ name, oneOf }) => oneOf !== undefined && oneOf === field.oneOf && name !== field.name,
  );
}

/** How one field is declared, starts out, is read and is written. */
function toKind(field: Field, enums: ReadonlySet<string>, rivals: readonly Field[]): Kind {
  const { name, number, label } = field;
  const at = `m.${name}`;
  const tag = (wireType: number): number => number * 8 + wireType;
  if (label === 'map') {
    const read = [`      case ${tag(2)}: r.stringEntry(${at}); break;`];
    const write = `  if (${at} !== undefined) w.stringMap(${tag(2)}, ${at});`;
    return { declared: 'Record<string, string>', zero: '{}', read, write };
  }
  const codec = enums.has(field.type) ? 'int32' : field.type;
  const scalar = SCALARS[codec];
  const read = scalar ? `r.${codec}()` : `read${field.type}(r, r.length())`;
  const wireType = scalar?.[2] ?? 2;
  const write = (value: string): string =>
    scalar
      ? `w.${codec}(${tag(wireType)}, ${value});`
      : `{ const at = w.open(${tag(2)}); write${field.type}(w, ${value}); w.close(at); }`;
  const declared = scalar && !enums.has(field.type) ? scalar[0] : field.type;
  if (label === 'repeated') {
    const reads = [`      case ${tag(wireType)}: ${at}.push(${read}); break;`];
    if (wireType !== 2)
      reads.push(
        `      case ${tag(2)}: { const e = r.length(); while (r.pos < e) ${at}.push(${read}); r.finish(e); break; }`,
      );
    const writes = `  if (${at} !== undefined) for (const v of ${at}) ${write('v')}`;
    return { declared: `${declared}[]`, zero: '[]', read: reads, write: writes };
  }
  const clear = rivals.map((rival) => ` m.${rival.name} = undefined;`).join('');
  const reads = [`      case ${tag(wireType)}: ${at} = ${read};${clear} break;`];
  if (!scalar || label === 'optional') {
    const writes = `  if (${at} !== undefined) ${write(at)}`;
    return { declared: `${declared} | undefined`, zero: 'undefined', read: reads, write: writes };
  }
  const isSet = codec === 'bytes' ? `${at}?.byteLength` : at;
  return { declared, zero: scalar[1], read: reads, write: `  if (${isSet}) ${write(at)}` };
}

function renderService(packageName: string, service: Service): string[] {
  const lines = ['', `export const ${service.name} = {`];
  for (const rpc of service.rpcs) {
    lines.push(
      `  ${rpc.name}: { service: '${service.name}', name: '${rpc.name}', serverStreaming: ${rpc.serverStreaming},` +
        ` encodeRequest: encode${rpc.request}, decodeResponse: decode${rpc.response} }` +
        ` satisfies Method<${rpc.request}, ${rpc.response}>,`,
    );
  }
  if (packageName === '') refuse(`service ${service.name} needs a package`);
  return [...lines, '} as const;'];
}

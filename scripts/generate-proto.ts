/**
 * Generates src/gen/<name>.ts from proto/<name>.proto: plain interfaces, one
 * encoder and one decoder per message, and a table of RPCs per service, on
 * top of src/gen/wire.ts. Understands the part of proto3 our schemas use and
 * refuses everything else.
 *
 *   node scripts/generate-proto.ts           writes the files
 *   node scripts/generate-proto.ts --check   fails when one is out of date
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Field {
  readonly name: string;
  readonly number: number;
  readonly type: string;
  readonly label: 'one' | 'optional' | 'repeated' | 'map';
}
interface Message {
  readonly name: string;
  readonly fields: Field[];
}
interface Enum {
  readonly name: string;
  readonly values: (readonly [string, number])[];
}
interface Rpc {
  readonly name: string;
  readonly request: string;
  readonly response: string;
  readonly serverStreaming: boolean;
}
interface Service {
  readonly name: string;
  readonly rpcs: Rpc[];
}
interface Schema {
  packageName: string;
  readonly messages: Message[];
  readonly enums: Enum[];
  readonly services: Service[];
}

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
};

/** Reads a schema; throws on a construct this generator does not know. */
function parseSchema(text: string): Schema {
  const schema: Schema = { packageName: '', messages: [], enums: [], services: [] };
  const tokens = text.replace(/\/\/.*$/gm, '').match(/"[^"]*"|[A-Za-z_][\w.]*|-?\d+|[^\s]/g) ?? [];
  let at = 0;
  const next = (): string => tokens[at++] ?? fail('unexpected end of file');
  const expect = (...wanted: string[]): void => {
    for (const token of wanted) {
      const got = next();
      if (got !== token) fail(`expected ${token}, got ${got}`);
    }
  };
  const skipPast = (token: string): void => {
    while (next() !== token);
  };

  const parseEnum = (scope: string): void => {
    const found: Enum = { name: scope + next(), values: [] };
    expect('{');
    for (let name = next(); name !== '}'; name = next()) {
      expect('=');
      found.values.push([name, Number(next())]);
      skipPast(';');
    }
    schema.enums.push(found);
  };
  const parseField = (first: string, inOneOf: boolean): Field => {
    let type = first;
    let label: Field['label'] = inOneOf ? 'optional' : 'one';
    if (first === 'repeated' || first === 'optional') {
      label = first;
      type = next();
    } else if (first === 'map') {
      label = 'map';
      type = 'string';
      expect('<', 'string', ',', 'string', '>');
    }
    const name = next();
    expect('=');
    const number = Number(next());
    skipPast(';');
    return { name: toJsonName(name), number, type, label };
  };
  const parseMessage = (scope: string): void => {
    const found: Message = { name: scope + next(), fields: [] };
    schema.messages.push(found);
    expect('{');
    for (let token = next(); token !== '}'; token = next()) {
      if (token === 'enum') parseEnum(`${found.name}_`);
      else if (token === 'message') parseMessage(`${found.name}_`);
      else if (token === 'reserved' || token === 'option') skipPast(';');
      else if (token === 'oneof') {
        next();
        expect('{');
        for (let first = next(); first !== '}'; first = next()) found.fields.push(parseField(first, true));
      } else found.fields.push(parseField(token, false));
    }
  };
  const parseService = (): void => {
    const found: Service = { name: next(), rpcs: [] };
    expect('{');
    for (let token = next(); token !== '}'; token = next()) {
      if (token !== 'rpc') fail(`expected rpc, got ${token}`);
      const name = next();
      expect('(');
      const request = next();
      expect(')', 'returns', '(');
      const first = next();
      const serverStreaming = first === 'stream';
      const response = serverStreaming ? next() : first;
      expect(')', '{', '}');
      found.rpcs.push({ name, request, response, serverStreaming });
    }
    schema.services.push(found);
  };

  while (at < tokens.length) {
    const token = next();
    if (token === 'syntax') expect('=', '"proto3"', ';');
    else if (token === 'package') {
      schema.packageName = next();
      expect(';');
    } else if (token === 'option') skipPast(';');
    else if (token === 'message') parseMessage('');
    else if (token === 'enum') parseEnum('');
    else if (token === 'service') parseService();
    else fail(`unknown construct "${token}"`);
  }
  return schema;
}

/** The JSON name of a field: underscores go, the letter after one is a capital. */
function toJsonName(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Renders the TypeScript of one schema. */
function renderSchema(source: string, schema: Schema): string {
  const enums = new Set(schema.enums.map((entry) => entry.name));
  const messages = new Set(schema.messages.map((entry) => entry.name));
  const resolve = (type: string, scope: string): string =>
    [`${scope}_${type}`, type].find((name) => enums.has(name) || messages.has(name) || name in SCALARS) ??
    fail(`unknown type ${type} in ${scope}`);

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
  for (const service of schema.services) lines.push(...renderService(schema.packageName, service));
  return `${lines.join('\n')}\n`;
}

function renderMessage(name: string, fields: readonly Field[], enums: ReadonlySet<string>): string[] {
  const kinds = fields.map((field) => toKind(field, enums));
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

/** How one field is declared, starts out, is read and is written. */
function toKind(field: Field, enums: ReadonlySet<string>): Kind {
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
      reads.push(`      case ${tag(2)}: for (const e = r.length(); r.pos < e; ) ${at}.push(${read}); break;`);
    const writes = `  if (${at} !== undefined) for (const v of ${at}) ${write('v')}`;
    return { declared: `${declared}[]`, zero: '[]', read: reads, write: writes };
  }
  const reads = [`      case ${tag(wireType)}: ${at} = ${read}; break;`];
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
  if (packageName === '') fail(`service ${service.name} needs a package`);
  return [...lines, '} as const;'];
}

function fail(message: string): never {
  throw new Error(`cannot generate protobuf code: ${message}`);
}

const root = new URL('..', import.meta.url);
const check = process.argv.includes('--check');
for (const file of readdirSync(new URL('proto/', root)).filter((name) => name.endsWith('.proto'))) {
  const source = `proto/${file}`;
  const target = new URL(`src/gen/${file.replace(/\.proto$/, '.ts')}`, root);
  const text = renderSchema(source, parseSchema(readFileSync(new URL(source, root), 'utf8')));
  if (!check) writeFileSync(target, text);
  else if (readFileSync(target, 'utf8') !== text) {
    console.error(`${fileURLToPath(target)} is out of date: run node scripts/generate-proto.ts`);
    process.exitCode = 1;
  }
}

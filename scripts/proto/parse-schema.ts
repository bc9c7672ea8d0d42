/**
 * Reads the part of proto3 that our schemas use. Everything else is refused
 * with an error: an option, a number or a type that was skipped in silence
 * would change the wire format without a trace.
 */
import { type Enum, type Field, type Message, refuse, type Schema, type Service } from './schema.ts';
import { Tokens } from './tokens.ts';

/** Of fields; neither changes the wire format. */
const HARMLESS_OPTIONS: ReadonlySet<string> = new Set(['deprecated', 'debug_redact']);
const MAX_FIELD_NUMBER = 2 ** 29 - 1;

/** Throws on a construct this generator does not know. */
export function parseSchema(text: string): Schema {
  const tokens = new Tokens(text);
  const schema: Schema = { packageName: '', messages: [], enums: [], services: [] };
  tokens.expect('syntax', '=', '"proto3"', ';');
  while (!tokens.atEnd) {
    const token = tokens.next();
    if (token === 'package') {
      schema.packageName = tokens.next();
      tokens.expect(';');
    } else if (token === 'option') skipFileOption(tokens);
    else if (token === 'message') parseMessage(tokens, schema, '');
    else if (token === 'enum') schema.enums.push(parseEnum(tokens, ''));
    else if (token === 'service') schema.services.push(parseService(tokens));
    else refuse(`unknown construct ${token}`);
  }
  refuseTwice(
    'type',
    [...schema.messages, ...schema.enums, ...schema.services].map(({ name }) => name),
  );
  return schema;
}

/** A file's options are for generators of other languages. */
function skipFileOption(tokens: Tokens): void {
  tokens.name();
  tokens.expect('=');
  tokens.next();
  tokens.expect(';');
}

function parseMessage(tokens: Tokens, schema: Schema, scope: string): void {
  const found: Message = { name: scope + tokens.name(), fields: [] };
  schema.messages.push(found);
  tokens.expect('{');
  for (let token = tokens.next(); token !== '}'; token = tokens.next()) {
    if (token === 'enum') schema.enums.push(parseEnum(tokens, `${found.name}_`));
    else if (token === 'message') parseMessage(tokens, schema, `${found.name}_`);
    else if (token === 'reserved') skipReserved(tokens);
    else if (token === 'oneof') found.fields.push(...parseOneOf(tokens));
    else found.fields.push(parseField(tokens, token));
  }
  refuseTwice(
    `field of ${found.name}`,
    found.fields.map(({ name }) => name),
  );
  refuseTwice(
    `field number of ${found.name}`,
    found.fields.map(({ number }) => String(number)),
  );
}

function skipReserved(tokens: Tokens): void {
  while (tokens.next() !== ';');
}

function parseOneOf(tokens: Tokens): Field[] {
  const oneOf = tokens.name();
  const fields: Field[] = [];
  tokens.expect('{');
  for (let type = tokens.next(); type !== '}'; type = tokens.next())
    fields.push({ ...parseNameAndNumber(tokens), type: checkType(type), label: 'optional', oneOf });
  return fields;
}

function parseField(tokens: Tokens, first: string): Field {
  if (first === 'map') {
    tokens.expect('<', 'string', ',', 'string', '>');
    return { ...parseNameAndNumber(tokens), type: 'string', label: 'map', oneOf: undefined };
  }
  const isLabel = first === 'repeated' || first === 'optional';
  const type = checkType(isLabel ? tokens.next() : first);
  return { ...parseNameAndNumber(tokens), type, label: isLabel ? first : 'one', oneOf: undefined };
}

function checkType(token: string): string {
  return /^[A-Za-z_]\w*$/.test(token) ? token : refuse(`${token} is no type this generator knows`);
}

function parseNameAndNumber(tokens: Tokens): Pick<Field, 'name' | 'number'> {
  const name = tokens.name();
  tokens.expect('=');
  const number = tokens.integer();
  if (number < 1 || number > MAX_FIELD_NUMBER || (number >= 19_000 && number <= 19_999))
    refuse(`field ${name} has the number ${number}`);
  if (tokens.take('[')) {
    const option = tokens.name();
    if (!HARMLESS_OPTIONS.has(option)) refuse(`field ${name} has the option ${option}`);
    tokens.expect('=', 'true', ']');
  }
  tokens.expect(';');
  return { name: toJsonName(name), number };
}

/** The JSON name of a field: underscores go, the letter after one is a capital. */
function toJsonName(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function parseEnum(tokens: Tokens, scope: string): Enum {
  const found: Enum = { name: scope + tokens.name(), values: [] };
  tokens.expect('{');
  while (!tokens.take('}')) {
    const name = tokens.name();
    tokens.expect('=');
    found.values.push([name, tokens.integer()]);
    tokens.expect(';');
  }
  if (found.values[0]?.[1] !== 0) refuse(`enum ${found.name} does not start with zero`);
  refuseTwice(
    `value of ${found.name}`,
    found.values.map(([name]) => name),
  );
  refuseTwice(
    `number of ${found.name}`,
    found.values.map(([, number]) => String(number)),
  );
  return found;
}

function parseService(tokens: Tokens): Service {
  const found: Service = { name: tokens.name(), rpcs: [] };
  tokens.expect('{');
  while (!tokens.take('}')) {
    tokens.expect('rpc');
    const name = tokens.name();
    tokens.expect('(');
    const request = tokens.name();
    tokens.expect(')', 'returns', '(');
    const serverStreaming = tokens.take('stream');
    const response = tokens.name();
    tokens.expect(')', '{', '}');
    found.rpcs.push({ name, request, response, serverStreaming });
  }
  refuseTwice(
    `call of ${found.name}`,
    found.rpcs.map(({ name }) => name),
  );
  return found;
}

function refuseTwice(what: string, names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) refuse(`${what} appears twice: ${twice}`);
}

/**
 * The value syntaxes of the command line: one parser per flag type, fed one occurrence at a time.
 * Each parser gets the value of the earlier occurrences, so "first replaces, later accumulate" is visible
 * here and nowhere else. Pure; a refusal is a value whose text names what was wanted.
 */

import { isIP } from 'node:net';
import { ownValue, setOwnValue } from '../../base/own-value.ts';
import { formatQuantity, tryParseQuantity } from '../../core/api/quantity.ts';
import { isHugePages } from '../../core/resources/hugepages.ts';
import { parseFeatureGates } from './features.ts';
import { isConfigObject, type JsonObject, type JsonValue } from './json-value.ts';
import {
  isLabelValue,
  isQualifiedName,
  LABEL_VALUE_RULE,
  QUALIFIED_NAME_RULE,
  TAINT_EFFECTS,
} from './label-syntax.ts';
import { parseDuration } from './parse-duration.ts';

export type FlagType =
  | 'bool'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'string'
  | 'duration'
  | 'quantity'
  | 'ip'
  | 'strings'
  | 'map'
  | 'singlePairMap'
  | 'langleMap'
  | 'boolMap'
  | 'multimap'
  | 'labels'
  | 'taints'
  | 'reservedMemory'
  | 'vmodule'
  | 'version';

/** `value: undefined` means the occurrence leaves things as they are (an empty IP). */
export type ParsedFlagValue = { readonly value: JsonValue | undefined } | { readonly problem: string };

type FlagParser = (text: string, earlier: JsonValue | undefined) => ParsedFlagValue;

/** Parses one occurrence of a flag, on top of the value its earlier occurrences gave. */
export function parseFlagValue(
  type: FlagType,
  text: string,
  earlier: JsonValue | undefined,
): ParsedFlagValue {
  return PARSERS[type](text, earlier);
}

const PARSERS: Readonly<Record<FlagType, FlagParser>> = {
  bool: parseBool,
  int32: (text) => parseInteger(text, -(2n ** 31n), 2n ** 31n - 1n),
  int64: (text) => parseInteger(text, -(2n ** 63n), 2n ** 63n - 1n),
  uint32: (text) => parseInteger(text, 0n, 2n ** 32n - 1n),
  string: (text) => ({ value: text }),
  version: (text) => ({ value: text }),
  duration: (text) => {
    const value = parseDuration(text);
    return value === undefined ? { problem: 'want a duration such as "1m30s"' } : { value };
  },
  quantity: (text) => {
    const quantity = tryParseQuantity(text);
    if (quantity === undefined) return { problem: 'want a quantity such as "10Mi"' };
    return { value: formatQuantity(quantity) };
  },
  ip: parseAddress,
  strings: (text, earlier) => {
    const items = parseCsvLine(text);
    if (items === undefined) return { problem: 'want a comma-separated list, quotes balanced' };
    return { value: [...listOf(earlier), ...items] };
  },
  map: (text, earlier) => parsePairs(text.split(','), '=', earlier),
  singlePairMap: (text, earlier) => parsePairs([text], '=', earlier),
  langleMap: (text, earlier) => parsePairs(text.split(','), '<', earlier),
  boolMap: (text, earlier) => {
    const parsed = parseFeatureGates(text);
    return parsed.ok ? { value: { ...mapOf(earlier), ...parsed.settings } } : { problem: parsed.message };
  },
  multimap: parseMultimap,
  labels: (text, earlier) => ({ value: { ...mapOf(earlier), ...parseLabels(text) } }),
  taints: parseTaints,
  reservedMemory: parseReservedMemory,
  vmodule: parseVmodule,
};

function parseBool(text: string): ParsedFlagValue {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return { value: true };
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return { value: false };
  return { problem: 'want true or false' };
}

function parseInteger(text: string, min: bigint, max: bigint): ParsedFlagValue {
  const match = /^([+-]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/.exec(text);
  const problem = `want an integer from ${min} to ${max}`;
  if (match === null) return { problem };
  const [, sign = '', digits = ''] = match;
  const magnitude = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === '-' ? -magnitude : magnitude;
  return value < min || value > max ? { problem } : { value: Number(value) };
}

/** Leading zeros in an IPv4 octet are decimal, never octal. */
function parseAddress(text: string): ParsedFlagValue {
  if (text === '') return { value: undefined };
  const address = /^[\d.]+$/.test(text)
    ? text
        .split('.')
        .map((octet) => octet.replace(/^0+(?=\d)/, ''))
        .join('.')
    : text;
  return isIP(address) === 0 ? { problem: 'want an IPv4 or IPv6 address' } : { value: address };
}

/** One line of RFC 4180 CSV; `undefined` when quotes do not balance. Empty text is an empty list. */
function parseCsvLine(text: string): readonly string[] | undefined {
  if (text === '') return [];
  const items: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  while (cell.lastIndex <= text.length) {
    const match = cell.exec(text);
    if (match === null) return undefined;
    items.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '') return items;
  }
  return items;
}

function parsePairs(
  items: readonly string[],
  separator: string,
  earlier: JsonValue | undefined,
): ParsedFlagValue {
  const map: Record<string, JsonValue> = { ...mapOf(earlier) };
  for (const item of items) {
    if (item === '') continue;
    const at = item.indexOf(separator);
    if (at < 0) return { problem: `malformed pair ${JSON.stringify(item)}: want key${separator}value` };
    setOwnValue(map, item.slice(0, at).trim(), item.slice(at + 1).trim());
  }
  return { value: map };
}

function parseMultimap(text: string, earlier: JsonValue | undefined): ParsedFlagValue {
  const map: Record<string, JsonValue> = { ...mapOf(earlier) };
  for (const item of text.split(',')) {
    if (item === '') continue;
    const at = item.indexOf(':');
    // The pair is not repeated in the complaint: header values are usually credentials.
    if (at < 0) return { problem: 'malformed pair: want Name:value' };
    const name = item.slice(0, at).trim();
    setOwnValue(map, name, [...listOf(ownValue(map, name)), item.slice(at + 1).trim()]);
  }
  return { value: map };
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((item) => item.trim() !== '');
  return Object.fromEntries(
    pairs.map((item) => {
      const at = item.indexOf('=');
      return at < 0 ? [item.trim(), ''] : [item.slice(0, at).trim(), item.slice(at + 1).trim()];
    }),
  );
}

/** The last occurrence wins entirely, so the earlier value is ignored. */
function parseTaints(text: string): ParsedFlagValue {
  const taints: JsonObject[] = [];
  for (const item of text === '' ? [] : text.split(',')) {
    const match = /^([^=:]+)(?:=([^:]*))?:([^:]*)$/.exec(item);
    if (match === null) return { problem: `malformed taint ${JSON.stringify(item)}: want key=value:Effect` };
    const [, key = '', value, effect = ''] = match;
    if (!isQualifiedName(key)) return { problem: `taint key ${JSON.stringify(key)}: ${QUALIFIED_NAME_RULE}` };
    if (!isLabelValue(value ?? ''))
      return { problem: `taint value ${JSON.stringify(value)}: ${LABEL_VALUE_RULE}` };
    if (!TAINT_EFFECTS.includes(effect)) {
      return { problem: `taint effect ${JSON.stringify(effect)}: want one of ${TAINT_EFFECTS.join(', ')}` };
    }
    if (taints.some((taint) => taint['key'] === key && taint['effect'] === effect)) {
      return { problem: `duplicated taint ${key}:${effect}` };
    }
    taints.push(value === undefined ? { key, effect } : { key, value, effect });
  }
  return { value: taints };
}

function parseReservedMemory(text: string, earlier: JsonValue | undefined): ParsedFlagValue {
  const reservations: JsonValue[] = [...listOf(earlier)];
  for (const part of text.split(';').filter((item) => item !== '')) {
    const match = /^(\d+):(.+)$/.exec(part);
    if (match === null) return { problem: `malformed part ${JSON.stringify(part)}: want numa:type=quantity` };
    const limits: Record<string, JsonValue> = {};
    for (const item of (match[2] ?? '').split(',')) {
      const [type = '', amount = '', ...rest] = item.split('=');
      const quantity = tryParseQuantity(amount);
      const known = type === 'memory' || isHugePages(type);
      if (!known || quantity === undefined || rest.length > 0) {
        return {
          problem: `malformed limit ${JSON.stringify(item)}: want memory=quantity or hugepages-<size>=quantity`,
        };
      }
      limits[type] = formatQuantity(quantity);
    }
    reservations.push({ numaNode: Number(match[1]), limits });
  }
  return { value: reservations };
}

function parseVmodule(text: string): ParsedFlagValue {
  const patterns: JsonValue[] = [];
  for (const item of text.split(',').filter((part) => part !== '')) {
    const match = /^([^=]+)=(\d+)$/.exec(item);
    if (match === null) return { problem: `malformed item ${JSON.stringify(item)}: want pattern=N` };
    patterns.push({ filePattern: match[1] ?? '', verbosity: Number(match[2]) });
  }
  return { value: patterns };
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function mapOf(value: JsonValue | undefined): JsonObject {
  return isConfigObject(value) ? value : {};
}

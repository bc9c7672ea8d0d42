/**
 * YAML and JSON text to plain values, keeping for every field the line it stands on. JSON is read as YAML,
 * of which it is a part.
 *
 * Plain scalars mean what they mean in YAML 1.1 as the upstream kubelet reads it, so that a manifest means the
 * same here: `yes`, `no`, `on`, `off` are booleans, 0644 and 0o644 are octal; but times (12:30) and dates stay text.
 * Numbers whose text matters are `SpelledNumber`s. Keys are always text. Duplicate keys, tags other than the plain ones and alias bombs are errors.
 */
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseAllDocuments,
  type ScalarTag,
  type Tags,
  visit,
  type YAMLMap,
} from 'yaml';
import { type SpelledNumber, spellNumber } from './spelled-number.ts';

export interface YamlDocument {
  readonly value: unknown;
  /** What makes the document unreadable; then `value` is undefined. */
  readonly error?: { readonly line: number; readonly message: string };
  /** The line of the field `a.b[0]`, or of the nearest field above it that is written. */
  lineOf(path: string): number;
}

const MAX_ALIAS_COUNT = 100;

/** The documents of `text` in order, empty ones left out. Never throws. */
export function parseYaml(text: string): readonly YamlDocument[] {
  const lines = new LineCounter();
  const stream = parseAllDocuments(text, {
    version: '1.1',
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    stringKeys: true,
    // Checked below: the package compares each key with all before it.
    uniqueKeys: false,
    customTags: (tags) => toUpstreamTags(tags, isJson(text)),
  });
  const documents = Array.isArray(stream) ? stream : [];
  return documents.map((document) => toYamlDocument(document, lines)).filter((one) => one.value !== null);
}

const INT_TAG = 'tag:yaml.org,2002:int';
const FLOAT_TAG = 'tag:yaml.org,2002:float';

/** `0o644`, of YAML 1.2, which upstream's reader takes as well. */
const NEW_OCTAL: ScalarTag = {
  tag: INT_TAG,
  default: true,
  test: /^[-+]?0o[0-7_]+$/,
  resolve: (text) => Number(text.replace(/[-+_]/g, '')) * (text.startsWith('-') ? -1 : 1),
};

/** Upstream does not read such text as YAML, but keeps it to the letter. */
function isJson(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The tags of YAML 1.1 without those that upstream's reader leaves as text. */
function toUpstreamTags(tags: Tags, isJson: boolean): Tags {
  const kept = tags.filter((tag) => {
    if (typeof tag === 'string') return true;
    const name = tag.tag.slice(tag.tag.lastIndexOf(':') + 1);
    const isSexagesimal = 'format' in tag && tag.format === 'TIME';
    return !isSexagesimal && !['timestamp', 'binary', 'omap', 'pairs', 'set'].includes(name);
  });
  return [NEW_OCTAL, ...kept].map((tag) => {
    const isNumber = typeof tag === 'object' && (tag.tag === INT_TAG || tag.tag === FLOAT_TAG);
    return isNumber ? keepSpelling(tag as ScalarTag, isJson) : tag;
  });
}

/** JSON numbers are kept to the letter, YAML ones as numbers, of which whole ones may have 64 bits. */
function keepSpelling(tag: ScalarTag, isJson: boolean): ScalarTag {
  const resolve = (...given: Parameters<ScalarTag['resolve']>): unknown => {
    const resolved: unknown = tag.resolve(...given);
    const value = isScalar(resolved) ? resolved.value : resolved;
    return typeof value === 'number' ? keepText(value, given[0], isJson) : value;
  };
  return { ...tag, resolve };
}

function keepText(value: number, text: string, isJson: boolean): number | SpelledNumber {
  if (isJson) return spellNumber(value, text);
  if (Number.isSafeInteger(value) || !/^[-+]?[1-9][0-9_]*$/.test(text)) return value;
  const exact = BigInt(text.replace(/[+_]/g, ''));
  return exact >= -(2n ** 63n) && exact < 2n ** 64n ? spellNumber(value, String(exact)) : value;
}

function toYamlDocument(document: Document, lines: LineCounter): YamlDocument {
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  const pairsOf = indexMaps();
  const lineOf = (path: string): number => lineAt(offsetOf(document, path, pairsOf));
  // One mistake often causes follow-up errors: only the first is reported.
  const first = document.errors[0] ?? document.warnings[0];
  if (first !== undefined) {
    return { value: undefined, error: { line: lineAt(first.pos[0]), message: first.message }, lineOf };
  }
  try {
    const repeated = findRepeatedKey(document);
    if (repeated !== undefined) {
      const error = { line: lineAt(startOf(repeated) ?? 0), message: 'Map keys must be unique' };
      return { value: undefined, error, lineOf };
    }
    return { value: document.toJS({ maxAliasCount: MAX_ALIAS_COUNT }) as unknown, lineOf };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { value: undefined, error: { line: lineAt(document.range?.[0] ?? 0), message }, lineOf };
  }
}

/** The second of two equal keys of one map, if there is such a pair. */
function findRepeatedKey(document: Document): unknown {
  let repeated: unknown;
  visit(document, {
    Map: (_, map) => {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const value = isScalar(key) ? key.value : key;
        if (seen.has(value)) {
          repeated = key;
          return visit.BREAK;
        }
        seen.add(value);
      }
      return undefined;
    },
  });
  return repeated;
}

type PairsOf = (map: YAMLMap) => ReadonlyMap<string, Pair>;

/** The pairs of a map by key, sorted out when first asked for: a long map may have a problem in each line. */
function indexMaps(): PairsOf {
  const known = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  return (map) => {
    const found = known.get(map) ?? new Map(map.items.map((pair) => [toKeyText(pair), pair]));
    known.set(map, found);
    return found;
  };
}

function toKeyText({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

/** Where the field starts: at its key in a map, at its value in a list. */
function offsetOf(document: Document, path: string, pairsOf: PairsOf): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? document.range?.[0] ?? 0;
  for (const [, name, index] of path.matchAll(/\.?([^.[\]]+)|\[([^\]]*)\]/g)) {
    const found = stepInto(isAlias(node) ? node.resolve(document) : node, name ?? index ?? '', pairsOf);
    if (found === undefined) return offset;
    node = found.node;
    offset = found.offset ?? offset;
  }
  return offset;
}

interface FoundField {
  readonly node: unknown;
  readonly offset: number | undefined;
}

function stepInto(node: unknown, step: string, pairsOf: PairsOf): FoundField | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    return item === undefined ? undefined : { node: item, offset: startOf(item) };
  }
  const pair = isMap(node) ? pairsOf(node).get(step) : undefined;
  return pair === undefined ? undefined : { node: pair.value, offset: startOf(pair.key) };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/**
 * Reads one YAML or JSON text as a KubeletConfiguration document: syntax, repeated keys, apiVersion and kind.
 * First step for --config files and drop-ins alike; what to do about repeated keys is the caller's choice.
 * Invariant: every complaint carries the line it is about.
 */
import { type Document, isMap, isNode, LineCounter, parseAllDocuments, type Tags } from 'yaml';
import { isConfigObject, type JsonObject } from './json-value.ts';
import { CONFIG_API_VERSION, CONFIG_KIND } from './kubelet-configuration.ts';

export interface ConfigDocument {
  readonly content: JsonObject;
  /** One complaint per repeated key; the last value is in `content`. */
  readonly repeated: readonly string[];
  /** The line of a field path as written (`a.b[0].c`), or of its nearest ancestor that has one. */
  lineOf(path: string): number;
}

export type ReadDocument =
  | { readonly ok: true; readonly document: ConfigDocument }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Parses the first document of `text`. Problems are worded without the file name. */
export function readConfigDocument(text: string): ReadDocument {
  if (text.trim() === '') return refuse('is empty');
  const lines = new LineCounter();
  // YAML 1.1, as upstream reads it: `yes` and `off` are booleans, but dates and base-60 numbers stay text.
  const options = {
    version: '1.1',
    lineCounter: lines,
    prettyErrors: false,
    customTags: withoutTimes,
  } as const;
  const parsed = parseAllDocuments(text, options);
  const document = Array.isArray(parsed) ? parsed[0] : undefined;
  if (document === undefined) return refuse('is empty');
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const isRepeat = (error: { code: string }): boolean => error.code === 'DUPLICATE_KEY';
  const broken = document.errors.filter((error) => !isRepeat(error));
  if (broken.length > 0)
    return refuse(...broken.map((error) => `line ${lineAt(error.pos[0])}: ${error.message}`));
  const content: unknown = document.toJS();
  if (!isConfigObject(content)) return refuse('line 1: want an object at the top');
  const headProblems = checkHead(content, (key) => lineAt(offsetOf(document, [key])));
  if (headProblems.length > 0) return refuse(...headProblems);
  return {
    ok: true,
    document: {
      content,
      repeated: document.errors
        .filter(isRepeat)
        .map(
          (error) =>
            `line ${lineAt(error.pos[0])}: key ${JSON.stringify(keyAt(text, error.pos[0]))} is repeated`,
        ),
      lineOf: (path) => lineAt(offsetOf(document, toSteps(path))),
    },
  };
}

function refuse(...problems: readonly string[]): ReadDocument {
  return { ok: false, problems };
}

function checkHead(content: JsonObject, lineOf: (key: string) => number): readonly string[] {
  const wanted = { apiVersion: CONFIG_API_VERSION, kind: CONFIG_KIND };
  return Object.entries(wanted).flatMap(([key, want]) => {
    const value = content[key];
    if (value === want) return [];
    if (value === undefined || value === null) return [`${key} is missing: want ${JSON.stringify(want)}`];
    return [
      `line ${lineOf(key)}: ${key} ${JSON.stringify(value)} is not supported: want ${JSON.stringify(want)}`,
    ];
  });
}

function withoutTimes(tags: Tags): Tags {
  return tags.filter(
    (tag) => typeof tag === 'string' || (tag.format !== 'TIME' && !tag.tag.endsWith(':timestamp')),
  );
}

/** Offset of the deepest node on the way to `steps` that the text has; map keys are preferred to values. */
function offsetOf(document: Document, steps: readonly (string | number)[]): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const step of steps) {
    if (isMap(node)) {
      const pair = node.items.find((item) => String(item.key) === String(step));
      if (pair === undefined) return offset;
      offset = (isNode(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
      node = pair.value;
    } else {
      node =
        isNode(node) && 'get' in node
          ? (node.get as (key: unknown, keep: true) => unknown)(step, true)
          : undefined;
      offset = (isNode(node) ? node.range?.[0] : undefined) ?? offset;
    }
  }
  return offset;
}

/** Splits `a.b[0].c`; map keys that contain dots find their map, which is the right line to within a block. */
function toSteps(path: string): readonly (string | number)[] {
  return path.split('.').flatMap((part) => {
    const [name = '', ...indexes] = part.split('[');
    return [name, ...indexes.map((index) => Number.parseInt(index, 10))];
  });
}

function keyAt(text: string, offset: number): string {
  return /^["']?([^"':\s]+)/.exec(text.slice(offset))?.[1] ?? '';
}

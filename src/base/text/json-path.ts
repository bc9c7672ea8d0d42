/**
 * The templates of kubectl's `-o jsonpath`, as far as they choose and do not compute: text outside of braces, and in
 * them paths (`.items[*].metadata.name`, `['key']`, `[0]`, `[-1]`), texts (`"\n"`) and `range … end`. Filters,
 * slices and `..` are refused. Pure.
 */

export type JsonPath = readonly PathStep[];

type PathStep =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' };

type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: JsonPath }
  | { readonly kind: 'range'; readonly path: JsonPath; readonly body: readonly TemplateNode[] };

export interface JsonPathTemplate {
  readonly nodes: readonly TemplateNode[];
}

const STEP =
  /^(?:\.(?<key>(?:\\.|[A-Za-z0-9_/-])+)|\[(?<index>-?\d{1,9})\]|(?<all>\[\*\]|\.\*)|\['(?<quoted>[^']*)'\])/;

/** `.a.b[0]`, with or without braces, `$` or the first dot; undefined when it is none. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const bare = text
    .trim()
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/^[$@]/, '');
  let rest = /^[.[]/.test(bare) || bare === '' ? bare : `.${bare}`;
  if (rest === '.') return [];
  const steps: PathStep[] = [];
  while (rest !== '') {
    const found = STEP.exec(rest);
    if (found === null) return undefined;
    steps.push(toStep(found.groups ?? {}));
    rest = rest.slice(found[0].length);
  }
  return steps;
}

function toStep({ key, index, all, quoted }: Readonly<Record<string, string | undefined>>): PathStep {
  if (all !== undefined) return { kind: 'all' };
  if (index !== undefined) return { kind: 'index', index: Number(index) };
  return { kind: 'key', key: quoted ?? (key ?? '').replaceAll(/\\(.)/g, '$1') };
}

/** What the path chooses, in order; what is not there is left out. */
export function readJsonPath(document: unknown, path: JsonPath): unknown[] {
  return path.reduce<unknown[]>((found, step) => found.flatMap((value) => takeStep(value, step)), [document]);
}

function takeStep(value: unknown, step: PathStep): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (step.kind === 'all') return Object.values(value);
  if (step.kind === 'index') {
    const item = Array.isArray(value) ? (value.at(step.index) as unknown) : undefined;
    return item === undefined ? [] : [item];
  }
  return !Array.isArray(value) && Object.hasOwn(value, step.key)
    ? [(value as Record<string, unknown>)[step.key]]
    : [];
}

/** A text says what is wrong. */
export function parseJsonPathTemplate(text: string): JsonPathTemplate | string {
  const open: { readonly path: JsonPath; readonly body: TemplateNode[] }[] = [{ path: [], body: [] }];
  const add = (node: TemplateNode): void => void open.at(-1)?.body.push(node);
  for (const [piece, , inside] of text.matchAll(/(\{((?:"(?:\\.|[^"\\])*"|[^}"])*)\})|[^{]+|\{/g)) {
    if (piece === '{') return 'unclosed action';
    const word = inside?.trim();
    const range = word === undefined ? undefined : /^range\s+(.+)$/.exec(word)?.[1];
    if (word === undefined) add({ kind: 'text', text: piece });
    else if (word === 'end') {
      const ended = open.length > 1 ? open.pop() : undefined;
      if (ended === undefined) return 'not in range, nothing to end';
      add({ kind: 'range', ...ended });
    } else if (word.startsWith('"')) add({ kind: 'text', text: unquote(word) });
    else {
      const path = parseJsonPath(range ?? word);
      if (path === undefined) return `unsupported expression ${JSON.stringify(word)}`;
      if (range === undefined) add({ kind: 'path', path });
      else open.push({ path, body: [] });
    }
  }
  return open.length > 1 ? 'unclosed range' : { nodes: open[0]?.body ?? [] };
}

export function renderJsonPathTemplate({ nodes }: JsonPathTemplate, document: unknown): string {
  const render = (node: TemplateNode, value: unknown): string => {
    if (node.kind === 'text') return node.text;
    const found = readJsonPath(value, node.path);
    if (node.kind === 'path') return found.map(renderJsonValue).join(' ');
    return found.map((item) => node.body.map((inner) => render(inner, item)).join('')).join('');
  };
  return nodes.map((node) => render(node, document)).join('');
}

/** Texts as they are, the rest as JSON. */
export function renderJsonValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function unquote(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
  return text.slice(1, -1).replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter);
}

/** Statistics as flat values by name, from the text format of metrics and from JSON documents. Pure. */

/** By the name of a value: a series with its labels in order, or the path of a field. */
export type Values = ReadonlyMap<string, number>;

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Throws on a line that is none. */
export function readSeries(text: string): Values {
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined) throw new Error(`no metric: ${line}`);
    const pairs = [...labels.matchAll(LABEL)].map(([pair]) => pair).toSorted();
    const key = `${name}{${pairs.join(',')}}`;
    if (found.has(key)) throw new Error(`twice in one answer: ${key}`);
    found.set(key, Number(value));
  }
  return found;
}

/** Numbers by their paths; entries of lists are named after what they are. */
export function readNumbers(document: unknown): Values {
  const found = new Map<string, number>();
  const visit = (value: unknown, path: string): void => {
    if (typeof value === 'number') found.set(path, value);
    else if (Array.isArray(value)) for (const item of value) visit(item, `${path}[${nameOf(item)}]`);
    else if (typeof value === 'object' && value !== null)
      for (const [key, part] of Object.entries(value)) visit(part, `${path}.${key}`);
  };
  visit(document, '');
  return found;
}

function nameOf(item: unknown): string {
  const { name, podRef } = item as { readonly name?: string; readonly podRef?: { readonly name: string } };
  return podRef?.name ?? name ?? '';
}

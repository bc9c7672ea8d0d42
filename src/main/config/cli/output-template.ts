/** `-o jsonpath=TEMPLATE` and `-o custom-columns=TITLE:PATH,…`, read from the command line. Pure. */
import {
  type JsonPath,
  type JsonPathTemplate,
  parseJsonPath,
  parseJsonPathTemplate,
} from '../../../base/text/json-path.ts';

export type OutputTemplate =
  | { readonly kind: 'jsonpath'; readonly template: JsonPathTemplate }
  | { readonly kind: 'columns'; readonly columns: readonly OutputColumn[] };

export interface OutputColumn {
  readonly title: string;
  readonly path: JsonPath;
}

/** Undefined when the output is none of these; a text says what is wrong with it. */
export function parseOutputTemplate(output: string): OutputTemplate | string | undefined {
  const [name = '', ...rest] = output.split('=');
  const text = rest.join('=');
  if (name === 'jsonpath') {
    const template = parseJsonPathTemplate(text);
    if (typeof template === 'string') return `invalid jsonpath ${JSON.stringify(text)}: ${template}`;
    return { kind: 'jsonpath', template };
  }
  return name === 'custom-columns' ? parseColumns(text) : undefined;
}

function parseColumns(text: string): OutputTemplate | string {
  const columns: OutputColumn[] = [];
  for (const column of text.split(',')) {
    const colon = column.indexOf(':');
    const path = parseJsonPath(column.slice(colon + 1));
    if (colon < 1 || path === undefined)
      return `invalid column ${JSON.stringify(column)}: want TITLE:PATH, such as NAME:.metadata.name`;
    columns.push({ title: column.slice(0, colon), path });
  }
  return { kind: 'columns', columns };
}

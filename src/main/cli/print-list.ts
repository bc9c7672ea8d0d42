/** The lists of `get` in every form: a table, names, documents, or what a template chooses. */
import { readJsonPath, renderJsonPathTemplate, renderJsonValue } from '../../base/text/json-path.ts';
import { escapeLine } from '../../base/text/terminal-text.ts';
import type { OutputTemplate } from '../config/cli/output-template.ts';
import type { CliContext } from './ask/cli-context.ts';
import { renderNone } from './cli-pod.ts';
import { printPainted } from './show/print-painted.ts';
import { printText } from './show/print-text.ts';
import { isDocument, renderDocument } from './show/render-document.ts';
import { renderTable } from './show/render-table.ts';

export interface PrintedList<T> {
  /** As in `pod/web`. */
  readonly word: string;
  readonly items: readonly T[];
  readonly titles: readonly string[];
  readonly toCells: (item: T) => readonly string[];
  readonly toName: (item: T) => string;
}

export async function printList<T>(context: CliContext, list: PrintedList<T>): Promise<number> {
  const { asked, host } = context;
  const { word, items, titles, toCells, toName } = list;
  const { output, template, noHeaders } = asked.options;
  const document = { apiVersion: 'v1', kind: 'List', items, metadata: {} };
  if (template !== undefined) printText(host.stdout, renderTemplate(template, document, items, noHeaders));
  else if (isDocument(output)) printText(host.stdout, await renderDocument(document, output));
  else if (output === 'name')
    printText(host.stdout, items.map((item) => `${word}/${escapeLine(toName(item))}\n`).join(''));
  else if (items.length === 0) printText(host.stderr, renderNone(context));
  else printPainted(host, renderTable([...(noHeaders ? [] : [titles]), ...items.map(toCells)]), 'table');
  return 0;
}

/** A template is read with the document, columns with each of the items. */
export function renderTemplate(
  template: OutputTemplate,
  document: unknown,
  items: readonly unknown[],
  noHeaders: boolean,
): string {
  if (template.kind === 'jsonpath') return renderJsonPathTemplate(template.template, document);
  const { columns } = template;
  const rows = items.map((item) =>
    columns.map(({ path }) => readJsonPath(item, path).map(renderJsonValue).join(',') || '<none>'),
  );
  return renderTable([...(noHeaders ? [] : [columns.map(({ title }) => title)]), ...rows]);
}

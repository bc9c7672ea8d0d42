/** Answers as documents: JSON and YAML. */
import type { OutputFormat } from '../../config/cli/cli-options.ts';

export function isDocument(output: OutputFormat): output is 'json' | 'yaml' {
  return output === 'json' || output === 'yaml';
}

/** One of many: YAML needs a line between them. */
export async function renderInStream(document: unknown, output: OutputFormat): Promise<string> {
  return `${output === 'yaml' ? '---\n' : ''}${await renderDocument(document, output)}`;
}

export async function renderDocument(
  document: unknown,
  output: 'json' | 'yaml' | OutputFormat,
): Promise<string> {
  if (output !== 'yaml') return `${JSON.stringify(document, undefined, 4)}\n`;
  // Loaded where it is used: no other form needs it.
  const { stringify } = await import('yaml');
  // The older rules, so that times stay text for every reader.
  return stringify(document, { lineWidth: 0, version: '1.1' });
}

/** `config diff`: settings whose value in the files is not in force, and whether a reload or a restart takes them over. */
import type { ConfigurationDifference, ConfigurationReport } from '../../ports/host/configuration-report.ts';
import type { CliContext } from './ask/cli-context.ts';
import { printText } from './show/print-text.ts';
import { isDocument, renderDocument } from './show/render-document.ts';
import { renderTable } from './show/render-table.ts';

const EXIT_REFUSED = 1;
const TITLES = ['FIELD', 'RUNNING', 'FILES', 'TAKES'];

/** Exit code 1 when the files cannot be used. */
export async function showConfigurationDiff({ client, asked, host }: CliContext): Promise<number> {
  const report = await client.getJson<ConfigurationReport>('/configuration');
  const exitCode = report.problems.length > 0 ? EXIT_REFUSED : 0;
  const { output } = asked.options;
  if (isDocument(output)) {
    printText(host.stdout, await renderDocument(report, output));
    return exitCode;
  }
  const { problems, differences } = report;
  for (const problem of problems) printText(host.stderr, `error: ${problem}\n`);
  if (differences.length > 0) printText(host.stdout, renderTable([TITLES, ...differences.map(toRow)]));
  printText(host.stderr, `${summarize(report)}\n`);
  return exitCode;
}

function toRow({ field, running, inFiles, takes, because }: ConfigurationDifference): string[] {
  return [field, toText(running), toText(inFiles), because === undefined ? takes : `${takes}: ${because}`];
}

function toText(value: unknown): string {
  return value === undefined ? '-' : JSON.stringify(value);
}

function summarize({ sources, problems, differences }: ConfigurationReport): string {
  if (problems.length > 0) return 'The files cannot be used; a reload or restart would not take them over.';
  if (sources.length === 0)
    return 'This kubelet has no configuration file: its settings are flags and defaults.';
  if (differences.length === 0) return `What is in force is what is in ${sources.join(' and ')}.`;
  const reloads = differences.filter(({ takes }) => takes === 'reload').length;
  if (reloads === 0) return 'All of these wait for a restart.';
  return `SIGHUP makes the kubelet reload ${reloads} of ${differences.length}.`;
}

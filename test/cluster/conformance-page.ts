// The page about several conformance runs, docs/conformance.md, as text. Pure: conformance-summary.ts does the files.
import { parseExpected, type Verdict } from './conformance-report.ts';

/** What a run was about; conformance.ts writes it beside the report, conformance-summary.ts reads it. */
export interface RunFacts {
  readonly kubelet: string;
  readonly date: string;
  readonly seconds: number;
  readonly focus: string;
  readonly skip: string;
  /** Nothing on the list of expected passes was left out. */
  readonly whole: boolean;
  /** As the node reports them: kubeletVersion, containerRuntimeVersion, kernelVersion, osImage. */
  readonly node: Readonly<Record<string, string>>;
  readonly suiteVersion: string;
}

export interface RecordedRun {
  readonly facts: RunFacts;
  readonly verdict: Verdict;
}

/** Reads lines `NAME => REASON`. */
export function parseReasons(text: string): ReadonlyMap<string, string> {
  const pairs = [...parseExpected(text)].map((line) => line.split(' => '));
  return new Map(pairs.map(([name = '', reason = '']) => [name, reason]));
}

/** The page about several runs. The versions are those of the last one. */
export function renderConformance(
  runs: readonly RecordedRun[],
  expected: number,
  reasons: ReadonlyMap<string, string>,
): string {
  const facts = runs.at(-1)?.facts;
  const skips = new Set(runs.map((run) => run.facts.skip));
  const parts = [
    '# Conformance',
    "Upstream's own NodeConformance tests against our kubelet as the only node of a real control plane, on one machine (`make conformance`). This page is written by `test/cluster/conformance-summary.ts` from the reports of the runs.",
    [
      `- Tests: Kubernetes ${facts?.suiteVersion ?? ''}`,
      ...Object.entries(facts?.node ?? {}).map(([name, value]) => `- ${name}: ${value}`),
      `- Expected to pass: the ${expected} tests of \`test/cluster/expected-passes.txt\`, all that the upstream kubelet of the same version passes on such a host`,
      `- Left out, by name: ${[...skips].map((skip) => `\`${skip}\``).join(', ')}`,
    ].join('\n'),
    [
      '| Run | Kubelet | Duration | Passed | Failed of the expected | Expected but not run | Failed of the others | Verdict |',
      '|---|---|---|---|---|---|---|---|',
      ...runs.map(renderRow),
    ].join('\n'),
    '## Failures',
    renderFailures(runs, reasons),
  ];
  return `${parts.join('\n\n')}\n`;
}

function renderRow({ facts, verdict }: RecordedRun): string {
  const counts = [verdict.passed, verdict.regressions, verdict.missing, verdict.otherFailures];
  const [date = ''] = facts.date.split('.');
  const cells = [`${date.replace('T', ' ')} UTC`, facts.node['kubeletVersion'] ?? '', `${facts.seconds} s`];
  return `| ${[...cells, ...counts.map(({ length }) => length), verdict.ok ? 'ok' : 'NOT ok'].join(' | ')} |`;
}

function renderFailures(runs: readonly RecordedRun[], reasons: ReadonlyMap<string, string>): string {
  const failures = runs.flatMap(({ verdict }) => [...verdict.regressions, ...verdict.otherFailures]);
  const names = [...new Set([...failures.map(({ name }) => name), ...reasons.keys()])].sort();
  if (names.length === 0) return 'None.';
  const count = (name: string): number => failures.filter((test) => test.name === name).length;
  const lines = names.map((name) => {
    const inRuns = count(name) === 0 ? 'left out' : `${count(name)} of ${runs.length} runs`;
    return `- ${name}: ${reasons.get(name) ?? 'NOT explained'} (${inRuns})`;
  });
  return [
    ...lines,
    '',
    'What the host or the images explain fails with the upstream kubelet here as well.',
  ].join('\n');
}

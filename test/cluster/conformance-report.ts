// Turns the JSON report of one of upstream's suites into a verdict against our list of expected passes, and renders
// it for people. Pure: conformance.ts and ../node-e2e/node-e2e.ts run the suites and do the files.

/** One test that was run (or that decided by itself to be skipped). */
export interface TestResult {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
  /** Why it failed or skipped itself; empty if it passed. */
  readonly message: string;
}

export interface SuiteResult {
  /** Tests selected by the filters, in order of name. */
  readonly results: readonly TestResult[];
  /** Every test of the suite, selected or not. */
  readonly known: ReadonlySet<string>;
  /** What broke outside of the tests (set-up, time limit); such a run says nothing about what was not run. */
  readonly faults: readonly string[];
}

export interface Verdict {
  readonly passed: readonly TestResult[];
  /** Failed although they are on the list. */
  readonly regressions: readonly TestResult[];
  /** Failed, and are not on the list. */
  readonly otherFailures: readonly TestResult[];
  /** Passed, and are not on the list yet. */
  readonly newPasses: readonly TestResult[];
  /** On the list, but skipped themselves, or were not run in a whole run, or no longer exist in the suite. */
  readonly missing: readonly string[];
  readonly ok: boolean;
}

interface SpecReport {
  readonly ContainerHierarchyTexts?: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly RunTime?: number;
  readonly Failure?: { readonly Message?: string };
}

interface GinkgoReport {
  readonly SpecReports?: readonly SpecReport[] | null;
  readonly SpecialSuiteFailureReasons?: readonly string[] | null;
}

/** Parses ginkgo's `--json-report`. Throws if the text is not such a report. */
export function parseSuiteReport(text: string): SuiteResult {
  const reports: unknown = JSON.parse(text);
  if (!Array.isArray(reports)) throw new Error('cannot read the report: it is not a list of suites');
  const known = new Set<string>();
  const results: TestResult[] = [];
  const faults: string[] = [];
  for (const report of reports as readonly GinkgoReport[]) {
    faults.push(...(report.SpecialSuiteFailureReasons ?? []).filter((reason) => !isAboutTests(reason)));
    for (const spec of report.SpecReports ?? []) {
      if (spec.LeafNodeType !== 'It') {
        if (isFailure(spec.State)) faults.push(`${spec.LeafNodeType}: ${toMessage(spec)}`);
        continue;
      }
      const name = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' ');
      known.add(name);
      const outcome = toOutcome(spec);
      if (outcome === undefined) continue;
      results.push({ name, outcome, seconds: (spec.RunTime ?? 0) / 1e9, message: toMessage(spec) });
    }
  }
  results.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { results, known, faults };
}

/** ginkgo repeats there what single tests already say. */
function isAboutTests(reason: string): boolean {
  return /^Detected (pending|flak|failing|repeated)/i.test(reason);
}

function isFailure(state: string): boolean {
  return ['failed', 'panicked', 'timedout', 'interrupted', 'aborted'].includes(state);
}

/** A test that the filters left out has the state "skipped" too, but no message; it has no outcome. */
function toOutcome(spec: SpecReport): TestResult['outcome'] | undefined {
  if (spec.State === 'passed') return 'passed';
  if (isFailure(spec.State)) return 'failed';
  return spec.State === 'skipped' && spec.Failure?.Message ? 'skipped' : undefined;
}

function toMessage(spec: SpecReport): string {
  return (spec.Failure?.Message ?? '').replace(/\s+/g, ' ').trim().slice(0, 300);
}

/** Reads a list of test names: one per line, empty lines and lines that begin with # do not count. */
export function parseExpected(text: string): ReadonlySet<string> {
  const lines = text.split('\n').map((line) => line.trim());
  return new Set(lines.filter((line) => line !== '' && !line.startsWith('#')));
}

/**
 * Compares a run with the list. `whole` says that nothing was narrowed down: then each test of the list must
 * have run. In a narrowed run only tests that no longer exist, or that skipped themselves, are missing.
 */
export function decideVerdict(suite: SuiteResult, expected: ReadonlySet<string>, whole: boolean): Verdict {
  const byOutcome = (outcome: TestResult['outcome']) =>
    suite.results.filter((test) => test.outcome === outcome);
  const passed = byOutcome('passed');
  const failed = byOutcome('failed');
  const ran = new Set([...passed, ...failed].map((test) => test.name));
  const selfSkipped = new Set(byOutcome('skipped').map((test) => test.name));
  const isMissing = (name: string) =>
    !ran.has(name) && (whole || selfSkipped.has(name) || !suite.known.has(name));
  const missing = [...expected].filter(isMissing).sort();
  const regressions = failed.filter((test) => expected.has(test.name));
  return {
    passed,
    regressions,
    otherFailures: failed.filter((test) => !expected.has(test.name)),
    newPasses: passed.filter((test) => !expected.has(test.name)),
    missing,
    ok: ran.size > 0 && regressions.length === 0 && missing.length === 0 && suite.faults.length === 0,
  };
}

/** The verdict in one line. */
export function renderSummary(verdict: Verdict): string {
  const failed = verdict.regressions.length + verdict.otherFailures.length;
  return (
    `${verdict.passed.length} passed, ${failed} failed (${verdict.regressions.length} of them expected to pass), ` +
    `${verdict.missing.length} missing, ${verdict.newPasses.length} passed for the first time`
  );
}

/** The outcome for a terminal: what needs a look, then the verdict; `run` says which run it was. */
export function renderOutcome(suite: SuiteResult, verdict: Verdict, run: string): readonly string[] {
  return [
    ...suite.faults.map((fault) => `FAULT   ${fault}`),
    ...verdict.regressions.map((test) => `FAILED  ${test.name}\n        ${test.message}`),
    ...verdict.missing.map((name) => `MISSING ${name}`),
    ...verdict.otherFailures.map((test) => `failed, and is not on the list: ${test.name}`),
    `${verdict.ok ? 'ok' : 'NOT ok'}: ${renderSummary(verdict)} (${run})`,
  ];
}

/** The whole report as Markdown; `facts` (which kubelet, how long, …) stand at its top. */
export function renderReport(
  title: string,
  suite: SuiteResult,
  verdict: Verdict,
  facts: Readonly<Record<string, string | number | boolean>>,
): string {
  const withMessage = (test: TestResult) =>
    `- ${test.name} (${test.seconds.toFixed(1)} s)\n  ${test.message}`;
  const slowest = suite.results.toSorted((a, b) => b.seconds - a.seconds).slice(0, 15);
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Faults outside of the tests', suite.faults.map((fault) => `- ${fault}`)],
    ['Expected to pass, but failed', verdict.regressions.map(withMessage)],
    ['Expected to pass, but not run', verdict.missing.map((name) => `- ${name}`)],
    ['Other failures', verdict.otherFailures.map(withMessage)],
    ['Passed, and not on the list yet', verdict.newPasses.map((test) => `- ${test.name}`)],
    ['Slowest', slowest.map((test) => `- ${test.seconds.toFixed(1)} s ${test.name}`)],
    ['Passed', verdict.passed.map((test) => `- ${test.name}`)],
  ];
  const head = Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`);
  const body = sections.filter(([, lines]) => lines.length > 0);
  return [
    `# ${title}: ${verdict.ok ? 'ok' : 'NOT ok'}`,
    `${renderSummary(verdict)}.`,
    head.join('\n'),
    ...body.map(([heading, lines]) => `## ${heading} (${lines.length})\n\n${lines.join('\n')}`),
    '',
  ].join('\n\n');
}

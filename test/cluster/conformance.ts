// Runs the upstream NodeConformance tests against the node of the running test cluster and compares the outcome
// with expected-passes.txt. `make conformance` brings the cluster up first.
//
// usage: node test/cluster/conformance.ts --suite DIR --kubeconfig FILE --output DIR [--kubelet NAME]
//        [--focus REGEX] [--skip REGEX] [--quick] [--procs N]
//   --suite   where ginkgo and e2e.test are      --output  gets report.md, report.json, log.txt, passed.txt
//   --focus   only tests whose name matches      --quick   only those of quick.txt
// Exit code 0: every expected test that was selected passed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RunFacts } from './conformance-page.ts';
import {
  decideVerdict,
  parseExpected,
  parseSuiteReport,
  renderOutcome,
  renderReport,
} from './conformance-report.ts';
import { runSuite, toFocusOn } from './suite-run.ts';

const DEFAULT_SKIP = String.raw`\[Flaky\]|\[Slow\]|\[Feature:|\[Alpha\]`;
const TIME_LIMIT = '170m';

interface Options {
  readonly suite: string;
  readonly kubeconfig: string;
  readonly output: string;
  readonly kubelet: string;
  readonly focus: readonly string[];
  readonly skip: string;
  readonly procs: string;
}

function readList(name: string): ReadonlySet<string> {
  return parseExpected(readFileSync(join(import.meta.dirname, name), 'utf8'));
}

function parseOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      suite: text,
      kubeconfig: text,
      output: text,
      kubelet: { type: 'string', default: 'unknown' },
      focus: text,
      skip: { type: 'string', default: DEFAULT_SKIP },
      quick: { type: 'boolean', default: false },
      procs: { type: 'string', default: '4' },
    },
  });
  const { suite, kubeconfig, output, focus, quick, ...rest } = values;
  if (!suite || !kubeconfig || !output) throw new Error('--suite, --kubeconfig and --output are required');
  if (quick && focus) throw new Error('--quick and --focus exclude each other');
  const names = quick ? [...readList('quick.txt')].map(toFocusOn) : [];
  return { suite, kubeconfig, output, ...rest, focus: focus ? [focus] : names };
}

/** The label, not the name, selects NodeConformance: so a focus narrows it down instead of replacing it. */
function toArguments(options: Options): readonly string[] {
  return [
    `-procs=${options.procs}`,
    '--label-filter=NodeConformance',
    ...options.focus.map((focus) => `--focus=${focus}`),
    ...(options.skip ? [`--skip=${options.skip}`] : []),
    `--timeout=${TIME_LIMIT}`,
    '--no-color',
    '--json-report=report.json',
    `--output-dir=${options.output}`,
    join(options.suite, 'e2e.test'),
    '--',
    `--kubeconfig=${options.kubeconfig}`,
    '--provider=skeleton',
    '--num-nodes=1',
    '--disable-log-dump',
    '--dump-logs-on-failure=false',
    `--report-dir=${options.output}`,
  ];
}

/** Of the node, as it reports them, and of the suite. */
function readVersions({ suite, kubeconfig }: Options): Pick<RunFacts, 'node' | 'suiteVersion'> {
  const kubectl = (...args: readonly string[]): string =>
    execFileSync(join(suite, 'kubectl'), ['--kubeconfig', kubeconfig, ...args], { encoding: 'utf8' });
  const info: RunFacts['node'] = JSON.parse(
    kubectl('get', 'nodes', '-o', 'jsonpath={.items[0].status.nodeInfo}'),
  );
  const names = ['kubeletVersion', 'containerRuntimeVersion', 'kernelVersion', 'osImage'];
  const { clientVersion }: { clientVersion: { gitVersion: string } } = JSON.parse(
    kubectl('version', '--client', '-o', 'json'),
  );
  return {
    node: Object.fromEntries(names.map((name) => [name, info[name] ?? ''])),
    suiteVersion: clientVersion.gitVersion,
  };
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  mkdirSync(options.output, { recursive: true });
  const started = Date.now();
  await runSuite({
    program: join(options.suite, 'ginkgo'),
    args: toArguments(options),
    output: options.output,
    label: 'conformance',
  });
  const suite = parseSuiteReport(readFileSync(join(options.output, 'report.json'), 'utf8'));
  const expected = readList('expected-passes.txt');
  const skip = new RegExp(options.skip);
  const whole = options.focus.length === 0 && ![...expected].some((name) => skip.test(name));
  const verdict = decideVerdict(suite, expected, whole);
  const facts: RunFacts = {
    kubelet: options.kubelet,
    date: new Date(started).toISOString(),
    seconds: Math.round((Date.now() - started) / 1000),
    focus:
      options.focus.length > 1 ? `${options.focus.length} tests of quick.txt` : (options.focus[0] ?? 'all'),
    skip: options.skip,
    whole,
    ...readVersions(options),
  };
  const { node, ...others } = facts;
  const report = join(options.output, 'report.md');
  writeFileSync(join(options.output, 'run.json'), JSON.stringify(facts, undefined, 2));
  writeFileSync(report, renderReport('Node conformance', suite, verdict, { ...others, ...node }));
  writeFileSync(join(options.output, 'passed.txt'), verdict.passed.map((test) => `${test.name}\n`).join(''));
  const lines = renderOutcome(suite, verdict, `${facts.seconds} s, kubelet: ${facts.kubelet}`);
  process.stdout.write([...lines, `report: ${report}`].map((line) => `[conformance] ${line}\n`).join(''));
  process.exitCode = verdict.ok ? 0 : 1;
}

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`[conformance] ERROR: cannot run the conformance tests: ${message}\n`);
  process.exitCode = 1;
}

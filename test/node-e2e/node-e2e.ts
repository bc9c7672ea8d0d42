// Runs upstream's node tests in a directory that node-e2e.sh has prepared, and compares the outcome with
// expected-passes.txt (expected-machine-passes.txt), which is what the upstream kubelet passes on such a host (machine).
//
// usage: node test/node-e2e/node-e2e.ts --suite DIR --work DIR --endpoint URL --output DIR [--kubelet NAME]
//        [--focus REGEX | --quick] [--skip REGEX] [--procs N] [--timeout DURATION] [--machine]
//   --quick  only the tests of quick.txt; without it and --focus the families of families.ts
//   --machine  it is the machine of ../vm, with lists and families of its own
//   --suite  where ginkgo is   --work  holds e2e_node.test, bin/kubelet and base.yaml; the suite runs there
//   --output gets report.md, report.json, log.txt, kubelet.log, passed.txt
// Exit code 0: every expected test that was selected passed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, release } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseReasons } from '../cluster/conformance-page.ts';
import {
  decideVerdict,
  parseExpected,
  parseSuiteReport,
  renderOutcome,
  renderReport,
} from '../cluster/conformance-report.ts';
import { runSuite, toFocusOn } from '../cluster/suite-run.ts';
import { FAMILIES, MACHINE_FAMILIES, renderFamilies, toFocus } from './families.ts';

const DEFAULT_SKIP = String.raw`\[Flaky\]|\[Alpha\]|\[Feature:OffByDefault\]|Pod Level Resources`;

const EXPECTED = { host: 'expected-passes.txt', machine: 'expected-machine-passes.txt' } as const;

interface Options {
  readonly suite: string;
  readonly work: string;
  readonly endpoint: string;
  readonly output: string;
  readonly kubelet: string;
  /** Tests that any of these match; none are the families. */
  readonly focus: readonly string[];
  readonly skip: string;
  readonly procs: string;
  readonly timeout: string;
  readonly machine: boolean;
}

function readText(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}

function parseOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      suite: text,
      work: text,
      endpoint: text,
      output: text,
      kubelet: { type: 'string', default: 'unknown' },
      focus: text,
      quick: { type: 'boolean', default: false },
      skip: { type: 'string', default: DEFAULT_SKIP },
      procs: { type: 'string', default: '2' },
      timeout: { type: 'string', default: '5h' },
      machine: { type: 'boolean', default: false },
    },
  });
  const { suite, work, endpoint, output, focus, quick, ...rest } = values;
  if (!suite || !work || !endpoint || !output) {
    throw new Error('--suite, --work, --endpoint and --output are required');
  }
  if (quick && focus) throw new Error('--quick and --focus exclude each other');
  const names = quick ? [...parseExpected(readText('quick.txt'))].map(toFocusOn) : [];
  return { suite, work, endpoint, output, ...rest, focus: focus ? [focus] : names };
}

function familiesOf(options: Options): readonly string[] {
  return options.machine ? MACHINE_FAMILIES : FAMILIES;
}

/** Tests marked Serial run alone, after the others. */
function toArguments(options: Options): readonly string[] {
  return [
    `-procs=${options.procs}`,
    ...(options.focus.length > 0 ? options.focus : [toFocus(familiesOf(options))]).map(
      (focus) => `--focus=${focus}`,
    ),
    `--skip=${options.skip}`,
    `--timeout=${options.timeout}`,
    '-v',
    '--no-color',
    '--json-report=report.json',
    `--output-dir=${options.output}`,
    join(options.work, 'e2e_node.test'),
    '--',
    `--k8s-bin-dir=${join(options.work, 'bin')}`,
    `--kubelet-config-file=${join(options.work, 'base.yaml')}`,
    `--container-runtime-endpoint=${options.endpoint}`,
    `--node-name=${hostname().toLowerCase()}`,
    '--prepull-images=false',
    '--dump-logs-on-failure=false',
    `--report-dir=${options.output}`,
  ];
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  const { output } = options;
  const place = options.machine ? 'machine' : 'host';
  mkdirSync(output, { recursive: true });
  const started = Date.now();
  await runSuite({
    program: join(options.suite, 'ginkgo'),
    args: toArguments(options),
    output,
    label: 'node-e2e',
  });
  const suite = parseSuiteReport(readFileSync(join(output, 'report.json'), 'utf8'));
  const whole = options.focus.length === 0 && options.skip === DEFAULT_SKIP;
  const verdict = decideVerdict(suite, parseExpected(readText(EXPECTED[place])), whole);
  const facts = {
    kubelet: `${options.kubelet}, ${execFileSync(join(options.work, 'bin/kubelet'), ['--version'], { encoding: 'utf8' }).trim()}`,
    date: new Date(started).toISOString(),
    seconds: Math.round((Date.now() - started) / 1000),
    kernel: release(),
    focus:
      options.focus.length > 1
        ? `${options.focus.length} tests of quick.txt`
        : (options.focus[0] ?? familiesOf(options).join(', ')),
    skip: options.skip,
    whole,
  };
  const reasons = parseReasons(readText(`known-${place}-failures.txt`));
  const explained = verdict.otherFailures.filter((test) => reasons.has(test.name));
  const families = renderFamilies(suite.results);
  const parts = [
    renderReport('Node e2e', suite, verdict, facts),
    '## Families\n',
    families,
    `## Failures that the host explains (${explained.length})\n`,
    ...explained.map((test) => `- ${test.name}: ${reasons.get(test.name)}`),
    '',
  ];
  const report = join(output, 'report.md');
  writeFileSync(report, parts.join('\n'));
  writeFileSync(join(output, 'passed.txt'), verdict.passed.map((test) => `${test.name}\n`).join(''));
  const lines = renderOutcome(suite, verdict, `${facts.seconds} s, kubelet: ${facts.kubelet}`);
  process.stdout.write(families);
  process.stdout.write([...lines, `report: ${report}`].map((line) => `[node-e2e] ${line}\n`).join(''));
  process.exitCode = verdict.ok ? 0 : 1;
}

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`[node-e2e] ERROR: cannot run the node tests: ${message}\n`);
  process.exitCode = 1;
}

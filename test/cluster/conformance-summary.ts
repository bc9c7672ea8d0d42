// Writes docs/conformance.md from the reports of whole conformance runs, oldest first. What it says of a run is what
// `make conformance` found and wrote into the run's directory; only the reasons for known failures are written by hand.
//
// usage: node test/cluster/conformance-summary.ts DIR… >docs/conformance.md
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseReasons, type RecordedRun, type RunFacts, renderConformance } from './conformance-page.ts';
import { decideVerdict, parseExpected, parseSuiteReport } from './conformance-report.ts';

const readHere = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
const expected = parseExpected(readHere('expected-passes.txt'));

function readRun(directory: string): RecordedRun {
  const facts = JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8')) as RunFacts;
  const suite = parseSuiteReport(readFileSync(join(directory, 'report.json'), 'utf8'));
  return { facts, verdict: decideVerdict(suite, expected, facts.whole) };
}

const directories = process.argv.slice(2);
if (directories.length === 0) throw new Error('usage: conformance-summary.ts DIR…');
process.stdout.write(
  renderConformance(
    directories.map(readRun),
    expected.size,
    parseReasons(readHere('known-host-failures.txt')),
  ),
);

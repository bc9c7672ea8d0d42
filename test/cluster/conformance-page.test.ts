import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseReasons, type RecordedRun, renderConformance } from './conformance-page.ts';
import { decideVerdict, parseSuiteReport } from './conformance-report.ts';

function run(outcomes: Readonly<Record<string, 'passed' | 'failed'>>, date: string): RecordedRun {
  const specs = Object.entries(outcomes).map(([name, state]) => ({
    LeafNodeType: 'It',
    LeafNodeText: name,
    State: state,
    RunTime: 1e9,
    ...(state === 'failed' ? { Failure: { Message: 'x' } } : {}),
  }));
  const suite = parseSuiteReport(JSON.stringify([{ SpecReports: specs }]));
  const facts = {
    kubelet: 'ours',
    date,
    seconds: 90,
    focus: 'all',
    skip: 'Slow',
    whole: true,
    node: { kubeletVersion: 'v1+ts.2', kernelVersion: '6.1' },
    suiteVersion: 'v1',
  };
  return { facts, verdict: decideVerdict(suite, new Set(['a', 'b']), true) };
}

describe('renderConformance', () => {
  const good = run({ a: 'passed', b: 'passed', c: 'failed' }, '2026-01-02T03:04:05.678Z');
  const bad = run({ a: 'passed', b: 'failed', c: 'failed' }, '2026-01-03T03:04:05.678Z');
  const page = renderConformance([good, bad], 2, parseReasons('# why\nc => no registry\n'));

  test('has a row with the counts and the verdict of each run', () => {
    assert.match(page, /\| 2026-01-02 03:04:05 UTC \| v1\+ts\.2 \| 90 s \| 2 \| 0 \| 0 \| 1 \| ok \|/);
    assert.match(page, /\| 2026-01-03 03:04:05 UTC \| v1\+ts\.2 \| 90 s \| 1 \| 1 \| 0 \| 1 \| NOT ok \|/);
  });

  test('names each failure once, with its reason or that there is none', () => {
    assert.match(page, /^- b: NOT explained \(1 of 2 runs\)$/m);
    assert.match(page, /^- c: no registry \(2 of 2 runs\)$/m);
    assert.match(page, /- kernelVersion: 6\.1\n/);
  });

  test('says so when nothing failed', () => {
    assert.match(
      renderConformance([run({ a: 'passed', b: 'passed' }, '')], 2, new Map()),
      /## Failures\n\nNone\./,
    );
  });
});

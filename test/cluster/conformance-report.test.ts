import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  decideVerdict,
  parseExpected,
  parseSuiteReport,
  renderOutcome,
  renderReport,
  renderSummary,
} from './conformance-report.ts';

const spec = (text: string, state: string, message?: string, type = 'It') => ({
  ContainerHierarchyTexts: type === 'It' ? ['[sig-node] Pods'] : null,
  LeafNodeType: type,
  LeafNodeText: text,
  State: state,
  RunTime: 1.5e9,
  ...(message ? { Failure: { Message: message } } : {}),
});
const name = (text: string) => `[sig-node] Pods ${text}`;
const suiteOf = (...specs: readonly object[]) => parseSuiteReport(JSON.stringify([{ SpecReports: specs }]));

describe('parseSuiteReport', () => {
  test('joins the texts to a name and distinguishes tests left out by a filter from tests that skip themselves', () => {
    const suite = suiteOf(
      spec('runs', 'passed'),
      spec('dies', 'panicked', 'boom\n  at line 3'),
      spec('is left out', 'skipped'),
      spec('skips itself', 'skipped', 'needs AppArmor'),
      spec('later', 'pending'),
    );
    assert.deepEqual(suite.results, [
      { name: name('dies'), outcome: 'failed', seconds: 1.5, message: 'boom at line 3' },
      { name: name('runs'), outcome: 'passed', seconds: 1.5, message: '' },
      { name: name('skips itself'), outcome: 'skipped', seconds: 1.5, message: 'needs AppArmor' },
    ]);
    assert.equal(suite.known.size, 5);
    assert.deepEqual(suite.faults, []);
  });

  test('a failed set-up of the suite is a fault, not a test', () => {
    const suite = suiteOf(spec('', 'failed', 'no nodes', 'SynchronizedBeforeSuite'), spec('runs', 'passed'));
    assert.deepEqual(suite.faults, ['SynchronizedBeforeSuite: no nodes']);
    assert.equal(decideVerdict(suite, new Set(), false).ok, false);
  });

  test('refuses what is not a report', () => {
    assert.throws(() => parseSuiteReport('{}'), /not a list of suites/);
  });
});

describe('decideVerdict', () => {
  const suite = suiteOf(
    spec('a', 'passed'),
    spec('b', 'failed', 'x'),
    spec('c', 'failed', 'y'),
    spec('d', 'skipped'),
    spec('e', 'skipped', 'cannot'),
  );

  test('a failure counts against us only if the test is on the list', () => {
    const verdict = decideVerdict(suite, new Set([name('b')]), false);
    assert.deepEqual(
      verdict.regressions.map((test) => test.name),
      [name('b')],
    );
    assert.deepEqual(
      verdict.otherFailures.map((test) => test.name),
      [name('c')],
    );
    assert.deepEqual(
      verdict.newPasses.map((test) => test.name),
      [name('a')],
    );
    assert.equal(verdict.ok, false);
    assert.equal(decideVerdict(suite, new Set([name('a')]), false).ok, true);
  });

  test('in a narrowed run only vanished and self-skipped tests are missing; in a whole run all that did not run', () => {
    const expected = new Set([name('a'), name('d'), name('e'), name('gone')]);
    assert.deepEqual(decideVerdict(suite, expected, false).missing, [name('e'), name('gone')]);
    assert.deepEqual(decideVerdict(suite, expected, true).missing, [name('d'), name('e'), name('gone')]);
  });

  test('a run without tests is not a success', () => {
    assert.equal(decideVerdict(suiteOf(spec('d', 'skipped')), new Set(), false).ok, false);
  });
});

test('parseExpected ignores comments and empty lines', () => {
  assert.deepEqual([...parseExpected('# list\n\n[sig-node] a b\n')], ['[sig-node] a b']);
});

test('renderReport names regressions with their message and leaves empty sections out', () => {
  const suite = suiteOf(spec('a', 'passed'), spec('b', 'failed', 'x'));
  const verdict = decideVerdict(suite, new Set([name('b')]), false);
  const text = renderReport('A suite', suite, verdict, { kubelet: 'ours' });
  assert.match(text, /^# A suite: NOT ok/);
  assert.match(text, /## Expected to pass, but failed \(1\)\n\n- \[sig-node\] Pods b \(1\.5 s\)\n {2}x/);
  assert.match(text, /- kubelet: ours/);
  assert.doesNotMatch(text, /not run/);
  assert.match(renderSummary(verdict), /^1 passed, 1 failed \(1 of them expected to pass\), 0 missing/);
});

test('renderOutcome names what needs a look before the verdict', () => {
  const suite = suiteOf(spec('a', 'passed'), spec('b', 'failed', 'x'), spec('c', 'failed', 'y'));
  const verdict = decideVerdict(suite, new Set([name('b'), 'gone']), false);
  const lines = renderOutcome(suite, verdict, '3 s');
  assert.deepEqual(lines.slice(0, 3), [
    `FAILED  ${name('b')}\n        x`,
    'MISSING gone',
    `failed, and is not on the list: ${name('c')}`,
  ]);
  assert.match(lines.at(-1) ?? '', /^NOT ok: 1 passed, 2 failed .*\(3 s\)$/);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseExpected, type TestResult } from '../cluster/conformance-report.ts';
import { FAMILIES, familyOf, MACHINE_FAMILIES, renderFamilies, toFocus } from './families.ts';

const result = (name: string, outcome: TestResult['outcome'], seconds = 1): TestResult => ({
  name,
  outcome,
  seconds,
  message: '',
});

test('the focus selects each family, also behind labels, and no other whose name ends alike', () => {
  const focus = new RegExp(toFocus(FAMILIES));
  assert.match('[sig-node] [NodeConformance] Containers Lifecycle should run', focus);
  assert.match('[sig-node] MirrorPodWithGracePeriod when create', focus);
  assert.match('[sig-node] [DRA] [Feature:DynamicResourceAllocation] Resource Kubelet Plugin', focus);
  assert.doesNotMatch('[sig-node] ImageGarbageCollect [Serial]', new RegExp(toFocus(['GarbageCollect'])));
  assert.doesNotMatch('[sig-node] Restart [Serial]', focus);
});

test('a test outside of the families belongs to the others', () => {
  assert.equal(familyOf('[sig-node] GarbageCollect [Serial] x'), 'GarbageCollect');
  assert.equal(familyOf('[sig-node] MemoryQoS [Serial] x'), 'MemoryQoS');
  assert.equal(familyOf('[sig-node] Restart [Serial] x'), 'others');
});

test('the table counts outcomes and adds up seconds per family, in order of name', () => {
  const table = renderFamilies([
    result('[sig-node] Summary API a', 'passed', 10.4),
    result('[sig-node] Summary API b', 'failed', 1),
    result('[sig-node] MirrorPod c', 'skipped'),
  ]);
  assert.deepEqual(table.split('\n').slice(2), [
    '| MirrorPod | 0 | 0 | 1 | 1 s |',
    '| Summary API | 1 | 1 | 0 | 11 s |',
    '',
  ]);
});

test('whatever is expected to pass belongs to a family, and the quick part is expected to pass', () => {
  const read = (file: string) => parseExpected(readFileSync(join(import.meta.dirname, file), 'utf8'));
  const expected = read('expected-passes.txt');
  const focus = new RegExp(toFocus(FAMILIES));
  assert.deepEqual(
    [...expected].filter((name) => !focus.test(name)),
    [],
  );
  const quick = read('quick.txt');
  assert.ok(quick.size > 0);
  assert.deepEqual(
    [...quick].filter((name) => !expected.has(name)),
    [],
  );
  const inMachine = new RegExp(toFocus(MACHINE_FAMILIES));
  assert.deepEqual(
    [...read('expected-machine-passes.txt')].filter((name) => !inMachine.test(name)),
    [],
  );
});

test('the suite is of the same Kubernetes as the programs of the test cluster', () => {
  const versionIn = (file: string) =>
    /k8s\.io\/kubernetes (v\S+)/.exec(readFileSync(join(import.meta.dirname, file), 'utf8'))?.[1];
  assert.ok(versionIn('suite/go.mod'));
  assert.equal(versionIn('suite/go.mod'), versionIn('../cluster/go.mod'));
});

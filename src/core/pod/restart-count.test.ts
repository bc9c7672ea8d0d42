import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HASH_ANNOTATION, RESTART_COUNT_ANNOTATION, readHash } from '../model/container-labels.ts';
import { toContainerId, toPodUid, toSandboxId } from '../model/ids.ts';
import type { ObservedContainer } from '../model/observed-pod.ts';
import { computeRestartCount } from './restart-count.ts';

const instance = (count?: string): ObservedContainer => ({
  id: toContainerId('c'),
  podUid: toPodUid('p'),
  sandboxId: toSandboxId('s'),
  name: 'web',
  state: 'exited',
  createdAtMs: 0,
  image: '',
  imageId: '',
  labels: {},
  annotations: count === undefined ? {} : { [RESTART_COUNT_ANNOTATION]: count },
});

const cases: [name: string, newest: ObservedContainer | undefined, files: string[], expected: number][] = [
  ['a first start', undefined, [], 0],
  ['a known instance', instance('4'), [], 5],
  ['a known instance before its logs', instance('4'), ['9.log'], 5],
  ['an instance without a count', instance(), [], 1],
  ['an instance with a broken count', instance('4x'), [], 1],
  ['an instance that was never started', { ...instance('4'), state: 'created' }, [], 4],
  ['one before it has logs', { ...instance('4'), state: 'created' }, ['2.log', '3.log'], 4],
  ['an instance that was started at the last moment', { ...instance('4'), state: 'created' }, ['4.log'], 5],
  ['logs of a forgotten instance', undefined, ['0.log', '10.log', '9.log'], 11],
  ['rotated logs', undefined, ['3.log.20250101-000000.gz', '2.log'], 4],
  ['other files', undefined, ['x.log', 'a3.log', '4.txt'], 0],
];

describe('readHash', () => {
  it('treats a missing one as 0', () => {
    assert.equal(readHash(instance()), '0');
    assert.equal(readHash({ ...instance(), annotations: { [HASH_ANNOTATION]: 'ab' } }), 'ab');
  });
});

describe('computeRestartCount', () => {
  for (const [name, newest, files, expected] of cases) {
    it(`${name} gives ${expected}`, () => assert.equal(computeRestartCount(newest, files), expected));
  }
});

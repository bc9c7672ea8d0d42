import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { randomCause } from '../../../test/samples/random-pods.ts';
import { NOW_MS, samplePod } from '../../../test/samples/sample-pods.ts';
import { isHarder, mergeTermination, removesContent, type Termination } from './termination.ts';

const AT = { requestedAtMs: NOW_MS };

const pod = (spec?: number, deletion?: number) =>
  samplePod(spec === undefined ? {} : { terminationGracePeriodSeconds: spec }, {
    metadata: deletion === undefined ? {} : { deletionGracePeriodSeconds: deletion },
  });

type Row = [
  string,
  stored: number | undefined,
  deletion: number | undefined,
  asked: number | undefined,
  number,
];
const rows: Row[] = [
  ['the pod’s own by default', undefined, undefined, undefined, 30],
  ['that of the deletion', undefined, 10, undefined, 10],
  ['that of the deletion, even if longer than the pod’s', undefined, 60, undefined, 60],
  ['that of the request', undefined, undefined, 5, 5],
  ['that of the request, even if longer than the pod’s', undefined, undefined, 60, 60],
  ['the shorter of deletion and request', undefined, 10, 20, 10],
  ['at least one second', undefined, 0, undefined, 1],
  ['at least one second of a request', undefined, undefined, 0, 1],
  ['the stored one by default', 20, undefined, undefined, 20],
  ['a shorter deletion', 20, 10, undefined, 10],
  ['the stored one before a longer deletion', 20, 60, undefined, 20],
  ['the stored one before a longer request', 20, undefined, 60, 20],
  ['the shortest of all', 20, 15, 5, 5],
];

describe('mergeTermination', () => {
  for (const [criterion, stored, deletion, asked, expected] of rows) {
    it(`takes as grace ${criterion}`, () => {
      const current: Termination | undefined =
        stored === undefined ? undefined : { cause: 'deadline', requestedAtMs: 1, graceSeconds: stored };
      const request = { cause: 'deleted' as const, ...(asked === undefined ? {} : { graceSeconds: asked }) };
      assert.equal(mergeTermination(pod(30, deletion), current, request, AT).graceSeconds, expected);
    });
  }

  it('gives a pod that names no grace one second', () => {
    assert.equal(mergeTermination(pod(), undefined, { cause: 'removed' }, AT).graceSeconds, 1);
  });

  it('gives a pod that completed no grace of its own', () => {
    assert.deepEqual(mergeTermination(pod(30, 5), undefined, { cause: 'completed' }, AT), {
      cause: 'completed',
      requestedAtMs: NOW_MS,
    });
  });

  it('keeps the grace when the pod completes while it ends', () => {
    const current: Termination = { cause: 'shutdown', requestedAtMs: 1, graceSeconds: 7 };
    assert.deepEqual(mergeTermination(pod(30), current, { cause: 'completed' }, AT), current);
  });

  it('takes the last verdict, and keeps that of a rejection', () => {
    const first = { reason: 'Evicted', message: 'full' };
    const second = { reason: 'DeadlineExceeded', message: 'late' };
    const merge = (current: Termination | undefined, more: object) =>
      mergeTermination(pod(30), current, { cause: 'evicted', ...more }, AT);
    assert.equal('verdict' in merge(undefined, {}), false);
    assert.equal(merge(merge(undefined, {}), { verdict: first }).verdict, first);
    assert.equal(merge(merge(undefined, { verdict: first }), { verdict: second }).verdict, second);
    assert.equal(merge(merge(undefined, { verdict: first }), {}).verdict, first);
    assert.equal(
      merge(merge(undefined, { cause: 'rejected', verdict: first }), { verdict: second }).verdict,
      first,
    );
  });

  it('only hardens the cause, only shortens the grace and keeps the first time, in any order', () => {
    const request = fc.record({ cause: randomCause, grace: fc.option(fc.nat(90), { nil: undefined }) });
    const grace = fc.option(fc.nat(90), { nil: undefined });
    fc.assert(
      fc.property(fc.array(request, { minLength: 1 }), grace, grace, (requests, spec, deletion) => {
        let current: Termination | undefined;
        requests.forEach(({ cause, grace: asked }, index) => {
          const before: Termination | undefined = current;
          const wanted = { cause, ...(asked === undefined ? {} : { graceSeconds: asked }) };
          const merged = mergeTermination(pod(spec, deletion), before, wanted, {
            requestedAtMs: NOW_MS + index,
          });
          assert.equal(merged.requestedAtMs, NOW_MS);
          assert.ok(merged.graceSeconds === undefined || merged.graceSeconds >= 1);
          assert.ok(!isHarder(cause, merged.cause));
          if (before !== undefined) {
            assert.ok(!isHarder(before.cause, merged.cause));
            assert.ok(
              before.graceSeconds === undefined || (merged.graceSeconds ?? 91) <= before.graceSeconds,
            );
            assert.ok(!removesContent(before.cause) || removesContent(merged.cause));
          }
          current = merged;
        });
      }),
    );
  });
});

describe('isHarder', () => {
  it('goes from a completion by itself to an orphan that no source has', () => {
    const causes = [
      'completed',
      'deadline',
      'rejected',
      'shutdown',
      'preempted',
      'evicted',
      'deleted',
      'removed',
      'orphaned',
    ] as const;
    assert.deepEqual(
      causes.toReversed().sort((a, b) => (isHarder(a, b) ? 1 : -1)),
      causes,
    );
    assert.deepEqual(causes.filter(removesContent), causes.slice(5));
  });

  it('orders any two different causes one way', () => {
    fc.assert(
      fc.property(randomCause, randomCause, (a, b) => {
        assert.equal(isHarder(a, b) || isHarder(b, a), a !== b);
        assert.ok(!(isHarder(a, b) && isHarder(b, a)));
      }),
    );
  });
});

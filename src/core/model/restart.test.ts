import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exited, instance, samplePod, sidecar } from '../../../test/samples/sample-pods.ts';
import type { Container, ContainerRestartRule, PodRestartPolicy } from '../api/pod.ts';
import { isSidecar } from './pod-containers.ts';
import {
  effectivePolicy,
  exitCodeOf,
  isFailedInit,
  matchingRule,
  podPolicy,
  restartsAfterExit,
  restartsAfterProbeKill,
  shouldStart,
} from './restart.ts';

const main: Container = { name: 'main' };
const rule = (
  operator: 'In' | 'NotIn',
  values: number[],
  action: ContainerRestartRule['action'] = 'Restart',
): ContainerRestartRule => ({ action, exitCodes: { operator, values } });

describe('restartsAfterExit', () => {
  const rows: [PodRestartPolicy, Partial<Container>, exitCode: number, boolean][] = [
    ['Always', {}, 0, true],
    ['Always', {}, 1, true],
    ['OnFailure', {}, 0, false],
    ['OnFailure', {}, 1, true],
    ['Never', {}, 0, false],
    ['Never', {}, 1, false],
    ['Never', { restartPolicy: 'Always' }, 0, true],
    ['Never', { restartPolicy: 'OnFailure' }, 1, true],
    ['Always', { restartPolicy: 'OnFailure' }, 0, false],
    ['Always', { restartPolicy: 'Never' }, 1, false],
    ['Never', { restartPolicy: 'Never', restartPolicyRules: [rule('In', [3])] }, 3, true],
    ['Never', { restartPolicy: 'Never', restartPolicyRules: [rule('In', [3])] }, 4, false],
    ['Never', { restartPolicy: 'Never', restartPolicyRules: [rule('NotIn', [3])] }, 4, true],
    ['Never', { restartPolicy: 'Never', restartPolicyRules: [rule('NotIn', [3])] }, 3, false],
    ['Always', { restartPolicy: 'OnFailure', restartPolicyRules: [rule('In', [3])] }, 0, false],
    [
      'Never',
      { restartPolicy: 'Never', restartPolicyRules: [rule('In', [3], 'RestartAllContainers')] },
      3,
      true,
    ],
    // Rules need a policy of the container beside them.
    ['Never', { restartPolicyRules: [rule('In', [3])] }, 3, false],
  ];
  for (const [policy, own, exitCode, expected] of rows) {
    it(`is ${expected} for exit ${exitCode} of ${JSON.stringify(own)} in a pod of policy ${policy}`, () => {
      assert.equal(
        restartsAfterExit(samplePod({ restartPolicy: policy }), { ...main, ...own }, exitCode),
        expected,
      );
    });
  }
});

describe('matchingRule', () => {
  it('takes the first rule that matches', () => {
    const restartPolicyRules = [rule('In', [1, 2]), rule('In', [2, 3], 'RestartAllContainers')];
    const actions = [1, 2, 3, 4].map((code) => matchingRule({ ...main, restartPolicyRules }, code));
    assert.deepEqual(actions, ['Restart', 'Restart', 'RestartAllContainers', undefined]);
  });

  it('treats an unlisted exit code as no match', () => {
    const restartPolicyRules = ['In', 'NotIn'].map((operator) => ({
      action: operator === 'In' ? ('RestartAllContainers' as const) : ('Restart' as const),
      exitCodes: { operator },
    }));
    assert.equal(matchingRule({ ...main, restartPolicyRules } as unknown as Container, 1), 'Restart');
  });

  it('matches nothing without exit codes', () => {
    assert.equal(matchingRule({ ...main, restartPolicyRules: [{ action: 'Restart' }] }, 1), undefined);
  });
});

describe('shouldStart', () => {
  const never = samplePod({ restartPolicy: 'Never' });
  it('starts what is missing, half made or lost under any policy, and leaves what runs or is over', () => {
    const answers = [
      undefined,
      instance('main', 'created'),
      instance('main', 'unknown'),
      instance('main', 'running'),
      exited('main', 1),
    ].map((newest) => shouldStart(never, main, newest));
    assert.deepEqual(answers, [true, true, true, false, false]);
  });

  it('starts nothing of a pod that is being deleted', () => {
    const pod = samplePod({}, { metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' } });
    assert.ok(
      ![undefined, instance('main', 'created'), exited('main', 1)].some((c) => shouldStart(pod, main, c)),
    );
  });
});

describe('policies', () => {
  it('default to Always, and the container’s own comes first', () => {
    assert.deepEqual(
      [
        podPolicy(samplePod()),
        effectivePolicy(samplePod(), main),
        effectivePolicy(samplePod(), { ...main, restartPolicy: 'Never' }),
      ],
      ['Always', 'Always', 'Never'],
    );
  });

  it('decide alone about restarts after a failed probe', () => {
    const restartPolicyRules = [rule('NotIn', [])];
    const pod = (restartPolicy: PodRestartPolicy) => samplePod({ restartPolicy });
    assert.deepEqual(
      [
        restartsAfterProbeKill(pod('Always'), main),
        restartsAfterProbeKill(pod('OnFailure'), main),
        restartsAfterProbeKill(pod('Never'), main),
        restartsAfterProbeKill(pod('Always'), { ...main, restartPolicy: 'Never', restartPolicyRules }),
        restartsAfterProbeKill(pod('Never'), { ...main, restartPolicy: 'OnFailure' }),
      ],
      [true, true, false, false, true],
    );
  });

  it('make a sidecar only when Always', () => {
    assert.deepEqual(
      [isSidecar(sidecar('a')), isSidecar(main), isSidecar({ ...main, restartPolicy: 'OnFailure' })],
      [true, false, false],
    );
  });
});

describe('isFailedInit', () => {
  it('counts an exit code and an end for lack of memory as failures', () => {
    const oom = exited('a', 0, { details: { reason: 'OOMKilled' } });
    assert.deepEqual([exited('a', 0), exited('a', 1), oom].map(isFailedInit), [false, true, true]);
  });

  it('counts an exit code the runtime did not report as 0', () => {
    assert.equal(exitCodeOf(instance('a', 'exited')), 0);
  });
});

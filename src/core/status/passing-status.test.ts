import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { published, RUNNING, samplePod } from '../../../test/samples/sample-pods.ts';
import type { ContainerState, PodPhase, PodStatus } from '../api/pod-status.ts';
import { isPassing } from './passing-status.ts';

const waiting = (reason?: string): ContainerState => ({ waiting: reason === undefined ? {} : { reason } });
const ended = (exitCode: number): ContainerState => ({ terminated: { exitCode, reason: 'Completed' } });

const toStatus = (
  phase: PodPhase,
  states: readonly ContainerState[],
  init: readonly ContainerState[] = [],
): PodStatus => ({
  phase,
  initContainerStatuses: init.map((state, index) => published(`init-${index}`, state)),
  containerStatuses: states.map((state, index) => published(`main-${index}`, state)),
});

describe('isPassing', () => {
  const rows: readonly [string, PodStatus, boolean][] = [
    ['nothing is made yet', toStatus('Pending', [waiting('ContainerCreating')]), true],
    ['without container statuses', { phase: 'Pending' }, true],
    ['made and not started', toStatus('Pending', [waiting()]), true],
    ['one of two runs', toStatus('Pending', [RUNNING, waiting('ContainerCreating')]), true],
    [
      'an init container is through',
      toStatus('Pending', [waiting('PodInitializing')], [ended(0), RUNNING]),
      true,
    ],
    ['an init container failed', toStatus('Pending', [waiting('PodInitializing')], [ended(1)]), false],
    ['its image cannot be pulled', toStatus('Pending', [waiting('ErrImagePull')]), false],
    ['it waits for a crash loop', toStatus('Pending', [waiting('CrashLoopBackOff')]), false],
    ['it runs', toStatus('Running', [RUNNING]), false],
    ['it is over', toStatus('Succeeded', [ended(0)]), false],
    ['a container of it ended', toStatus('Running', [ended(0)]), false],
  ];
  for (const [what, status, expected] of rows)
    it(`is ${expected} of a pod where ${what}`, () => assert.equal(isPassing(samplePod(), status), expected));

  it('is false once a container was started again', () => {
    const again = { ...published('main', waiting('ContainerCreating')), restartCount: 1 };
    assert.equal(isPassing(samplePod(), { phase: 'Pending', containerStatuses: [again] }), false);
  });

  it('is true of a deleted pod when nothing of it runs any more', () => {
    const metadata = { ...samplePod().metadata, deletionTimestamp: '2026-01-02T03:04:05Z' };
    const pod = { ...samplePod(), metadata };
    assert.equal(isPassing(pod, toStatus('Running', [ended(1), ended(0)])), true);
    assert.equal(isPassing(pod, toStatus('Running', [ended(0), RUNNING])), false);
  });
});

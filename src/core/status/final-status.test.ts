import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ended,
  NOW_MS,
  published,
  RUNNING,
  samplePod,
  sidecar,
  WAITING,
} from '../../../test/samples/sample-pods.ts';
import type { Container } from '../api/pod.ts';
import type { ContainerState, ContainerStatus, PodPhase, PodStatus } from '../api/pod-status.ts';
import { computeFinalStatus, hasInitialized } from './final-status.ts';

const LOST: ContainerState = {
  terminated: {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
  },
};
const states = (list: readonly ContainerStatus[] | undefined) => list?.map(({ state }) => state);
const initPod = (...initContainers: Container[]) => samplePod({ initContainers });

describe('computeFinalStatus', () => {
  it('every container that is not terminated is lost, others stay', () => {
    const pod = samplePod({ containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
    const status: PodStatus = {
      phase: 'Running',
      containerStatuses: [
        published('a', RUNNING, { ready: true, started: true }),
        published('b', WAITING),
        published('c', ended(3)),
      ],
    };
    const final = computeFinalStatus(pod, status, NOW_MS);
    assert.deepEqual(states(final.containerStatuses), [LOST, LOST, ended(3)]);
    assert.deepEqual(
      [final.containerStatuses?.[0]?.ready, final.containerStatuses?.[0]?.started],
      [false, false],
    );
  });

  it('containers of a pod that never got past its init containers stay', () => {
    const status: PodStatus = {
      phase: 'Pending',
      containerStatuses: [published('main', WAITING)],
      initContainerStatuses: [published('a', RUNNING), published('b', WAITING)],
    };
    const final = computeFinalStatus(initPod({ name: 'a' }, { name: 'b' }), status, NOW_MS);
    assert.deepEqual(states(final.containerStatuses), [WAITING]);
    assert.deepEqual(states(final.initContainerStatuses), [LOST, WAITING]);
  });

  it('of init containers that never started at least the first is ended', () => {
    const status: PodStatus = { initContainerStatuses: [published('a', WAITING), published('b', WAITING)] };
    const final = computeFinalStatus(initPod({ name: 'a' }, { name: 'b' }), status, NOW_MS);
    assert.deepEqual(states(final.initContainerStatuses), [LOST, WAITING]);
  });

  it('an init container that waits after a run counts as started', () => {
    const status: PodStatus = {
      initContainerStatuses: [published('a', WAITING), published('b', WAITING, { lastState: ended(1) })],
    };
    const final = computeFinalStatus(initPod({ name: 'a' }, { name: 'b' }), status, NOW_MS);
    assert.deepEqual(states(final.initContainerStatuses), [LOST, LOST]);
  });

  const phases: readonly (readonly [PodPhase, source: string, PodPhase])[] = [
    ['Pending', 'api', 'Failed'],
    ['Running', 'api', 'Failed'],
    ['Unknown', 'api', 'Failed'],
    ['Succeeded', 'api', 'Succeeded'],
    ['Failed', 'api', 'Failed'],
    ['Running', 'file', 'Running'],
  ];
  for (const [phase, source, expected] of phases) {
    it(`a ${phase} pod of source ${source} ends ${expected}`, () => {
      const pod = samplePod({}, { metadata: { annotations: { 'kubernetes.io/config.source': source } } });
      assert.equal(computeFinalStatus(pod, { phase }, NOW_MS).phase, expected);
    });
  }

  it('a pod that ends is not ready any more, and a second time changes nothing', () => {
    const status: PodStatus = {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [published('main', RUNNING)],
    };
    const final = computeFinalStatus(samplePod(), status, NOW_MS);
    assert.equal(final.conditions?.[0]?.reason, 'PodFailed');
    assert.deepEqual(computeFinalStatus(samplePod(), final, NOW_MS + 60_000), final);
  });
});

describe('hasInitialized', () => {
  const cases: readonly (readonly [string, Container | undefined, PodStatus, boolean])[] = [
    ['no init containers', undefined, {}, true],
    ['nothing known', { name: 'a' }, {}, false],
    ['a regular container runs', { name: 'a' }, { containerStatuses: [published('main', RUNNING)] }, true],
    [
      'a regular container ran',
      { name: 'a' },
      { containerStatuses: [published('main', WAITING, { lastState: ended(1) })] },
      true,
    ],
    [
      'the last init container succeeded',
      { name: 'a' },
      { initContainerStatuses: [published('a', ended(0))] },
      true,
    ],
    [
      'it succeeded earlier',
      { name: 'a' },
      { initContainerStatuses: [published('a', RUNNING, { lastState: ended(0) })] },
      true,
    ],
    ['it failed', { name: 'a' }, { initContainerStatuses: [published('a', ended(1))] }, false],
    [
      'the last sidecar started',
      sidecar('a'),
      { initContainerStatuses: [published('a', RUNNING, { started: true })] },
      true,
    ],
    [
      'the last sidecar has not started',
      sidecar('a'),
      { initContainerStatuses: [published('a', RUNNING)] },
      false,
    ],
  ];
  for (const [name, last, status, expected] of cases) {
    it(name, () => {
      const pod = last === undefined ? samplePod() : initPod(last);
      assert.equal(hasInitialized(pod, status), expected);
    });
  }
});

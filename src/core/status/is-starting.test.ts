import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { published, RUNNING } from '../../../test/samples/sample-pods.ts';
import type { PodStatus } from '../api/pod-status.ts';
import { isStarting } from './is-starting.ts';

const CREATING = { waiting: { reason: 'ContainerCreating' } };
const EXITED = { terminated: { exitCode: 0 } };

describe('isStarting', () => {
  const cases: [string, PodStatus, boolean][] = [
    ['no container is reported yet', { phase: 'Pending' }, true],
    ['containers are created', { phase: 'Pending', containerStatuses: [published('main', CREATING)] }, true],
    [
      'containers wait for init containers that wait',
      {
        phase: 'Pending',
        initContainerStatuses: [published('init', { waiting: { reason: 'PodInitializing' } })],
        containerStatuses: [published('main', { waiting: { reason: 'PodInitializing' } })],
      },
      true,
    ],
    [
      'an init container runs',
      { phase: 'Pending', initContainerStatuses: [published('init', RUNNING)] },
      false,
    ],
    [
      'an init container has run',
      { phase: 'Pending', initContainerStatuses: [published('i', EXITED)] },
      false,
    ],
    [
      'an image cannot be pulled',
      { phase: 'Pending', containerStatuses: [published('m', { waiting: { reason: 'ErrImagePull' } })] },
      false,
    ],
    [
      'a container waits for a reason that has a text',
      {
        phase: 'Pending',
        containerStatuses: [published('m', { waiting: { reason: 'ContainerCreating', message: 'no' } })],
      },
      false,
    ],
    ['the pod has a reason', { phase: 'Pending', reason: 'AdmissionGate' }, false],
    ['it runs', { phase: 'Running', containerStatuses: [published('main', CREATING)] }, false],
    ['it was refused', { phase: 'Failed', reason: 'OutOfcpu' }, false],
  ];
  for (const [name, status, expected] of cases)
    it(`${expected ? 'yes' : 'no'} when ${name}`, () => {
      assert.equal(isStarting(status), expected);
    });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/persistent-volume.ts';
import { decideExpansion, toFailedPatch, toGrownPatch, toStartedPatch } from './expansion.ts';

type Status = NonNullable<PersistentVolumeClaim['status']>;
const volume = (storage?: string): PersistentVolume => ({
  metadata: { name: 'pv' },
  spec: storage === undefined ? {} : { capacity: { storage } },
});
const claim = (status: Status = {}): PersistentVolumeClaim => ({
  metadata: { name: 'c', namespace: 'n', resourceVersion: '7' },
  spec: {},
  status: { capacity: { storage: '1Gi' }, ...status },
});

describe('decideExpansion', () => {
  const cases: [name: string, storage: string | undefined, status: Status, expected: string | undefined][] = [
    ['nothing at the same size', '1Gi', {}, undefined],
    ['nothing at the same size in other words', '1024Mi', {}, undefined],
    ['nothing when it is smaller', '512Mi', {}, undefined],
    ['nothing when the size is not known', undefined, {}, undefined],
    ['nothing when the claim does not know its size', '2Gi', { capacity: {} }, undefined],
    ['to the size of the volume without a record', '2Gi', {}, '2Gi plain'],
    [
      'to what was allocated with one',
      '3Gi',
      { allocatedResources: { storage: '2Gi' }, allocatedResourceStatuses: { storage: 'NodeResizePending' } },
      '2Gi recorded',
    ],
    [
      'again after an interruption',
      '2Gi',
      {
        allocatedResources: { storage: '2Gi' },
        allocatedResourceStatuses: { storage: 'NodeResizeInProgress' },
      },
      '2Gi recorded',
    ],
    [
      'nothing while the controller works',
      '2Gi',
      {
        allocatedResources: { storage: '2Gi' },
        allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' },
      },
      undefined,
    ],
    [
      'nothing after it was found infeasible',
      '2Gi',
      {
        allocatedResources: { storage: '2Gi' },
        allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' },
      },
      undefined,
    ],
  ];
  for (const [name, storage, status, expected] of cases)
    it(name, () => {
      const found = decideExpansion(volume(storage), claim(status));
      assert.equal(found && `${found.size} ${found.isRecorded ? 'recorded' : 'plain'}`, expected);
    });

  const shared = (status: Status, annotations = {}): PersistentVolumeClaim => {
    const { metadata, ...rest } = claim({ capacity: { storage: '2Gi' }, ...status });
    return { ...rest, metadata: { ...metadata, annotations }, spec: { accessModes: ['ReadWriteMany'] } };
  };
  const allocatedResources = { storage: '2Gi' };

  it('expands a volume that another node has expanded already, when it is known to be smaller here', () => {
    const found = decideExpansion(volume('2Gi'), shared({ allocatedResources }), '1Gi');
    assert.deepEqual([found?.size, found?.isClaimDone], ['2Gi', true]);
    const plain = decideExpansion(volume('2Gi'), shared({}), '1Gi');
    assert.deepEqual([plain?.isRecorded, plain?.isClaimDone], [false, true]);
    assert.equal(decideExpansion(volume('2Gi'), shared({ allocatedResources }), '2Gi'), undefined);
    assert.equal(decideExpansion(volume('2Gi'), shared({ allocatedResources })), undefined);
  });
  it('leaves a volume alone that a single node uses, or that needs no expansion on nodes', () => {
    const single = claim({ capacity: { storage: '2Gi' }, allocatedResources });
    assert.equal(decideExpansion(volume('2Gi'), single, '1Gi'), undefined);
    const annotated = shared(
      { allocatedResources },
      { 'volume.kubernetes.io/node-expansion-not-required': 'true' },
    );
    assert.equal(decideExpansion(volume('2Gi'), annotated, '1Gi'), undefined);
  });
  it('counts in bytes', () => assert.equal(decideExpansion(volume('2Gi'), claim())?.bytes, 2 * 2 ** 30));
});

describe('the claim', () => {
  const conditions = [
    { type: 'FileSystemResizePending', status: 'True' },
    { type: 'ModifyingVolume', status: 'True' },
  ];
  const metadata = { resourceVersion: '7' };
  const grown = { size: '2Gi', bytes: 1, isRecorded: true, isClaimDone: false };

  it('marks the expansion in progress on the node', () => {
    const status = { allocatedResourceStatuses: { storage: 'NodeResizeInProgress' } };
    assert.deepEqual(toStartedPatch(claim()), { metadata, status });
  });
  it('shows the new size and keeps only conditions about other things', () => {
    assert.deepEqual(toGrownPatch(claim({ conditions }), grown), {
      metadata,
      status: {
        capacity: { storage: '2Gi' },
        allocatedResourceStatuses: { storage: null },
        conditions: [{ type: 'ModifyingVolume', status: 'True' }],
      },
    });
  });
  it('records why it failed, permanently where the driver will never do it', () => {
    const error = {
      type: 'NodeResizeError',
      status: 'True',
      lastTransitionTime: 't',
      message: 'failed to expand pvc with why',
    };
    assert.deepEqual(toFailedPatch(claim({ conditions }), 'why', false, 't'), {
      status: { conditions: [...conditions, error] },
    });
    assert.deepEqual(toFailedPatch(claim(), 'why', true, 't'), {
      status: { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' }, conditions: [error] },
    });
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { type ResizeState, readResizeState, renderResizeEvent, toResizeConditions } from './resize-state.ts';

describe('toResizeConditions', () => {
  it('is empty when nothing is resized', () => assert.deepEqual(toResizeConditions({}), []));

  it('has what is pending and what is in progress, each with its generation', () => {
    const pending = { reason: 'Deferred' as const, message: 'no room', generation: 3 };
    assert.deepEqual(toResizeConditions({ pending, progress: { generation: 2 } }), [
      {
        type: 'PodResizePending',
        status: 'True',
        reason: 'Deferred',
        message: 'no room',
        observedGeneration: 3,
      },
      { type: 'PodResizeInProgress', status: 'True', observedGeneration: 2 },
    ]);
  });

  it('reports a failure', () => {
    assert.deepEqual(toResizeConditions({ progress: { generation: 2, error: 'why' } }), [
      { type: 'PodResizeInProgress', status: 'True', observedGeneration: 2, reason: 'Error', message: 'why' },
    ]);
  });
});

describe('readResizeState', () => {
  const states: readonly ResizeState[] = [
    {},
    { pending: { reason: 'Infeasible', message: 'never', generation: 4 } },
    {
      pending: { reason: 'Deferred', message: 'later', generation: 4 },
      progress: { generation: 3, error: 'why' },
    },
    { progress: { generation: 3 } },
  ];
  for (const state of states) {
    it(`reads back ${JSON.stringify(state)}`, () => {
      const pod = samplePod({}, { status: { conditions: toResizeConditions(state) } });
      assert.deepEqual(readResizeState(pod), state);
    });
  }
});

describe('renderResizeEvent', () => {
  it('has the resources of init and main containers, the generation and the error', () => {
    const pod = samplePod({
      initContainers: [{ name: 'init', image: 'i' }],
      containers: [
        {
          name: 'main',
          image: 'i',
          resources: { requests: { memory: '1Gi', cpu: '1' }, limits: { cpu: '2' } },
        },
      ],
    });
    assert.equal(
      renderResizeEvent('OutOfcpu', pod, 2, 'used: <all>'),
      'Pod resize OutOfcpu: {"initContainers":[{"name":"init","resources":{}}],"containers":[{"name":"main","resources":{"limits":{"cpu":"2"},"requests":{"cpu":"1","memory":"1Gi"}}}],"generation":2,"error":"used: \\u003call\\u003e"}',
    );
  });

  it('leaves out what is absent', () => {
    assert.equal(
      renderResizeEvent('started', samplePod(), 1),
      'Pod resize started: {"containers":[{"name":"main","resources":{}}],"generation":1}',
    );
  });
});

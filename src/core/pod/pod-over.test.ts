import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exited, instance, observe, samplePod, sidecar } from '../../../test/samples/sample-pods.ts';
import { isOver } from './pod-over.ts';

const containers = [{ name: 'a' }, { name: 'b' }];
const never = samplePod({
  restartPolicy: 'Never',
  initContainers: [{ name: 'init' }, sidecar('side')],
  containers,
});
const onFailure = samplePod({ restartPolicy: 'OnFailure', containers });
const always = samplePod({ containers });

describe('isOver', () => {
  const rows: [string, typeof never, Parameters<typeof observe>[0], boolean][] = [
    ['nothing ran', never, [], false],
    ['all ended under Never', never, [exited('a', 0), exited('b', 1)], true],
    ['one was never made', never, [exited('a', 0)], false],
    ['one still runs', never, [exited('a', 0), instance('b', 'running')], false],
    ['one is half made', never, [exited('a', 0), instance('b', 'created')], false],
    ['all succeeded under OnFailure', onFailure, [exited('a', 0), exited('b', 0)], true],
    ['one failed under OnFailure', onFailure, [exited('a', 0), exited('b', 1)], false],
    ['all ended under Always', always, [exited('a', 0), exited('b', 0)], false],
    ['an init container failed for good', never, [exited('init', 1)], true],
    ['an init container succeeded', never, [exited('init', 0)], false],
    ['a sidecar failed', never, [exited('side', 1)], false],
    [
      'an older instance ended',
      never,
      [instance('a', 'running', { id: 'a2' }), exited('a', 0), exited('b', 0)],
      false,
    ],
  ];
  for (const [criterion, pod, observed, expected] of rows) {
    it(`is ${expected} when ${criterion}`, () => assert.equal(isOver(pod, observe(observed)), expected));
  }
});

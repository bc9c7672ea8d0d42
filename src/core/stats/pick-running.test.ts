import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toContainerId, toPodUid, toSandboxId } from '../model/ids.ts';
import type { ObservedContainer, ObservedContainerState, ObservedSandbox } from '../model/observed-pod.ts';
import { pickRunning } from './pick-running.ts';

function sandbox(id: string, podName: string, ready: boolean, attempt = 0): ObservedSandbox {
  return {
    id: toSandboxId(id),
    podUid: toPodUid(`uid-${podName}`),
    podName,
    podNamespace: 'ns',
    attempt,
    ready,
    createdAtMs: 1,
    labels: {},
    annotations: {},
    runtimeHandler: '',
  };
}

function container(
  id: string,
  sandboxId: string,
  name: string,
  state: ObservedContainerState = 'running',
  createdAtMs = 1,
): ObservedContainer {
  return {
    id: toContainerId(id),
    podUid: toPodUid('u'),
    sandboxId: toSandboxId(sandboxId),
    name,
    state,
    createdAtMs,
    image: '',
    imageId: '',
    labels: {},
    annotations: {},
  };
}

function pick(sandboxes: ObservedSandbox[], containers: ObservedContainer[]): string[] {
  return pickRunning(sandboxes, containers).map(
    ({ sandbox: { id }, containers: found }) => `${id}:${found.map((one) => one.id).join(',')}`,
  );
}

describe('pickRunning', () => {
  it('takes running containers of each pod', () => {
    const sandboxes = [sandbox('s1', 'a', true), sandbox('s2', 'b', true)];
    const containers = [
      container('c1', 's1', 'main'),
      container('c2', 's1', 'side'),
      container('c3', 's1', 'init', 'exited'),
      container('c4', 's2', 'main'),
    ];
    assert.deepEqual(pick(sandboxes, containers), ['s1:c1,c2', 's2:c4']);
  });

  it('leaves out a pod of which nothing runs', () => {
    assert.deepEqual(pick([sandbox('s1', 'a', true)], [container('c1', 's1', 'main', 'created')]), []);
  });

  it('prefers the ready sandbox of a name', () => {
    const sandboxes = [sandbox('old', 'a', false, 1), sandbox('new', 'a', true, 0)];
    const containers = [container('c1', 'old', 'main'), container('c2', 'new', 'main')];
    assert.deepEqual(pick(sandboxes, containers), ['new:c2']);
  });

  it('takes the newest where none is ready', () => {
    const sandboxes = [sandbox('old', 'a', false, 0), sandbox('new', 'a', false, 1)];
    const containers = [container('c1', 'old', 'main'), container('c2', 'new', 'main')];
    assert.deepEqual(pick(sandboxes, containers), ['new:c2']);
  });

  it('takes the newest of two that run under one name', () => {
    const containers = [
      container('c1', 's1', 'main', 'running', 1),
      container('c2', 's1', 'main', 'running', 2),
    ];
    assert.deepEqual(pick([sandbox('s1', 'a', true)], containers), ['s1:c2']);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allContainersOf,
  containersOf,
  ephemeralContainersOf,
  initContainersOf,
  podMembers,
  sidecarsOf,
} from './pod-containers.ts';

const names = (containers: readonly { readonly name: string }[]) => containers.map(({ name }) => name);

test('the containers of a pod come in the order of their start, each with its part', () => {
  const pod = {
    spec: {
      initContainers: [{ name: 'side', restartPolicy: 'Always' as const }, { name: 'init' }],
      containers: [{ name: 'main' }],
      ephemeralContainers: [{ name: 'debug' }],
    },
  };
  assert.deepEqual(names(initContainersOf(pod)), ['side', 'init']);
  assert.deepEqual(names(sidecarsOf(pod)), ['side']);
  assert.deepEqual(names(ephemeralContainersOf(pod)), ['debug']);
  assert.deepEqual(names(containersOf(pod)), ['side', 'init', 'main']);
  assert.deepEqual(names(allContainersOf(pod)), ['side', 'init', 'main', 'debug']);
  assert.deepEqual(
    podMembers(pod).map(({ container, role }) => [container.name, role]),
    [
      ['side', 'sidecar'],
      ['init', 'init'],
      ['main', 'regular'],
      ['debug', 'ephemeral'],
    ],
  );
});

test('a pod need not have more than its main containers', () => {
  const pod = { spec: { containers: [{ name: 'main' }] } };
  assert.deepEqual([initContainersOf(pod), sidecarsOf(pod), ephemeralContainersOf(pod)], [[], [], []]);
  assert.deepEqual(names(allContainersOf(pod)), ['main']);
});

/** Whether what is published about a pod at rest is what the machine has. */
import type { Container } from '../../src/core/api/pod.ts';
import type { ContainerStatus, PodStatus } from '../../src/core/api/pod-status.ts';
import { containersOf } from '../../src/core/model/pod-containers.ts';
import type { FakeContainer } from '../fakes/fake-machine.ts';
import { expectedReady, isHeldUp } from './handler-excuses.ts';
import type { PodModel } from './pod-model.ts';
import { newestOf } from './settled.ts';
import type { World } from './world.ts';

/** From a change of the machine to the board. */
const PUBLISHED_MS = 5_000;

/** The first field that differs from the machine; undefined when none does. */
export function whyUntrue(world: World, model: PodModel, status: PodStatus | undefined): string | undefined {
  if (isHeldUp(world, model)) return undefined;
  const published = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const container of containersOf(model.pod)) {
    const instance = newestOf(world, model.uid, container.name);
    if (instance === undefined || isFresh(world, instance)) continue;
    const found = published.find(({ name }) => name === container.name);
    const why = compare(world, model, container, instance, found);
    if (why !== undefined) return `the status of ${container.name} ${why}: ${JSON.stringify(found)}`;
  }
  return undefined;
}

function compare(
  world: World,
  model: PodModel,
  container: Container,
  instance: FakeContainer,
  status: ContainerStatus | undefined,
): string | undefined {
  const { running, terminated } = status?.state ?? {};
  const isRunning = instance.state === 'running';
  if (isRunning !== (running !== undefined)) return `does not say that it ${isRunning ? 'runs' : 'ended'}`;
  if (isRunning && status?.containerID !== `containerd://${instance.id}`) return 'is about another instance';
  if (terminated !== undefined && terminated.exitCode !== instance.exitCode) return 'has another exit code';
  if (!isRunning) return undefined;
  const isInit =
    model.pod.spec.initContainers?.includes(container) === true && container.restartPolicy === undefined;
  const expected = isInit ? false : expectedReady(world, model, container, instance);
  return expected === undefined || status?.ready === expected ? undefined : `is not ready=${expected}`;
}

function isFresh(
  { nowMs }: World,
  { createdAtMs, startedAtMs = createdAtMs, finishedAtMs = 0 }: FakeContainer,
): boolean {
  return nowMs - Math.max(startedAtMs, finishedAtMs) < PUBLISHED_MS;
}

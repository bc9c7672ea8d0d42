/** Steps that change what is wanted, or what runs of it. */
import { containersOf } from '../../src/core/model/pod-containers.ts';
import type { PodSourceName } from '../../src/core/model/pod-source-name.ts';
import type { FakeContainer } from '../fakes/fake-machine.ts';
import { SOURCES } from './agent-process.ts';
import { makePod, withEphemeral, withResources } from './manifests.ts';
import type { World } from './world.ts';

const MAX_PODS = 6;
const EVICTABLE: readonly PodSourceName[] = ['api', 'api', 'file', 'api'];

export function addPod(world: World): string | undefined {
  if (world.wanted().length >= MAX_PODS) return undefined;
  return addFresh(world).text;
}

export function addFresh(world: World): { readonly uid: string; readonly text: string } {
  const name = `p${new Set([...world.pods.values()].map((model) => model.name)).size}`;
  const uid = `${name}-0`;
  return { uid, text: addNamed(world, name, uid) };
}

function addNamed(world: World, name: string, uid: string): string {
  // Only pods of the API server can be evicted.
  const sources = world.pressure.isWatched ? EVICTABLE : SOURCES;
  const source = sources[name.charCodeAt(1) % sources.length] ?? 'file';
  const pod = makePod({ random: world.random, book: world.scripts, name, uid });
  world.add(pod, source);
  world.deliver();
  const { restartPolicy } = pod.spec;
  const images = containersOf(pod).map(
    (container) => `${container.name}=${container.image}${world.scripts.describe(uid, container.name)}`,
  );
  return `add ${uid} to ${source}: ${restartPolicy} ${images.join(' ')}`;
}

/** A user debugs a pod of the cluster. */
export function debugPod(world: World): string | undefined {
  const model = pick(world, world.wanted('api'));
  if (model === undefined || (model.pod.spec.ephemeralContainers?.length ?? 0) >= 2) return undefined;
  model.pod = withEphemeral(world.random, model.pod);
  model.disturb(world.nowMs, 30_000);
  world.deliver();
  return `debug ${model.uid} with ${model.pod.spec.ephemeralContainers?.at(-1)?.image}`;
}

/** People of the API server change what a running pod may use. */
export function resizePod(world: World): string | undefined {
  const model = pick(world, world.wanted('api'));
  const resized = model && withResources(world.random, model.pod);
  if (model === undefined || resized === undefined) return undefined;
  model.pod = resized;
  model.disturb(world.nowMs, 30_000);
  world.deliver();
  const wanted = resized.spec.containers.map(
    ({ name, resources }) => `${name}=${resources?.limits?.['cpu']}`,
  );
  return `resize ${model.uid} to ${wanted.join(' ')}`;
}

/** An edited manifest is another pod of the same name. */
export function editPod(world: World): string | undefined {
  const model = pick(world, world.wanted());
  if (model === undefined) return undefined;
  const { name } = model.pod.metadata;
  const uid = `${name}-${[...world.pods.values()].filter((other) => other.name === model.name).length}`;
  world.remove(model);
  return `edit ${model.uid}: ${addNamed(world, name, uid)}`;
}

export function removePod(world: World): string | undefined {
  const model = pick(world, world.wanted());
  if (model === undefined) return undefined;
  world.remove(model);
  world.deliver();
  return `remove ${model.uid}`;
}

/** A manifest that was there before comes back unchanged: same UID. */
export function returnPod(world: World): string | undefined {
  const taken = new Set(world.wanted().map((model) => model.name));
  const model = pick(
    world,
    [...world.pods.values()].filter((other) => !other.wanted && !other.evicted && !taken.has(other.name)),
  );
  if (model === undefined) return undefined;
  world.add(model.pod, model.source);
  world.deliver();
  return `return ${model.uid}`;
}

export async function removeAndReturn(world: World): Promise<string | undefined> {
  // The API server gives a pod that comes again another UID.
  const model = pick(
    world,
    world.wanted().filter(({ evicted }) => !evicted),
  );
  if (model === undefined) return undefined;
  world.remove(model);
  world.deliver();
  await world.passTimers(world.random.int(4));
  world.add(model.pod, model.source);
  world.deliver();
  return `remove and return ${model.uid}`;
}

export function crashContainer(world: World): string | undefined {
  const running = [...world.runtime.machine.containers.values()].filter(({ state }) => state === 'running');
  const container: FakeContainer | undefined = pick(world, running);
  if (container === undefined) return undefined;
  const exitCode = world.random.pick([0, 1, 137]);
  world.runtime.exitContainer(container, exitCode);
  // Its hook, or its work before theirs, may have held up the others.
  if (hasFirstHook(world, container) || isInit(world, container))
    world.pods.get(container.podUid)?.disturb(world.nowMs, 30_000);
  return `end ${container.config.name} of ${container.podUid} with ${exitCode}`;
}

function isInit(world: World, { podUid, config }: FakeContainer): boolean {
  const { initContainers = [] } = world.pods.get(podUid)?.pod.spec ?? {};
  return initContainers.some(({ name }) => name === config.name);
}

function hasFirstHook(world: World, { podUid, config }: FakeContainer): boolean {
  return world.scripts.scriptOf(podUid, config.name, 'postStart') !== undefined;
}

export function failSandbox(world: World): string | undefined {
  const sandbox = pick(
    world,
    [...world.runtime.machine.sandboxes.values()].filter(({ ready }) => ready),
  );
  if (sandbox === undefined) return undefined;
  world.runtime.failSandbox(sandbox);
  world.pods.get(sandbox.podUid)?.disturb(world.nowMs, 30_000);
  return `fail the sandbox of ${sandbox.podUid}`;
}

/** One of `items`, if there is any. */
export function pick<T>(world: World, items: readonly T[]): T | undefined {
  return items.length > 0 ? world.random.pick(items) : undefined;
}

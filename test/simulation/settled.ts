/**
 * Whether a pod has come to where it belongs, judged from the machine and the
 * pod alone: running, ended for good, or waiting exactly as long as its
 * back-off says; and for an orphan, that nothing of it is left.
 */
import type { Container } from '../../src/core/api/pod.ts';
import { toPodUid } from '../../src/core/model/ids.ts';
import { initContainersOf, isSidecar } from '../../src/core/model/pod-containers.ts';
import { computeBackOffKey } from '../../src/core/pod/back-off-key.ts';
import { toContainerResources } from '../../src/core/resources/container-resources.ts';
import type { FakeContainer } from '../fakes/fake-machine.ts';
import { isHeldUp, isStarting, whyNotEnded as whyStillRunning } from './handler-excuses.ts';
import { CRASH_LOOP, POD_LOGS_DIR, ROOT_DIR, simulatedNode } from './node.ts';
import type { PodModel } from './pod-model.ts';
import { whyUntrue } from './status-truth.ts';
import type { World } from './world.ts';

/** Between the end of a back-off and the start: a read, an image look-up, create and start. */
const START_MS = 5_000;
/** A start that failed is tried again within this time, whatever the back-off says. */
const RETRY_MS = 15_000;

type Verdict = 'up' | 'done' | 'failed' | 'waiting' | 'absent' | 'overdue';

/** Why the pod is not where it belongs; undefined when it is. */
export function whyUnsettled(world: World, model: PodModel): string | undefined {
  const hasNothing = model.finished && world.runtime.containersOf(model.uid).length === 0;
  if (model.wanted && (model.evicted || hasNothing)) return whyNotEvicted(world, model);
  return model.wanted ? whyNotAsWanted(world, model) : describeRemains(world, model);
}

/** Dead containers may stay for those who want to read their logs. */
function whyNotEvicted(world: World, { uid }: PodModel): string | undefined {
  const running = world.runtime.containersOf(uid).find(({ state }) => state === 'running');
  if (running !== undefined) return `it was evicted but ${running.config.name} runs`;
  return world.runtime.sandboxesOf(uid).some(({ ready }) => ready)
    ? 'it was evicted but its sandbox is ready'
    : undefined;
}

/** True when every container of the pod ended for good. */
export function isOver(world: World, { uid, pod }: PodModel): boolean {
  const ended = ({ name }: Container, mustFail: boolean): boolean => {
    const newest = newestOf(world, uid, name);
    if (newest?.state !== 'exited' || restarts(pod.spec.restartPolicy, newest)) return false;
    return !mustFail || newest.exitCode !== 0;
  };
  const init = initContainersOf(pod).filter((container) => !isSidecar(container));
  return (
    init.some((container) => ended(container, true)) ||
    pod.spec.containers.every((container) => ended(container, false))
  );
}

/** The mounts of a pod's volumes. */
export function mountsOf({ mounter }: World, uid: string): string[] {
  return [...mounter.mounts.keys()].filter((path) => path.startsWith(`${ROOT_DIR}/pods/${uid}/`));
}

/** What is left of a pod on the node; undefined when nothing is. */
export function describeRemains(world: World, { uid, pod }: PodModel): string | undefined {
  const { runtime, files, cgroups } = world;
  const { name, namespace } = pod.metadata;
  const places = [`${ROOT_DIR}/pods/${uid}`, `${POD_LOGS_DIR}/${namespace}_${name}_${uid}`];
  const remains = [
    ...runtime.containersOf(uid).map(({ config, state }) => `container ${config.name} (${state})`),
    ...runtime.sandboxesOf(uid).map(({ ready }) => `sandbox (ready: ${ready})`),
    ...places.filter((place) => files.disk.entries.has(place)),
    ...mountsOf(world, uid).map((path) => `mount ${path}`),
    ...[...cgroups.paths].filter((path) => path.includes(uid)),
  ];
  return remains.length > 0 ? `it is not wanted but has left ${remains.join(', ')}` : undefined;
}

function whyNotAsWanted(world: World, model: PodModel): string | undefined {
  const { uid, pod } = model;
  const ready = world.runtime.sandboxesOf(uid).filter((sandbox) => sandbox.ready);
  const status = world.agent?.board.published.get(toPodUid(uid))?.status;
  const phase = status?.phase;
  if (isOver(world, model)) return whyNotEnded(world, model, ready.length, phase);
  // A pod that runs once and lost its sandbox is not started again.
  const hasRun = world.runtime.containersOf(uid).length > 0 || world.agent?.board.hasEnded(toPodUid(uid));
  if (pod.spec.restartPolicy === 'Never' && ready.length === 0 && hasRun) return undefined;
  if (ready.length !== 1) return `it has ${ready.length} ready sandboxes`;
  if (isHeldUp(world, model)) return undefined;
  const judge = (container: Container): Verdict => judgeContainer(world, model, container);
  const mainAlive = pod.spec.containers.some(({ name }) => newestOf(world, uid, name)?.state === 'running');
  for (const container of initContainersOf(pod)) {
    const verdict = judge(container);
    const newest = newestOf(world, uid, container.name);
    if (
      !mainAlive &&
      newest?.state === 'running' &&
      isSidecar(container) &&
      isStarting(world, container, newest)
    )
      return undefined;
    if (isSidecar(container) ? verdict === 'up' : mainAlive || verdict === 'done') continue;
    if (verdict === 'up' || verdict === 'waiting') {
      if (isSidecar(container) && mainAlive) continue;
      return undefined;
    }
    return `init container ${container.name} is ${verdict}`;
  }
  const verdicts = pod.spec.containers.map(judge);
  const bad = verdicts.findIndex((verdict) => verdict === 'absent' || verdict === 'overdue');
  if (bad >= 0) return `container ${pod.spec.containers[bad]?.name} is ${verdicts[bad]}`;
  const unresized = pod.spec.containers.find((container) => !hasResources(world, model, container));
  if (unresized !== undefined) return `container ${unresized.name} has not the resources it should have`;
  const debug = pod.spec.ephemeralContainers?.find(({ name }) => newestOf(world, uid, name) === undefined);
  if (debug !== undefined) return `ephemeral container ${debug.name} was never made`;
  const allUp = verdicts.every((verdict) => verdict === 'up');
  if (allUp && phase !== 'Running' && !startedJustNow(world, uid))
    return `all containers run but its phase is ${phase}`;
  return whyUntrue(world, model, status);
}

/** What runs has what the pod asks for: on this node everything is granted. */
function hasResources(world: World, { uid, pod }: PodModel, container: Container): boolean {
  const newest = newestOf(world, uid, container.name);
  if (newest?.state !== 'running' || startedJustNow(world, uid)) return true;
  const { cpuShares, cpuQuota, memoryLimitBytes } = toContainerResources(pod, container, simulatedNode);
  const { resources } = newest;
  return (
    resources.cpuShares === cpuShares &&
    resources.cpuQuota === cpuQuota &&
    resources.memoryLimitBytes === memoryLimitBytes
  );
}

function whyNotEnded(
  world: World,
  { uid, pod }: PodModel,
  readySandboxes: number,
  phase: string | undefined,
): string | undefined {
  const running = world.runtime.containersOf(uid).filter(({ state }) => state === 'running');
  if (endedJustNow(world, uid)) return undefined;
  if (running.length > 0) return `it is over but ${running[0]?.config.name} runs`;
  if (readySandboxes > 0) return 'it is over but its sandbox is ready';
  const [mount] = mountsOf(world, uid);
  if (mount !== undefined) return `it is over but ${mount} is mounted`;
  const codes = pod.spec.containers.map(({ name }) => newestOf(world, uid, name)?.exitCode);
  const expected = codes.every((code) => code === 0) ? 'Succeeded' : 'Failed';
  return phase === expected ? undefined : `it is over but its phase is ${phase}, not ${expected}`;
}

function judgeContainer(world: World, model: PodModel, container: Container): Verdict {
  const { uid, pod } = model;
  const newest = newestOf(world, uid, container.name);
  if (newest === undefined) return canBeHad(world, container) ? 'absent' : 'waiting';
  if (newest.state === 'running')
    return whyStillRunning(world, model, container, newest) === undefined ? 'up' : 'overdue';
  if (newest.state !== 'exited') return world.nowMs - newest.createdAtMs < START_MS ? 'waiting' : 'absent';
  const policy = container.restartPolicy ?? pod.spec.restartPolicy;
  const isInit = pod.spec.initContainers?.includes(container) === true && !isSidecar(container);
  if (isInit && newest.exitCode === 0) return 'done';
  if (!restarts(policy, newest)) return newest.exitCode === 0 ? 'done' : 'failed';
  const waitMs = Math.max(
    backOffOf(world, pod, container, newest),
    newest.reason === 'StartError' || container.lifecycle?.postStart !== undefined ? RETRY_MS : 0,
  );
  return world.nowMs <= (newest.finishedAtMs ?? 0) + waitMs + START_MS ? 'waiting' : 'overdue';
}

/** Whether the image is there for the pod, or may come. */
function canBeHad(world: World, { image = '', imagePullPolicy }: Container): boolean {
  if (/(?:missing|Wrong)\//.test(image)) return false;
  if (imagePullPolicy !== 'Never') return true;
  const id = world.runtime.imageStore.find(image)?.id;
  return id !== undefined && !isOfUnknownPull(world, image, id);
}

/**
 * A pull that outlived its agent, or that was given up and went on: with whose credentials is not known, so a pod has
 * to show its own, by a pull.
 */
function isOfUnknownPull({ files }: World, image: string, imageRef: string): boolean {
  const records = [...readRecords<PulledRecord>(files, 'pulled')].filter(
    (each) => each.imageRef === imageRef,
  );
  if (records.length > 0)
    return records.some(({ credentialMapping }) => Object.keys(credentialMapping).length === 0);
  return [...readRecords<{ image: string }>(files, 'pulling')].some((intent) => intent.image === image);
}

interface PulledRecord {
  readonly imageRef: string;
  readonly credentialMapping: object;
}

function* readRecords<T>({ disk }: World['files'], kind: 'pulled' | 'pulling'): Generator<T> {
  for (const [path, entry] of disk.entries)
    if (path.includes(`/image_manager/${kind}/sha256-`) && entry.kind === 'file')
      yield JSON.parse(entry.content) as T;
}

/** The delay the agent has written down for the container that ended. */
function backOffOf(world: World, pod: PodModel['pod'], container: Container, ended: FakeContainer): number {
  const text = world.checkpoints.documents.get('crash_loop_state');
  const { entries } = JSON.parse(text ?? '{"entries":{}}') as {
    entries: Record<string, { delayMs: number; updatedAtMs: number }>;
  };
  const entry = entries[computeBackOffKey(pod, container)];
  if (entry === undefined) return 0;
  return (ended.finishedAtMs ?? 0) - entry.updatedAtMs > CRASH_LOOP.forgetAfterMs ? 0 : entry.delayMs;
}

export function newestOf(world: World, uid: string, name: string): FakeContainer | undefined {
  return world.runtime.containersOf(uid, name).sort((a, b) => b.createdAtMs - a.createdAtMs)[0];
}

function restarts(policy: string | undefined, { exitCode }: FakeContainer): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

function startedJustNow(world: World, uid: string): boolean {
  return world.runtime.containersOf(uid).some(({ startedAtMs = 0 }) => world.nowMs - startedAtMs < START_MS);
}

/** What is left of an ended pod (a sidecar, say) gets its grace. */
function endedJustNow(world: World, uid: string): boolean {
  return world.runtime
    .containersOf(uid)
    .some(({ finishedAtMs = 0 }) => world.nowMs - finishedAtMs < 2 * START_MS);
}

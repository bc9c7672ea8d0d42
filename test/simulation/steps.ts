/**
 * What may happen in a simulated world. A step is drawn from the seed, says
 * in one line what it does, and does it; steps that make no sense at the
 * moment are skipped.
 */
import type { AgentErrorCode } from '../../src/base/errors.ts';
import type { FakeContainer } from '../fakes/fake-machine.ts';
import type { RuntimeOperation } from '../fakes/runtime-faults.ts';
import { SOURCES } from './agent-process.ts';
import { makePod } from './manifests.ts';
import type { World } from './world.ts';

/** Returns what it did, or undefined when there was nothing to do it to. */
type Step = (world: World) => string | undefined | Promise<string | undefined>;

const MAX_PODS = 6;
const POD_CALLS: readonly RuntimeOperation[] = [
  'runSandbox',
  'stopSandbox',
  'removeSandbox',
  'createContainer',
  'startContainer',
  'stopContainer',
  'removeContainer',
  'listSandboxes',
  'listContainers',
  'sandboxStatus',
  'containerStatus',
  'pullImage',
  'execSync',
];
const ERRORS: readonly AgentErrorCode[] = ['unavailable', 'unknown', 'deadline-exceeded', 'not-found'];

/** Weight and step. */
const STEPS: readonly (readonly [number, Step])[] = [
  [10, addPod],
  [6, editPod],
  [6, removePod],
  [4, returnPod],
  [2, removeAndReturn],
  [5, crashContainer],
  [3, failSandbox],
  [2, restartRuntime],
  [2, toggleEventLoss],
  [1, breakStreams],
  [4, hangCall],
  [5, failCall],
  [4, loseReply],
  [2, slowCalls],
  [2, troubleReads],
  [2, releaseFault],
  [2, toggleAbortedEffects],
  [1, toggleNetwork],
  [1, fillDisk],
  [5, killAgent],
  [3, restartAgent],
  [1, rebootNode],
  [10, passAMoment],
  [12, passTimers],
  [10, passSeconds],
  [4, passAMinute],
];
const TOTAL = STEPS.reduce((sum, [weight]) => sum + weight, 0);

/** Draws and does one step. */
export async function takeStep(world: World): Promise<void> {
  let ticket = world.random.next() * TOTAL;
  const [, step] = STEPS.find(([weight]) => {
    ticket -= weight;
    return ticket < 0;
  }) ?? [0, passSeconds];
  const did = await step(world);
  if (did !== undefined) world.say(did);
}

export function addPod(world: World): string | undefined {
  if (world.wanted().length >= MAX_PODS) return undefined;
  const name = `p${new Set([...world.pods.values()].map((model) => model.name)).size}`;
  return addNamed(world, name, `${name}-0`);
}

function addNamed(world: World, name: string, uid: string): string {
  const source = SOURCES[name.charCodeAt(1) % SOURCES.length] ?? 'file';
  const pod = makePod(world.random, name, uid);
  world.add(pod, source);
  world.deliver();
  const { initContainers = [], containers, restartPolicy } = pod.spec;
  const images = [...initContainers, ...containers].map(
    (container) => `${container.name}=${container.image}`,
  );
  return `add ${uid} to ${source}: ${restartPolicy} ${images.join(' ')}`;
}

/** An edited manifest is another pod of the same name. */
function editPod(world: World): string | undefined {
  const model = pick(world, world.wanted());
  if (model === undefined) return undefined;
  const { name } = model.pod.metadata;
  const uid = `${name}-${[...world.pods.values()].filter((other) => other.name === model.name).length}`;
  world.remove(model);
  return `edit ${model.uid}: ${addNamed(world, name, uid)}`;
}

function removePod(world: World): string | undefined {
  const model = pick(world, world.wanted());
  if (model === undefined) return undefined;
  world.remove(model);
  world.deliver();
  return `remove ${model.uid}`;
}

/** A manifest that was there before comes back unchanged: same UID. */
function returnPod(world: World): string | undefined {
  const taken = new Set(world.wanted().map((model) => model.name));
  const model = pick(
    world,
    [...world.pods.values()].filter((other) => !other.wanted && !taken.has(other.name)),
  );
  if (model === undefined) return undefined;
  world.add(model.pod, model.source);
  world.deliver();
  return `return ${model.uid}`;
}

async function removeAndReturn(world: World): Promise<string | undefined> {
  const model = pick(world, world.wanted());
  if (model === undefined) return undefined;
  world.remove(model);
  world.deliver();
  await world.passTimers(world.random.int(4));
  world.add(model.pod, model.source);
  world.deliver();
  return `remove and return ${model.uid}`;
}

function crashContainer(world: World): string | undefined {
  const running = [...world.runtime.machine.containers.values()].filter(({ state }) => state === 'running');
  const container: FakeContainer | undefined = pick(world, running);
  if (container === undefined) return undefined;
  const exitCode = world.random.pick([0, 1, 137]);
  world.runtime.exitContainer(container, exitCode);
  return `end ${container.config.name} of ${container.podUid} with ${exitCode}`;
}

function failSandbox(world: World): string | undefined {
  const sandbox = pick(
    world,
    [...world.runtime.machine.sandboxes.values()].filter(({ ready }) => ready),
  );
  if (sandbox === undefined) return undefined;
  world.runtime.failSandbox(sandbox);
  world.pods.get(sandbox.podUid)?.disturb(world.nowMs, 30_000);
  return `fail the sandbox of ${sandbox.podUid}`;
}

function restartRuntime(world: World): string {
  const downMs = world.random.pick([0, 500, 8_000, 40_000]);
  world.troubles.outage(downMs);
  return `restart the runtime, down for ${downMs} ms`;
}

function toggleEventLoss(world: World): string {
  const chance = world.runtime.faults.lostEventChance > 0 ? 0 : world.random.pick([0.3, 1]);
  world.troubles.loseEvents(chance);
  return `lose events with chance ${chance}`;
}

function breakStreams(world: World): string {
  world.runtime.breakEventStreams();
  return 'break the event streams';
}

function hangCall(world: World): string | undefined {
  const model = pick(world, [...world.pods.values()]);
  if (model === undefined) return undefined;
  const op = world.random.pick(POD_CALLS);
  world.troubles.hang(model, op);
  return `hang the next ${op} of ${model.uid}`;
}

function failCall(world: World): string | undefined {
  return addFailure(world, false);
}

function loseReply(world: World): string | undefined {
  return addFailure(world, true);
}

function addFailure(world: World, afterEffect: boolean): string | undefined {
  const model = pick(world, [...world.pods.values()]);
  if (model === undefined) return undefined;
  const [op, error] = [world.random.pick(POD_CALLS), world.random.pick(ERRORS)];
  const times = 1 + world.random.int(2);
  world.troubles.fail(model, op, error, times, afterEffect);
  return `${afterEffect ? 'lose the reply of' : 'fail'} the next ${times} ${op} of ${model.uid} with ${error}`;
}

function slowCalls(world: World): string | undefined {
  const model = pick(world, [...world.pods.values()]);
  if (model === undefined) return undefined;
  const latencyMs = world.random.pick([300, 3_000, 12_000]);
  world.troubles.slow(model, latencyMs, 6);
  return `slow the next 6 calls of ${model.uid} by ${latencyMs} ms`;
}

/** Calls about the node as a whole; all pods may have to wait for those. */
function troubleReads(world: World): string {
  const op = world.random.pick([
    'listSandboxes',
    'listContainers',
    'status',
    'version',
    'watchEvents',
  ] as const);
  const hang = world.random.chance(0.3);
  world.troubles.spoilReads(op, hang);
  return `${hang ? 'hang' : 'fail'} the next ${op} of the whole node`;
}

function releaseFault(world: World): string {
  world.troubles.releaseOldest();
  return 'end the oldest fault';
}

function toggleAbortedEffects(world: World): string {
  const chance = world.runtime.faults.abortedEffectChance > 0 ? 0 : 0.5;
  world.troubles.finishAborted(chance);
  return `finish cancelled calls with chance ${chance}`;
}

function toggleNetwork(world: World): string {
  world.troubles.setNetwork(!world.troubles.networkReady);
  return `network ready: ${world.troubles.networkReady}`;
}

function fillDisk(world: World): string {
  world.troubles.fillDisk(1 + world.random.int(3));
  return 'fill the disk for some writes';
}

async function killAgent(world: World): Promise<string | undefined> {
  if (world.process === undefined) return undefined;
  const mode = world.random.chance(0.5) ? 'complete' : 'vanish';
  const downMs = world.random.pick([0, 0, 10, 2_000, 30_000]);
  world.killAgent(mode);
  await world.passTime(downMs);
  world.startAgent();
  return `kill the agent (calls under way ${mode}), away for ${downMs} ms`;
}

async function restartAgent(world: World): Promise<string> {
  const downMs = world.random.pick([0, 500, 20_000]);
  await world.stopAgent();
  await world.passTime(downMs);
  world.startAgent();
  return `restart the agent, away for ${downMs} ms`;
}

async function rebootNode(world: World): Promise<string> {
  world.killAgent('vanish');
  world.runtime.rebootNode();
  await world.passTime(5_000);
  world.startAgent();
  world.troubles.disturbAll(60_000);
  return 'reboot the node';
}

async function passAMoment(world: World): Promise<undefined> {
  await world.passTime(world.random.int(400));
}

async function passTimers(world: World): Promise<undefined> {
  await world.passTimers(1 + world.random.int(25));
}

async function passSeconds(world: World): Promise<undefined> {
  await world.passTime(1_000 + world.random.int(19_000));
}

async function passAMinute(world: World): Promise<undefined> {
  await world.passTime(60_000);
}

function pick<T>(world: World, items: readonly T[]): T | undefined {
  return items.length > 0 ? world.random.pick(items) : undefined;
}

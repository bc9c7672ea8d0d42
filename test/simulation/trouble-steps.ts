/** Steps that make something go wrong: the runtime, the disk, the network or the agent itself. */
import type { AgentErrorCode } from '../../src/base/errors.ts';
import type { RuntimeOperation } from '../fakes/runtime-faults.ts';
import { GATE_WIDTH } from './node.ts';
import { addFresh, pick } from './pod-steps.ts';
import type { World } from './world.ts';

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
  'updateContainer',
  'updateSandbox',
];
const ERRORS: readonly AgentErrorCode[] = ['unavailable', 'unknown', 'deadline-exceeded', 'not-found'];

export function restartRuntime(world: World): string {
  const downMs = world.random.pick([0, 500, 8_000, 40_000]);
  world.troubles.outage(downMs);
  return `restart the runtime, down for ${downMs} ms`;
}

export function toggleEventLoss(world: World): string {
  const chance = world.runtime.faults.lostEventChance > 0 ? 0 : world.random.pick([0.3, 1]);
  world.troubles.loseEvents(chance);
  return `lose events with chance ${chance}`;
}

export function breakStreams(world: World): string {
  world.runtime.breakEventStreams();
  return 'break the event streams';
}

export function hangCall(world: World): string | undefined {
  const model = pick(world, [...world.pods.values()]);
  if (model === undefined) return undefined;
  const op = world.random.pick(POD_CALLS);
  world.troubles.hang(model, op);
  return `hang the next ${op} of ${model.uid}`;
}

/** As many starts hang as the start gate is wide, and one pod more wants to start. */
export function hangStarts(world: World): string {
  const added = Array.from({ length: GATE_WIDTH + 1 }, () => addFresh(world));
  for (const { uid } of added.slice(0, GATE_WIDTH)) {
    const model = world.pods.get(uid);
    if (model !== undefined) world.troubles.hang(model, 'runSandbox');
  }
  return `hang the starts of all but the last: ${added.map(({ text }) => text).join('; ')}`;
}

export function failCall(world: World): string | undefined {
  return addFailure(world, false);
}

export function loseReply(world: World): string | undefined {
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

export function slowCalls(world: World): string | undefined {
  const model = pick(world, [...world.pods.values()]);
  if (model === undefined) return undefined;
  const latencyMs = world.random.pick([300, 3_000, 12_000]);
  world.troubles.slow(model, latencyMs, 6);
  return `slow the next 6 calls of ${model.uid} by ${latencyMs} ms`;
}

/** Calls about the node as a whole; all pods may have to wait for those. */
export function troubleReads(world: World): string {
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

export function releaseFault(world: World): string {
  world.troubles.releaseOldest();
  return 'end the oldest fault';
}

export function toggleAbortedEffects(world: World): string {
  const chance = world.runtime.faults.abortedEffectChance > 0 ? 0 : 0.5;
  world.troubles.finishAborted(chance);
  return `finish cancelled calls with chance ${chance}`;
}

export function toggleNetwork(world: World): string {
  world.troubles.setNetwork(!world.troubles.networkReady);
  return `network ready: ${world.troubles.networkReady}`;
}

export function fillDisk(world: World): string {
  const forMs = world.random.pick([300, 20_000]);
  world.troubles.fillDisk(forMs);
  return `fill the disk for ${forMs} ms`;
}

/** Memory or the disk runs short: pods may have to go, and images that no container uses. */
export function pressNode(world: World): string | undefined {
  if (!world.pressure.isWatched) return undefined;
  const shortage = world.random.pick(['memory', 'disk'] as const);
  const forMs = world.random.pick([300, 12_000, 45_000]);
  world.pressure.begin(shortage, forMs);
  return `${shortage} is short for ${forMs} ms`;
}

/** Also cgroups: what the agent keeps about pods cannot be written for a while. */
export function spoilCheckpoints(world: World): string {
  const forMs = world.random.pick([300, 20_000]);
  world.troubles.spoilCheckpoints(forMs);
  return `no checkpoint or cgroup can be written for ${forMs} ms`;
}

/** No probe gets through: containers may be restarted for it. */
export function breakProbes(world: World): string {
  const forMs = world.random.pick([1_000, 15_000, 60_000]);
  world.troubles.breakProbes(forMs);
  return `nothing gets from the agent to containers for ${forMs} ms`;
}

export function cutApiServer(world: World): string {
  const forMs = world.random.pick([2_000, 40_000, 200_000]);
  world.troubles.cutApiServer(forMs);
  return `the API server is away for ${forMs} ms`;
}

export function shutRegistry(world: World): string {
  const forMs = world.random.pick([5_000, 60_000]);
  world.troubles.shutRegistry(forMs);
  return `the registry is shut for ${forMs} ms`;
}

export async function killAgent(world: World): Promise<string | undefined> {
  if (world.process === undefined) return undefined;
  const mode = world.random.chance(0.5) ? 'complete' : 'vanish';
  const downMs = world.random.pick([0, 0, 10, 2_000, 30_000]);
  world.killAgent(mode);
  await world.passTime(downMs);
  world.startAgent();
  return `kill the agent (calls under way ${mode}), away for ${downMs} ms`;
}

export async function restartAgent(world: World): Promise<string> {
  const downMs = world.random.pick([0, 500, 20_000]);
  await world.stopAgent();
  await world.passTime(downMs);
  world.startAgent();
  return `restart the agent, away for ${downMs} ms`;
}

export async function rebootNode(world: World): Promise<string> {
  world.killAgent('vanish');
  world.runtime.rebootNode();
  world.mounter.reboot();
  await world.passTime(5_000);
  world.startAgent();
  world.troubles.disturbAll(60_000);
  return 'reboot the node';
}

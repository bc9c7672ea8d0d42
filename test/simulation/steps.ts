/**
 * What may happen in a simulated world. A step is drawn from the seed, says
 * in one line what it does, and does it; steps that make no sense at the
 * moment are skipped.
 */
import {
  addPod,
  crashContainer,
  debugPod,
  editPod,
  failSandbox,
  removeAndReturn,
  removePod,
  resizePod,
  returnPod,
} from './pod-steps.ts';
import {
  breakProbes,
  breakStreams,
  cutApiServer,
  failCall,
  fillDisk,
  hangCall,
  hangStarts,
  killAgent,
  loseReply,
  pressNode,
  rebootNode,
  releaseFault,
  restartAgent,
  restartRuntime,
  shutRegistry,
  slowCalls,
  spoilCheckpoints,
  toggleAbortedEffects,
  toggleEventLoss,
  toggleNetwork,
  troubleReads,
} from './trouble-steps.ts';
import type { World } from './world.ts';

/** Returns what it did, or undefined when there was nothing to do it to. */
type Step = (world: World) => string | undefined | Promise<string | undefined>;

/** Weight and step. */
const STEPS: readonly (readonly [number, Step])[] = [
  [10, addPod],
  [6, editPod],
  [6, removePod],
  [4, returnPod],
  [2, removeAndReturn],
  [5, crashContainer],
  [2, debugPod],
  [4, resizePod],
  [3, failSandbox],
  [2, restartRuntime],
  [2, toggleEventLoss],
  [1, breakStreams],
  [4, hangCall],
  [1, hangStarts],
  [5, failCall],
  [4, loseReply],
  [2, slowCalls],
  [2, troubleReads],
  [2, releaseFault],
  [2, toggleAbortedEffects],
  [1, toggleNetwork],
  [1, fillDisk],
  [1, spoilCheckpoints],
  [6, pressNode],
  [1, breakProbes],
  [2, cutApiServer],
  [1, shutRegistry],
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

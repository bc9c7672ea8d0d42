/**
 * A second opinion on crash-loop back-off, from the machine's history alone:
 * each start after an end must wait at least as long as the starts before it
 * have earned, also when the agent was killed in between.
 */
import type { FakeContainer } from '../fakes/fake-machine.ts';
import { CRASH_LOOP } from './node.ts';
import type { World } from './world.ts';

/** From the note of a start to the start. */
const START_MS = 5_000;
/** The agent's entry may be older than the start we saw by as long as that start took. */
const SURELY_REMEMBERED_MS = CRASH_LOOP.forgetAfterMs / 2;

export class RestartDelays {
  readonly #world: World;
  readonly #earned = new Map<
    string,
    { readonly delayMs: number; readonly atMs: number; readonly life: number }
  >();

  /** Instances an agent began to end. */
  readonly #asked = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  onStop(id: string): void {
    this.#asked.add(id);
  }

  /** Why this start came too early; undefined when it did not. */
  onStarted(container: FakeContainer): string | undefined {
    const { podUid, config, startedAtMs = 0 } = container;
    const ended = this.#world.runtime
      .containersOf(podUid, config.name)
      .filter((other) => other !== container && other.state === 'exited')
      .sort((a, b) => (b.finishedAtMs ?? 0) - (a.finishedAtMs ?? 0));
    // One that was stopped for this very start still ran when the back-off was looked at: the one before it counts.
    const counted = ended[0] !== undefined && this.#asked.has(ended[0].id) ? ended[1] : ended[0];
    if (counted?.finishedAtMs === undefined) return undefined;
    const endedAtMs = counted.finishedAtMs;
    // A container with other resources starts with a clean slate.
    const { cpuShares, memoryLimitBytes } = config.resources;
    const key = `${podUid}/${config.name} with ${cpuShares}/${memoryLimitBytes}`;
    const earned = this.#earned.get(key);
    const { lives: life, troubles, agentStartedAtMs } = this.#world;
    // What could not be written down is forgotten with the agent; a start that a killed one began may end in the next life.
    const isOwn = earned?.life === life && earned.atMs > agentStartedAtMs + START_MS;
    const isKnown = isOwn || troubles.diskTroubleAtMs < (earned?.atMs ?? 0) - START_MS;
    const retriedAtMs = this.#world.pods.get(podUid)?.retriedAtMs ?? Number.NEGATIVE_INFINITY;
    const isHeld = isKnown && (earned?.atMs ?? 0) > retriedAtMs;
    const counts = earned !== undefined && isHeld && endedAtMs - earned.atMs < SURELY_REMEMBERED_MS;
    const delayMs = counts
      ? Math.min(CRASH_LOOP.maxMs, earned.delayMs * CRASH_LOOP.factor)
      : CRASH_LOOP.initialMs;
    this.#earned.set(key, { delayMs, atMs: startedAtMs, life });
    const waitedMs = startedAtMs - endedAtMs;
    if (!counts || waitedMs >= earned.delayMs - 1) return undefined;
    return `${key} started ${Math.round(waitedMs)} ms after its end, its back-off is ${earned.delayMs} ms`;
  }
}

/**
 * What containers really answered to their probes and hooks, written down at
 * the edge of the world, instance by instance: the second opinion on what the
 * agent makes of it.
 */
import type { ContainerId } from '../../src/core/model/ids.ts';
import type { FakeContainer } from '../fakes/fake-machine.ts';
import type { Purpose, ScriptedHandler } from './script-book.ts';
import type { World } from './world.ts';

interface Answers {
  /** Bad ones in a row, up to now. */
  bad: number;
  /** The longest such row since the count was last reset. */
  worst: number;
  /** There was a good one. */
  good: boolean;
}

export class HandlerTruth {
  readonly #world: World;
  readonly #answers = new Map<string, Answers>();
  readonly #asked = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The agent asks. */
  onAsked({ uid, container, purpose }: ScriptedHandler, { id }: FakeContainer): void {
    this.#asked.add(`${purpose}/${id}`);
    const gated = purpose === 'liveness' || purpose === 'readiness';
    if (!gated || this.#world.scripts.scriptOf(uid, container, 'startup') === undefined) return;
    if (!this.hasStarted(id))
      this.#world.invariants.fail(
        'other probes wait for the startup probe',
        `${purpose} of ${container} of pod ${uid}`,
      );
  }

  note({ purpose }: ScriptedHandler, id: ContainerId, isGood: boolean): void {
    const key = `${purpose}/${id}`;
    const answers = this.#answers.get(key) ?? { bad: 0, worst: 0, good: false };
    answers.bad = isGood ? 0 : answers.bad + 1;
    answers.worst = Math.max(answers.worst, answers.bad);
    answers.good ||= isGood;
    this.#answers.set(key, answers);
  }

  wasAsked(purpose: Purpose, id: ContainerId): boolean {
    return this.#asked.has(`${purpose}/${id}`);
  }

  /** Bad answers in a row. */
  badOnes(purpose: Purpose, id: ContainerId): number {
    return this.#answers.get(`${purpose}/${id}`)?.bad ?? 0;
  }

  /** The longest row of bad answers since the last `settle`, which may still go on. */
  worstRow(purpose: Purpose, id: ContainerId): number {
    return this.#answers.get(`${purpose}/${id}`)?.worst ?? 0;
  }

  settle(purpose: Purpose, id: ContainerId): void {
    const answers = this.#answers.get(`${purpose}/${id}`);
    if (answers !== undefined) answers.worst = answers.bad;
  }

  hasStarted(id: ContainerId): boolean {
    return this.#answers.get(`startup/${id}`)?.good === true;
  }
}

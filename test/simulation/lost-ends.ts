/**
 * Ends of pods that the next agent cannot know of. The containers of a static
 * pod are all that says that it has ended, and a removal that a killed agent
 * had under way may take one of them much later, when its pod has long come
 * back: the agent that lives has seen it, the one after it has not.
 */
import type { ContainerId, SandboxId } from '../../src/core/model/ids.ts';
import type { World } from './world.ts';

export class LostEnds {
  readonly #world: World;
  /** The last life of the agent that asked for the removal of a container. */
  readonly #askedIn = new Map<string, number>();
  readonly #pods = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  /** A living agent is about to remove a container, or a sandbox with what is in it. */
  onRemove(id: string): void {
    const { machine } = this.#world.runtime;
    const sandbox = machine.sandboxes.get(id as SandboxId);
    const ids = sandbox === undefined ? [id] : machine.containersOf(sandbox).map((container) => container.id);
    for (const each of ids) this.#askedIn.set(each, this.#world.lives);
  }

  onDeleted(id: string, podUid = ''): void {
    const life = this.#askedIn.get(id as ContainerId);
    if (life !== undefined && life !== this.#world.lives) this.#pods.add(podUid);
  }

  /** Another agent starts; true when it cannot know that the pod has ended, unless the API server says so. */
  take(podUid: string): boolean {
    return this.#pods.delete(podUid);
  }
}

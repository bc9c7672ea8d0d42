/**
 * A second opinion on readiness: an instance that was published as ready stays
 * so while it runs, over restarts of the agent too, until its probe has
 * answered badly as often as it may.
 */
import type { Container } from '../../src/core/api/pod.ts';
import type { ContainerStatus, PodStatus } from '../../src/core/api/pod-status.ts';
import { type ContainerId, toContainerId } from '../../src/core/model/ids.ts';
import { containersOf } from '../../src/core/model/pod-containers.ts';
import type { PodModel } from './pod-model.ts';
import type { World } from './world.ts';

/** What became true just before a kill may not have reached the disk. */
const SURELY_WRITTEN_MS = 5_000;

interface Ready {
  readonly life: number;
  readonly sinceMs: number;
}

export class LastingReadiness {
  readonly #world: World;
  readonly #ready = new Map<string, Ready>();

  constructor(world: World) {
    this.#world = world;
  }

  onPublished(model: PodModel, status: PodStatus): void {
    for (const container of containersOf(model.pod)) {
      const published = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].find(
        ({ name }) => name === container.name,
      );
      if (published?.containerID === undefined || published.state.running === undefined) continue;
      this.#onPublished(model, container, published, published.containerID);
    }
  }

  #onPublished(model: PodModel, container: Container, { ready }: ContainerStatus, containerID: string): void {
    const { lives, nowMs, invariants } = this.#world;
    const before = this.#ready.get(containerID);
    const id = toContainerId(containerID.replace('containerd://', ''));
    if (ready) {
      this.#world.truth.settle('readiness', id);
      if (before?.life !== lives)
        this.#ready.set(containerID, { life: lives, sinceMs: before?.sinceMs ?? nowMs });
      return;
    }
    this.#ready.delete(containerID);
    if (before === undefined || this.#mayBe(container, id) || this.#mayBeForgotten(before)) return;
    // One that the agent has stopped is not ready, though the status may still show it from before the stop.
    if (this.#world.runtime.machine.containers.get(id)?.state !== 'running') return;
    invariants.fail(
      'what is ready stays so until its probe says otherwise',
      `${container.name} of pod ${model.uid}`,
    );
  }

  #mayBe({ readinessProbe }: Container, id: ContainerId): boolean {
    const { failureThreshold = 3 } = readinessProbe ?? {};
    return readinessProbe !== undefined && this.#world.truth.worstRow('readiness', id) >= failureThreshold;
  }

  #mayBeForgotten({ life, sinceMs }: Ready): boolean {
    const { lives, agentEndedAtMs, troubles } = this.#world;
    if (life === lives) return false;
    return agentEndedAtMs - sinceMs < SURELY_WRITTEN_MS || troubles.diskTroubleAtMs >= sinceMs;
  }
}

/** Starts of pods and containers, and those that failed. */
import { Counter, type MetricRegistry } from '../../../base/metric-registry.ts';
import type { Pod } from '../../../core/api/pod.ts';
import type { Action, ContainerRole } from '../../../core/model/actions.ts';
import type { ActionFailure } from '../../../ports/agent-meter.ts';
import { SpecialStarts } from './special-starts.ts';

/** As metrics name the kinds of containers. */
const CONTAINER_TYPES: Readonly<Record<ContainerRole, string>> = {
  init: 'init_container',
  sidecar: 'init_container',
  regular: 'container',
  ephemeral: 'ephemeral_container',
};

export class StartMetrics {
  readonly #pods: Counter;
  readonly #podErrors: Counter;
  readonly #containers: Counter;
  readonly #containerErrors: Counter;
  readonly #special: SpecialStarts;

  constructor(registry: MetricRegistry) {
    const counter = (name: string, help: string, labels: string[] = []): Counter =>
      registry.add(new Counter({ name, help, labels }));
    this.#special = new SpecialStarts(registry);
    this.#pods = counter('kubelet_started_pods_total', 'Cumulative number of pods started');
    this.#podErrors = counter(
      'kubelet_started_pods_errors_total',
      'Cumulative number of errors when starting pods',
    );
    this.#containers = counter(
      'kubelet_started_containers_total',
      'Cumulative number of containers started',
      ['container_type'],
    );
    this.#containerErrors = counter(
      'kubelet_started_containers_errors_total',
      'Cumulative number of errors when starting containers',
      ['code', 'container_type'],
    );
  }

  note(action: Action, failure: ActionFailure | undefined, pod: Pod): void {
    this.#special.note(action, failure, pod);
    if (action.kind === 'create-sandbox') {
      this.#pods.add(1);
      if (failure !== undefined) this.#podErrors.add(1);
    }
    if (action.kind !== 'start-container') return;
    const type = { container_type: CONTAINER_TYPES[action.role] };
    this.#containers.add(1, type);
    if (failure !== undefined) this.#containerErrors.add(1, { ...type, code: failure.reason });
  }
}

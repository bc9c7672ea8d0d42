/** Starts of pods and containers that want something few do: users of their own, images as volumes. */
import { Counter, type MetricRegistry } from '../../../base/metric-registry.ts';
import type { Pod } from '../../../core/api/pod.ts';
import type { Action, StartContainer } from '../../../core/model/actions.ts';
import type { ActionFailure } from '../../../ports/agent-meter.ts';

/** How a runtime's refusal begins that could not mount an image. */
const IMAGE_MOUNT_FAILED = 'ImageVolumeMountFailed';
/** The container was made before these: its mounts were there. */
const MADE: ReadonlySet<string> = new Set(['RunContainerError', 'PostStartHookError']);

export class SpecialStarts {
  readonly #userPods: Counter;
  readonly #userPodErrors: Counter;
  readonly #imagesAsked: Counter;
  readonly #imagesMounted: Counter;
  readonly #imagesFailed: Counter;
  /** Pods with users of their own whose first container is still to come: most refusals come with it. */
  readonly #begun = new Set<string>();

  constructor(registry: MetricRegistry) {
    const counter = (name: string, help: string, stability: 'ALPHA' | 'BETA' = 'ALPHA'): Counter =>
      registry.add(new Counter({ name: `kubelet_${name}_total`, help, stability }));
    this.#userPods = counter(
      'started_user_namespaced_pods',
      'Cumulative number of pods with user namespaces started.',
    );
    this.#userPodErrors = counter(
      'started_user_namespaced_pods_errors',
      'Cumulative number of errors when starting pods with user namespaces.',
    );
    this.#imagesAsked = counter('image_volume_requested', 'Number of requested image volumes.', 'BETA');
    this.#imagesMounted = counter(
      'image_volume_mounted_succeed',
      'Number of successful image volume mounts.',
      'BETA',
    );
    this.#imagesFailed = counter(
      'image_volume_mounted_errors',
      'Number of failed image volume mounts.',
      'BETA',
    );
  }

  note(action: Action, failure: ActionFailure | undefined, pod: Pod): void {
    if (pod.spec.hostUsers === false) this.#noteUserPod(action, failure, pod.metadata.uid);
    if (action.kind === 'start-container') this.#noteImages(action, failure, pod);
    if (action.kind === 'release-pod') this.#begun.delete(pod.metadata.uid);
  }

  #noteUserPod({ kind }: Action, failure: ActionFailure | undefined, uid: string): void {
    if (kind === 'create-sandbox') {
      this.#userPods.add(1);
      if (failure === undefined) this.#begun.add(uid);
      else this.#userPodErrors.add(1);
    }
    if (kind === 'start-container' && this.#begun.delete(uid) && failure !== undefined)
      this.#userPodErrors.add(1);
  }

  #noteImages({ container }: StartContainer, failure: ActionFailure | undefined, pod: Pod): void {
    const images = new Set(
      (pod.spec.volumes ?? []).flatMap(({ name, image }) => (image === undefined ? [] : [name])),
    );
    const mounts = (container.volumeMounts ?? []).filter(({ name }) => images.has(name)).length;
    if (mounts === 0) return;
    this.#imagesAsked.add(mounts);
    if (failure === undefined || MADE.has(failure.reason)) this.#imagesMounted.add(mounts);
    else if (failure.reason === 'CreateContainerError' && failure.message.startsWith(IMAGE_MOUNT_FAILED))
      this.#imagesFailed.add(mounts);
  }
}

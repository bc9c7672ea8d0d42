/** What the page shows, as views of what the agent has anyway; nothing is kept for it. */
import type { Pod } from '../../core/api/pod.ts';
import type { Explanation } from '../../core/pod/explain/explanation.ts';
import type { EvictionReporter } from '../../ports/host/eviction-report.ts';
import type { Kit } from '../../ports/kit.ts';
import type { ImageReporter } from '../../ports/runtime/image-report.ts';
import type { ContainerLogsParts } from '../logs/container-logs-route.ts';
import type { EventListing } from '../pods/event-list.ts';
import type { PodListing } from '../pods/pod-list.ts';
import type { RejectedListing } from '../pods/rejected-list.ts';
import type { TimelineParts } from '../pods/timeline-route.ts';
import type { TopParts } from '../stats/top-route.ts';

export interface PageSource {
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly nodeName: string;
  readonly pods: PagePods;
  /** Undefined for a pod that has just gone. */
  readonly explain: (pod: Pod) => Explanation | undefined;
  readonly events: EventListing;
  readonly node: PageNode;
  readonly containers: { readonly logs: Omit<ContainerLogsParts, 'pods' | 'clock'> };
}

export interface PagePods extends PodListing {
  /** Calls the listener when a pod or its status may have changed. */
  readonly onChange: (listener: () => void) => Disposable;
  readonly rejected: RejectedListing;
  readonly timeline: TimelineParts['timeline'];
}

export interface PageNode extends TopParts {
  readonly about: { readonly version: string; readonly manifests: string };
  readonly images: ImageReporter;
  /** What was last measured of disks; undefined where nothing is watched. */
  readonly evictor: Pick<EvictionReporter, 'last'> | undefined;
  /** Such as `MemoryPressure`, or why the runtime cannot be used; empty when all is well. */
  readonly problems: () => readonly string[];
}

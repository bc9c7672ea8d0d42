/**
 * What the simulation itself knows about each pod: whether a source has it,
 * and until when trouble excuses it from being settled. Written by steps and
 * by the world, read by invariants; the agent never sees it.
 */
import type { Pod } from '../../src/core/api/pod.ts';
import { fullName } from '../../src/core/api/pod-identity.ts';
import type { PodSourceName } from '../../src/core/model/pod-source-name.ts';

export class PodModel {
  readonly uid: string;
  /** Only its ephemeral containers and resources ever change. */
  pod: Pod;
  readonly source: PodSourceName;
  /** A source has it now. */
  wanted = true;
  /** The living agent's last delivery from the source had it; undefined until the source has delivered to that agent. */
  heard: boolean | undefined = false;
  /** The agent was, or may have been, asked to end it, and has not finished. */
  ending = false;
  /** A test expects the node to end it, whatever its source says. */
  endIsExpected = false;
  /** The node ended it for its own sake, and the API server knows that or the agent still does. */
  evicted = false;
  /** Its end was published; what is left of its containers may be removed to make room. */
  finished = false;
  /** When an operator last ended its back-offs. */
  retriedAtMs = Number.NEGATIVE_INFINITY;
  /** Instances that an operator asked to restart. */
  readonly restartsAsked = new Set<string>();
  /** From this time on nothing excuses the pod any more. */
  calmFromMs: number;

  constructor(pod: Pod, source: PodSourceName, calmFromMs: number) {
    this.uid = pod.metadata.uid;
    this.pod = pod;
    this.source = source;
    this.calmFromMs = calmFromMs;
  }

  get name(): string {
    return fullName(this.pod);
  }

  /** Trouble now: the pod may need `ms` from now on to settle. */
  disturb(nowMs: number, ms: number): void {
    this.calmFromMs = Math.max(this.calmFromMs, nowMs + ms);
  }
}

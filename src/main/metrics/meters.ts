/** All meters, made once and passed to the code whose work they count. */
import { uptime } from 'node:os';
import type { Agent } from '../../agent/agent-ports.ts';
import type { RecentEvents } from '../../agent/events/recent-events.ts';
import type { Clock } from '../../base/async/clock.ts';
import type { PodUid } from '../../core/model/ids.ts';
import { AgentMetrics } from './agent-metrics.ts';
import { CallMetrics } from './call-metrics.ts';
import { ImageMetrics } from './image-metrics.ts';
import type { NodeMetrics } from './node-metrics.ts';
import { PodMetrics } from './pod/pod-metrics.ts';
import { StartupMetrics } from './startup-metrics.ts';

export interface Meters {
  readonly agent: AgentMetrics;
  readonly pods: PodMetrics;
  readonly calls: CallMetrics;
  readonly images: ImageMetrics;
  readonly startup: StartupMetrics;
}

export function createMeters(
  { registry, probes }: NodeMetrics,
  clock: Pick<Clock, 'now' | 'steady'>,
): Meters {
  const pods = new PodMetrics({ registry, clock, startedAtMs: clock.now() });
  const seenAtMs = (uid: PodUid): number | undefined => pods.seenAtMs(uid);
  return {
    pods,
    agent: new AgentMetrics({ registry, probes, clock, seenAtMs }),
    calls: new CallMetrics(registry, clock),
    images: new ImageMetrics(registry),
    startup: new StartupMetrics(registry, {
      bootedAtMs: Date.now() - uptime() * 1000,
      startedAtMs: performance.timeOrigin,
      now: Date.now,
    }),
  };
}

/** Counts what becomes of the agent's pods; dispose the result to stop. */
export function followPods({ pods, agent: meter }: Meters, agent: Agent, events: RecentEvents): Disposable {
  return pods.follow({
    records: agent.desired.records,
    published: agent.board.published,
    pullMs: (uid) => computePullMs(events.list(uid)),
    onGone: ({ metadata }) => meter.forget(metadata),
  });
}

/** From the first `Pulling` to the last image that came: what a pod's events say of its pulls. */
export function computePullMs(
  events: readonly {
    readonly reason: string;
    readonly message: string;
    readonly firstAtMs: number;
    readonly lastAtMs: number;
  }[],
): number {
  const begun = events.filter(({ reason }) => reason === 'Pulling').map(({ firstAtMs }) => firstAtMs);
  const done = events
    .filter(({ reason, message }) => reason === 'Pulled' && message.startsWith('Successfully pulled'))
    .map(({ lastAtMs }) => lastAtMs);
  return begun.length === 0 || done.length === 0 ? 0 : Math.max(0, Math.max(...done) - Math.min(...begun));
}

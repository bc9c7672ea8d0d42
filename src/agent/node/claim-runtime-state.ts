/** Answers for the runtime and its network in the node state, from what the monitor and the observer found. */
import type { RuntimeMonitor } from '../runtime/runtime-monitor.ts';
import type { RuntimeObserver } from '../runtime/runtime-observer.ts';
import type { NodeState } from './node-state.ts';

export function claimRuntimeState(
  state: Pick<NodeState, 'claim'>,
  monitor: Pick<RuntimeMonitor, 'runtimeProblem' | 'networkProblem' | 'absence' | 'status' | 'subscribe'>,
  observer: Pick<RuntimeObserver, 'problem'>,
): void {
  const runtime = state.claim('runtime', () => ({
    problem: monitor.runtimeProblem,
    listingProblem: observer.problem,
    absence: monitor.absence,
    status: monitor.status,
  }));
  const network = state.claim('network', () =>
    monitor.status === undefined ? 'network state unknown' : monitor.networkProblem,
  );
  monitor.subscribe(() => {
    runtime.changed();
    network.changed();
  });
}

/**
 * Checks periodically whether the node's resolver file exceeds what pods can
 * be given of it, and records an event of the node: once, until the problem
 * changes.
 */
import { type Clock, sleep } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { findResolverProblem } from '../../core/spec/find-resolver-problem.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';

/** The file seldom changes, and nothing waits for the event. */
const PERIOD_MS = 120_000;

export interface ResolverCheckParts {
  readonly files: Pick<HostFiles, 'readFile'>;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly node: Pick<NodeProfile, 'resolvConfPath' | 'clusterDomain'>;
}

/** Runs until `stop` aborts; at once over when there is nothing to look at. */
export async function checkResolver(parts: ResolverCheckParts, stop: AbortSignal): Promise<void> {
  const { clock, events, node } = parts;
  if (node.resolvConfPath === '') return;
  let reported: string | undefined;
  while (!stop.aborted) {
    const problem = await findProblem(parts);
    if (problem !== undefined && problem !== reported)
      events.record({ about: 'node', type: 'Warning', reason: 'CheckLimitsForResolvConf', message: problem });
    reported = problem;
    await sleep(clock, PERIOD_MS, stop);
  }
}

async function findProblem({ files, node }: ResolverCheckParts): Promise<string | undefined> {
  const { resolvConfPath: path, clusterDomain } = node;
  try {
    return findResolverProblem(path, await files.readFile(path), clusterDomain);
  } catch (error) {
    return errorText(error);
  }
}

/**
 * Watches the pods of a run over the local socket of its kubelet. Changes of pods and events only wake: what is shown
 * and judged is read at that moment.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { AgentError, hasCode } from '../../../base/errors.ts';
import type { ApiEvent } from '../../../core/events/api-event.ts';
import type { PodExplanation } from '../../../server/pods/explain-route.ts';
import type { CliPod } from '../ask/choose-pod.ts';
import type { LocalClient } from '../ask/local-client.ts';
import type { ContainerFollower } from './follow-containers.ts';
import { judgeRun, type RunEnd, type RunFacts, toPodLines } from './judge-run.ts';
import type { RunScreen } from './run-screen.ts';

const RETRY_MS = 50;

export interface RunView {
  readonly client: LocalClient;
  readonly screen: RunScreen;
  readonly logs: ContainerFollower;
  readonly now: () => number;
  /** So many pods are wanted. */
  readonly expected: number;
}

/** Until `stop` aborts, or with `once` until every pod has ended. */
export async function watchRun(view: RunView, once: boolean, stop: AbortSignal): Promise<RunEnd | undefined> {
  const { screen, logs, expected } = view;
  for await (const facts of readings(view, stop)) {
    screen.showPods(toPodLines(facts, view.now()), 'Ctrl-C ends');
    logs.update(facts.pods);
    const end = once ? judgeRun(facts, expected) : undefined;
    if (end === undefined) continue;
    // What a container that still runs may write is not waited for.
    if (facts.pods.every(({ status }) => status?.phase === 'Succeeded' || status?.phase === 'Failed'))
      await logs.settled();
    return end;
  }
  return undefined;
}

/** Until the kubelet has no pod any more. */
export async function waitUntilGone(view: RunView, stop: AbortSignal): Promise<void> {
  for await (const facts of readings(view, stop)) {
    if (facts.pods.length === 0) return;
    const grace = Math.max(...facts.pods.map(({ spec }) => spec.terminationGracePeriodSeconds ?? 0));
    view.screen.showPods(
      toPodLines(facts, view.now()),
      `ending, which may take ${grace}s; Ctrl-C again shortens it`,
    );
  }
}

/** One reading at first and after every change. */
async function* readings(view: RunView, stop: AbortSignal): AsyncGenerator<RunFacts> {
  const { client } = view;
  await waitForSocket(client, stop);
  if (stop.aborted) return;
  const over = new AbortController();
  const signal = AbortSignal.any([stop, over.signal]);
  let wake = Promise.withResolvers<void>();
  let isOver = false;
  const follow = async (path: string): Promise<void> => {
    try {
      for await (const _line of await client.openLines(path, signal)) wake.resolve();
    } finally {
      isOver = true;
      wake.resolve();
    }
  };
  const watches = [follow('/pods?watch=1'), follow('/events?watch=1')];
  for (const watch of watches) watch.catch(() => {});
  try {
    while (!isOver) {
      wake = Promise.withResolvers();
      yield await read(client);
      if (!isOver) await wake.promise;
    }
    // Nothing is known then, least of all that the pods have gone.
    if (!stop.aborted) throw new AgentError('unavailable', 'the kubelet no longer says how its pods are');
  } finally {
    over.abort();
    await Promise.allSettled(watches);
  }
}

async function read(client: LocalClient): Promise<RunFacts> {
  const [pods, explained, events] = await Promise.all([
    client.getJson<{ items: CliPod[] | null }>('/pods'),
    client.getJson<{ items: PodExplanation[] }>('/explain'),
    client.getJson<{ items: ApiEvent[] }>('/events'),
  ]);
  return {
    pods: pods.items ?? [],
    explanations: new Map(explained.items.map((item) => [item.uid, item])),
    events: events.items,
  };
}

/** The kubelet opens it when it has started, in its own time. */
async function waitForSocket(client: LocalClient, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    try {
      await client.getJson('/about');
      return;
    } catch (error) {
      if (!hasCode(error, 'unavailable')) throw error;
      await delay(RETRY_MS, undefined, { signal: stop }).catch(() => {});
    }
  }
}

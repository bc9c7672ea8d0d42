/**
 * A page that is kept up to date: server-sent events with the sections that have changed. What happens in quick
 * succession becomes one update; a slow reader gets the newest state, not a backlog; one that stops reading is
 * dropped.
 *
 *   render ──► send what changed ──► wait a moment ──► wait for a change or the next measurement ──┐
 *      ▲                                                                                           │
 *      └───────────────────────────────────────────────────────────────────────────────────────────┘
 */
import { sleep } from '../../base/async/clock.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import type { HttpReply, ReplySink } from '../http/http-exchange.ts';
import { STALL_MS } from './page-headers.ts';
import type { PageSource } from './page-source.ts';
import type { UsageSampler } from './usage-sampler.ts';
import type { Section } from './view/section.ts';

/** The least time between two updates. */
const GAP_MS = 500;
/** A little more than the steps of the history. */
const SAMPLE_MS = 10_250;

export interface LiveParts {
  readonly source: Pick<PageSource, 'kit' | 'pods' | 'events'>;
  readonly usage: Pick<UsageSampler, 'refresh'>;
  /** The page as it is now. */
  readonly render: () => Promise<readonly Section[]>;
}

export function toLiveReply(parts: LiveParts): HttpReply {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    body: '',
    stallMs: STALL_MS,
    stream: (sink, signal) => streamSections(parts, sink, signal),
  };
}

async function streamSections(
  { source, usage, render }: LiveParts,
  sink: ReplySink,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = source.kit;
  const mailbox = new Mailbox(clock);
  const post = (): void => mailbox.post('changed');
  using _pods = source.pods.onChange(post);
  using _events = source.events.subscribe(post);
  using _rejected = source.pods.rejected.subscribe(post);
  let sent = new Map<string, string>();
  let sampleAtMs = clock.steady();
  while (!signal.aborted) {
    if (clock.steady() >= sampleAtMs) {
      sampleAtMs = clock.steady() + SAMPLE_MS;
      void usage.refresh().then(post);
    }
    const now = new Map((await render()).map(({ id, content }) => [id, content.toString()]));
    await sink.write(Buffer.from(toMessage(sent, now, clock.now())));
    sent = now;
    await sleep(clock, GAP_MS, signal);
    await mailbox.wait(signal, sampleAtMs);
  }
}

/** A comment when nothing has changed: a connection that is gone is noticed by it. */
function toMessage(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  nowMs: number,
): string {
  const changed = Object.fromEntries([...now].filter(([id, content]) => before.get(id) !== content));
  const ids = [...now.keys()];
  if (Object.keys(changed).length === 0 && ids.length === before.size) return ':\n\n';
  return `data: ${JSON.stringify({ now: nowMs, ids, changed })}\n\n`;
}

/**
 * Profiles of the agent for authorized callers: CPU (`profile`, a
 * .cpuprofile), waits inside it (`block`), heap statistics (`heap`) and, behind a setting and a right of
 * its own, the whole heap (`/heapsnapshot`, a .heapsnapshot), which contains
 * Secrets and keys. One at a time: each is expensive.
 */
import { type Clock, sleep } from '../../base/async/clock.ts';
import {
  type HttpReply,
  type HttpRequest,
  toErrorReply,
  toFileReply,
  toTextReply,
} from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import type { ContentionProfile } from './contention-profile.ts';
import { readHeapSnapshot, renderHeapStatistics } from './heap-profile.ts';
import { OneAtATime } from './one-at-a-time.ts';

const DEFAULT_SECONDS = 30;
const MAX_SECONDS = 300;
const NAMES = ['block', 'cmdline', 'heap', 'profile'];
const NOT_MEASURED = 'nothing is measured; enableContentionProfiling enables it.';

export interface ProfileSettings {
  readonly clock: Clock;
  /** True when callers with the right `nodes/heapsnapshot` may have the memory of the agent. */
  readonly heapSnapshots: boolean;
  /** Undefined unless waits are measured. */
  readonly contention: Pick<ContentionProfile, 'render'> | undefined;
}

export function toProfileRoutes({ clock, heapSnapshots, contention }: ProfileSettings): Route[] {
  const turn = new OneAtATime();
  const handle = async ({ params, query }: HttpRequest, signal: AbortSignal): Promise<HttpReply> => {
    const name = params?.['name'] ?? '';
    if (name === '') return toTextReply(200, `${NAMES.join('\n')}\n`);
    if (name === 'cmdline') return toTextReply(200, process.argv.join('\0'));
    if (name === 'block') return toTextReply(200, contention?.render() ?? `${NOT_MEASURED}\n`);
    if (name === 'heap') return toTextReply(200, await renderHeapStatistics());
    if (name !== 'profile') return toErrorReply(404, 'Unknown profile');
    const seconds = Number(query.get('seconds') ?? DEFAULT_SECONDS);
    if (!(seconds > 0 && seconds <= MAX_SECONDS)) return toErrorReply(400, 'invalid value for "seconds"');
    return turn.run(() => readCpu(clock, seconds * 1000, signal), signal);
  };
  const snapshot: Route['handle'] = heapSnapshots
    ? (_request, signal) => turn.run(() => readHeapSnapshot(clock), signal)
    : () => toErrorReply(405, 'heap snapshots are disabled; --enable-heap-snapshots enables them.');
  return [
    { path: '/debug/pprof/', methods: ['GET'], shapes: [[], ['name']], handle },
    { path: '/heapsnapshot', methods: ['GET'], handle: snapshot },
  ];
}

async function readCpu(clock: Clock, durationMs: number, signal: AbortSignal): Promise<HttpReply> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await sleep(clock, durationMs, signal);
    const { profile } = await session.post('Profiler.stop');
    return { ...toFileReply('kubelet.cpuprofile'), body: JSON.stringify(profile) };
  } finally {
    session.disconnect();
  }
}

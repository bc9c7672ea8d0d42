/**
 * Profiles of the agent for those who may see them: what it computes
 * (`profile`, a .cpuprofile) and what it holds (`heap`, a .heapsnapshot), as
 * the developer tools of browsers read them. One at a time: each costs.
 */
import type { Clock } from '../../base/clock.ts';
import { sleep } from '../../base/clock.ts';
import { type HttpReply, type HttpRequest, toErrorReply, toTextReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';

const DEFAULT_SECONDS = 30;
const MAX_SECONDS = 300;
const NAMES = ['cmdline', 'heap', 'profile'];

export function toProfileRoutes(clock: Clock): Route[] {
  let busy = false;
  const alone = async (work: () => Promise<HttpReply>): Promise<HttpReply> => {
    if (busy) return toErrorReply(500, 'Could not enable profiling: already in use');
    busy = true;
    try {
      return await work();
    } finally {
      busy = false;
    }
  };
  const handle = async ({ params, query }: HttpRequest, signal: AbortSignal): Promise<HttpReply> => {
    const name = params?.['name'] ?? '';
    if (name === '') return toTextReply(200, `${NAMES.join('\n')}\n`);
    if (name === 'cmdline') return toTextReply(200, process.argv.join('\0'));
    if (name === 'heap') return alone(readHeap);
    if (name !== 'profile') return toErrorReply(404, 'Unknown profile');
    const seconds = Number(query.get('seconds') ?? DEFAULT_SECONDS);
    if (!(seconds > 0 && seconds <= MAX_SECONDS)) return toErrorReply(400, 'invalid value for "seconds"');
    return alone(() => readCpu(clock, seconds * 1000, signal));
  };
  return [{ path: '/debug/pprof/', methods: ['GET'], shapes: [[], ['name']], handle }];
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
    return toFile('kubelet.cpuprofile', JSON.stringify(profile));
  } finally {
    session.disconnect();
  }
}

/** Handed on piece by piece: the whole would be as large as the heap itself. */
async function readHeap(): Promise<HttpReply> {
  const { getHeapSnapshot } = await import('node:v8');
  return {
    ...toFile('kubelet.heapsnapshot', ''),
    stream: async (sink) => {
      for await (const chunk of getHeapSnapshot()) await sink.write(chunk as Buffer);
    },
  };
}

function toFile(name: string, body: string): HttpReply {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
    'x-content-type-options': 'nosniff',
  };
  return { status: 200, headers, body };
}

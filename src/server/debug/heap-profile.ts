/** How much the agent holds, as numbers, and what it holds, whole. */
import type { Clock } from '../../base/async/clock.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import { type HttpReply, type ReplySink, toFileReply } from '../http/http-exchange.ts';

/** A snapshot is as large as the heap and stays in memory until it is read. */
const SNAPSHOT_TIMEOUT_MS = 300_000;

/** One `name value` per line, in bytes unless the name says otherwise. */
export async function renderHeapStatistics(): Promise<string> {
  const { getHeapStatistics, getHeapSpaceStatistics } = await import('node:v8');
  const spaces = getHeapSpaceStatistics().flatMap(({ space_name, ...numbers }) =>
    Object.entries(numbers).map(([name, value]): [string, number] => [`${space_name}/${name}`, value]),
  );
  const numbers = [
    ...Object.entries(process.memoryUsage()),
    ...Object.entries(getHeapStatistics() as unknown as Record<string, number>),
    ...spaces,
  ];
  return numbers.map(([name, value]) => `${name} ${value}\n`).join('');
}

/** Sent piece by piece: the whole would be as large as the heap itself. */
export async function readHeapSnapshot(clock: Clock): Promise<HttpReply> {
  const { getHeapSnapshot } = await import('node:v8');
  const stream: HttpReply['stream'] = async (sink, signal) => {
    const snapshot = getHeapSnapshot();
    const over = Promise.withResolvers<never>();
    const end = (): void => over.reject(new Error('the client has gone'));
    const late = (): void => over.reject(new Error(`not taken within ${SNAPSHOT_TIMEOUT_MS / 1000}s`));
    using _timer = clock.startTimer(SNAPSHOT_TIMEOUT_MS, late);
    using _listening = onAbort(signal, end);
    try {
      await Promise.race([copy(snapshot, sink), over.promise]);
    } finally {
      snapshot.destroy();
    }
  };
  return { ...toFileReply('kubelet.heapsnapshot'), stream };
}

async function copy(from: AsyncIterable<unknown>, sink: ReplySink): Promise<void> {
  for await (const chunk of from) await sink.write(chunk as Buffer);
}

/**
 * The network between the simulated agent and its containers: every port is a
 * number of the script book. It breaks when the world says so, and a server
 * that dies fails the calls that wait for it.
 */
import type { Clock } from '../../src/base/async/clock.ts';
import { onAbort } from '../../src/base/async/on-abort.ts';
import type {
  ProbeCallOptions,
  ProbeTransport,
  TransportFailure,
} from '../../src/ports/runtime/probe-transport.ts';
import type { ScriptedHandler } from './script-book.ts';
import { newestOf } from './settled.ts';
import type { World } from './world.ts';

const ok = { kind: 'answer', status: 200, body: '' } as const;

/** For one life of the agent; `clock` dies with it. */
export function connectTransport(world: World, clock: Clock): ProbeTransport {
  const ask = (port: number, options: ProbeCallOptions): Promise<TransportFailure | undefined> =>
    askServer(world, clock, port, options);
  return {
    httpGet: async ({ port }, options) => (await ask(port, options)) ?? ok,
    connect: (_host, port, options) => ask(port, options),
    checkHealth: ({ port }, options) => ask(port, options),
  };
}

async function askServer(
  world: World,
  clock: Clock,
  port: number,
  { signal, timeoutMs = Number.POSITIVE_INFINITY }: ProbeCallOptions,
): Promise<TransportFailure | undefined> {
  const handler = world.scripts.read(port);
  if (handler === undefined) return { kind: 'failure', message: 'connection refused' };
  const instance = newestOf(world, handler.uid, handler.container);
  if (instance !== undefined) world.truth.onAsked(handler, instance);
  const { isGood, afterMs } = world.scripts.reply(handler, instance, clock.now());
  const isHook = timeoutMs === Number.POSITIVE_INFINITY;
  const isBroken = world.troubles.isNetworkBroken;
  const delayMs = isBroken ? (isHook ? 0 : Number.POSITIVE_INFINITY) : afterMs;
  const ended = Promise.withResolvers<'answered' | 'cut'>();
  const timer = clock.startTimer(Math.min(delayMs, timeoutMs), () => ended.resolve('answered'));
  using _listening = onAbort(signal, () => ended.resolve('cut'));
  void instance?.exited.promise.then(() => ended.resolve('answered'));
  const how = await ended.promise;
  timer[Symbol.dispose]();
  if (how === 'cut') return { kind: 'failure', message: 'cancelled' };
  const isUp = instance?.state === 'running' && !isBroken && delayMs <= timeoutMs && isGood;
  if (instance !== undefined) world.truth.note(handler, instance.id, isUp);
  return isUp ? undefined : toFailure(handler);
}

function toFailure({ script }: ScriptedHandler): TransportFailure {
  return { kind: 'failure', message: `no good answer (${script})` };
}

/**
 * exec and attach from a client that speaks `v5.channel.k8s.io`: the kubelet
 * ends the WebSocket and speaks SPDY with the runtime.
 *
 *   channel 0 stdin, 4 resize ──► SPDY streams      [255, n] closes channel n
 *   SPDY stdout, stderr ────────► channels 1, 2
 *   SPDY error, at its end ─────► channel 3: the Status with the exit code
 *
 * Invariant: the Status is the last message, after all output.
 */
import type { Duplex } from 'node:stream';
import { errorText } from '../../base/errors.ts';
import type { StreamSet } from '../../ports/runtime/streaming-runtime.ts';
import type { BareConnection, HttpRequest } from '../http/http-exchange.ts';
import { openSpdy } from './open-spdy.ts';
import { type ProxySettings, refuseUpgrade, type StreamOutcome } from './proxy-upgrade.ts';
import { parseStreams } from './stream-options.ts';
import { TranslatedSession } from './translated-session.ts';
import { acceptWebSocket, isHandshake } from './web-socket-peer.ts';

export const V5 = 'v5.channel.k8s.io';
const OFFERED = [V5, 'v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'];

/** Never rejects. */
export async function translateWebSocket(
  url: URL,
  request: HttpRequest,
  { socket, head }: BareConnection,
  signal: AbortSignal,
  settings: ProxySettings,
): Promise<StreamOutcome> {
  if (!isHandshake(request)) return refuseUpgrade(socket, 'not a WebSocket handshake', 400);
  let runtime: Duplex | undefined;
  try {
    const { socket: opened, answer } = await openSpdy(url, OFFERED, signal, settings.clock);
    runtime = opened;
    if (answer.status !== 101)
      return refuseUpgrade(
        socket,
        `unable to upgrade connection: ${answer.rest.toString() || answer.status}`,
      );
    const protocol = answer.headers.get('x-stream-protocol-version') ?? 'channel.k8s.io';
    const peer = await acceptWebSocket(request, { socket, head }, V5);
    const session = new TranslatedSession({
      client: socket,
      peer,
      runtime,
      rest: answer.rest,
      protocol,
      ...settings,
      streams: settings.streams ?? toStreams(request),
    });
    return { status: 101, ...(await session.run(signal)) };
  } catch (error) {
    return refuseUpgrade(socket, errorText(error));
  } finally {
    runtime?.destroy();
  }
}

function toStreams({ query }: HttpRequest): StreamSet {
  const parsed = parseStreams(query);
  return 'value' in parsed ? parsed.value : { stdin: false, stdout: true, stderr: true, tty: false };
}

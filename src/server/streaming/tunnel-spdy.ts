/**
 * Port-forward from a client that speaks SPDY inside a WebSocket: the runtime
 * gets plain SPDY, its bytes travel in binary messages. The SPDY inside is
 * not parsed.
 */
import type { Duplex } from 'node:stream';
import { onAbort } from '../../base/async/on-abort.ts';
import { errorText } from '../../base/errors.ts';
import type { BareConnection, HttpRequest } from '../http/http-exchange.ts';
import { flushClient } from './flush-client.ts';
import { IdleWatch } from './idle-watch.ts';
import { openSpdy } from './open-spdy.ts';
import { type ProxySettings, refuseUpgrade, type StreamOutcome } from './proxy-upgrade.ts';
import { tunnelProtocol } from './stream-options.ts';
import { acceptWebSocket, isHandshake, type WebSocketPeer } from './web-socket-peer.ts';
import { writeAll } from './write-all.ts';

/** Never rejects. */
export async function tunnelSpdy(
  url: URL,
  request: HttpRequest,
  { socket, head }: BareConnection,
  signal: AbortSignal,
  settings: ProxySettings,
): Promise<StreamOutcome> {
  const protocol = tunnelProtocol(request.headers) ?? '';
  if (!isHandshake(request)) return refuseUpgrade(socket, 'not a WebSocket handshake', 400);
  let runtime: Duplex | undefined;
  try {
    const opening = await openSpdy(url, [protocol], signal, settings.clock);
    runtime = opening.socket;
    const { answer } = opening;
    if (answer.status !== 101) {
      if (answer.status < 400)
        return refuseUpgrade(socket, `invalid upgrade response: status code ${answer.status}`);
      socket.end(Buffer.concat([answer.raw, answer.rest]));
      return { status: answer.status };
    }
    const peer = await acceptWebSocket(request, { socket, head }, `SPDY/3.1+${protocol}`);
    return await carry(peer, socket, runtime, answer.rest, signal, settings);
  } catch (error) {
    return refuseUpgrade(socket, errorText(error));
  } finally {
    runtime?.destroy();
  }
}

async function carry(
  peer: WebSocketPeer,
  socket: Duplex,
  runtime: Duplex,
  rest: Uint8Array,
  signal: AbortSignal,
  { clock, idleTimeoutMs }: ProxySettings,
): Promise<StreamOutcome> {
  let bytesIn = 0;
  let bytesOut = 0;
  const ended = Promise.withResolvers<NonNullable<StreamOutcome['endedBy']>>();
  const cut = Promise.withResolvers<NonNullable<StreamOutcome['endedBy']>>();
  using idle = new IdleWatch(clock, idleTimeoutMs, () => cut.resolve('idle'));
  using _listening = onAbort(signal, () => cut.resolve('stop'));
  const inward = peer.run(async (payload) => {
    idle.touch();
    bytesIn += payload.length;
    await writeAll(runtime, payload);
  });
  const outward = async (): Promise<void> => {
    if (rest.length > 0) await peer.send(rest);
    for await (const chunk of runtime.iterator({ destroyOnReturn: false })) {
      idle.touch();
      bytesOut += (chunk as Buffer).length;
      await peer.send(chunk as Buffer);
    }
  };
  inward.then(
    () => ended.resolve('client'),
    () => ended.resolve('client'),
  );
  outward().then(
    () => ended.resolve('runtime'),
    () => ended.resolve('runtime'),
  );
  const endedBy = await Promise.race([ended.promise, cut.promise]);
  peer.close();
  await flushClient(socket, clock, endedBy === 'runtime' ? cut.promise : undefined);
  return { status: 101, bytesIn, bytesOut, endedBy };
}

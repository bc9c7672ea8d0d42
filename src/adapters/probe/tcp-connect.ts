/** A TCP probe: a connection that is made and dropped at once. */
import { connect } from 'node:net';
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { joinHostPort } from '../../core/pod/http-action.ts';
import type { ProbeCallOptions, TransportFailure } from '../../ports/runtime/probe-transport.ts';
import { renderConnectionError } from './connection-errors.ts';

/** Undefined when the connection was established. */
export async function tcpConnect(
  clock: Clock,
  host: string,
  port: number,
  options: ProbeCallOptions,
): Promise<TransportFailure | undefined> {
  using deadline = new Deadline(clock, options);
  const address = joinHostPort(host, port);
  const socket = connect({ host, port, signal: deadline.signal });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.on('error', reject);
    });
    return undefined;
  } catch (error) {
    const why = deadline.expired ? `dial tcp ${address}: i/o timeout` : renderConnectionError(error, address);
    return { kind: 'failure', message: why };
  } finally {
    socket.destroy();
  }
}

/**
 * A connection to the system message bus. The library is loaded with the first
 * one: a node without systemd, or with nothing to ask it, never pays for it.
 * Answers are hostile text like any other: callers check what they get.
 */
import { createConnection, type Socket } from 'node:net';
import type { MessageBus } from 'dbus-native';
import { abortable } from '../../base/async/abortable.ts';
import { AgentError, type AgentErrorCode, errorText } from '../../base/errors.ts';

const SYSTEM_BUS_SOCKET = '/run/dbus/system_bus_socket';

/** An answer that takes longer does not come. */
const TIMEOUT_MS = 25_000;
/**
 * What is asked here is answered in a few hundred bytes, a list of locks in a
 * few thousand. Any user can send us a longer message and so break the
 * connection. That is the lesser evil: the library decodes whatever comes, and
 * 32 MiB, which the bus lets through, can become 1.8 GiB of empty arrays.
 */
const MAX_MESSAGE_BYTES = 1024 ** 2;

const CODES: Readonly<Record<string, AgentErrorCode>> = {
  'org.freedesktop.DBus.Error.AccessDenied': 'permission-denied',
  'org.freedesktop.DBus.Error.InteractiveAuthorizationRequired': 'permission-denied',
  'org.freedesktop.DBus.Error.ServiceUnknown': 'unavailable',
  'org.freedesktop.DBus.Error.NameHasNoOwner': 'unavailable',
  'org.freedesktop.DBus.Error.NoReply': 'unavailable',
  'org.freedesktop.DBus.Error.Disconnected': 'unavailable',
  'org.freedesktop.DBus.Error.UnknownObject': 'not-found',
  'org.freedesktop.systemd1.NoSuchUnit': 'not-found',
  'org.freedesktop.systemd1.NoUnitForPID': 'not-found',
  'org.freedesktop.systemd1.UnitExists': 'already-exists',
};

export interface BusObject {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
}

const BUS: BusObject = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};

export interface BusSignal {
  readonly sender: string;
  readonly interface: string;
  readonly member: string;
  readonly path: string;
}

export class SystemBus implements Disposable {
  readonly #bus: MessageBus;
  readonly #socket: Socket;
  readonly #loss = new AbortController();

  private constructor(bus: MessageBus, socket: Socket) {
    this.#bus = bus;
    this.#socket = socket;
    const lose = (error?: unknown): void => {
      const why = error === undefined ? '' : `: ${errorText(error)}`;
      this.#loss.abort(new Error(`the connection to the message bus is lost${why}`));
      socket.destroy();
    };
    socket.once('close', () => lose());
    // Calls fail with the first of the two.
    socket.once('end', () => lose());
    // Whatever breaks the protocol ends the connection too; without a listener it would end the process.
    bus.connection.on('error', lose);
    bus.connection.on('handlerError', lose);
  }

  /** Rejects with AgentError. */
  static async connect(path: string, signal: AbortSignal): Promise<SystemBus> {
    signal.throwIfAborted();
    const { createClient } = await import('dbus-native');
    const socket = createConnection({ path });
    try {
      const limits = { timeout: TIMEOUT_MS, maxMessageSize: MAX_MESSAGE_BYTES };
      // Direct: the library says no Hello. Its own ends the process when the bus does not answer.
      const options = { ...limits, authMethods: ['EXTERNAL'], direct: true, stream: socket };
      const bus = new SystemBus(createClient(options), socket);
      await bus.call(BUS, 'Hello', '', [], signal);
      return bus;
    } catch (error) {
      socket.destroy();
      const message = `cannot connect to the message bus at ${JSON.stringify(path)}: ${errorText(error)}`;
      throw new AgentError('unavailable', message, { cause: error });
    }
  }

  /** Aborts when the connection is lost. */
  get lost(): AbortSignal {
    return this.#loss.signal;
  }

  /** Resolves to the one value of the answer, undefined when it has none. Rejects with AgentError. */
  async call(
    object: BusObject,
    member: string,
    signature: string,
    body: readonly unknown[],
    signal: AbortSignal,
  ): Promise<unknown> {
    const message = { ...object, member, ...(signature === '' ? {} : { signature, body: [...body] }) };
    try {
      const answer = Promise.resolve(this.#bus.invoke<unknown>(message, { signal }));
      return await abortable(abortable(answer, this.lost), signal);
    } catch (error) {
      const code = this.lost.aborted ? 'unavailable' : toCode(error, signal);
      const text = `cannot call ${JSON.stringify(member)} of ${object.destination}: ${errorText(error)}`;
      throw new AgentError(code, text, { cause: error });
    }
  }

  readProperty({ interface: owner, ...at }: BusObject, name: string, signal: AbortSignal): Promise<unknown> {
    const properties = { ...at, interface: 'org.freedesktop.DBus.Properties' };
    return this.call(properties, 'Get', 'ss', [owner, name], signal);
  }

  /**
   * Calls `listener` for every such signal, from now until the connection
   * ends. Any process of the machine can send one: it is a hint to look, not a
   * fact. Rejects with AgentError.
   */
  async subscribe(wanted: BusSignal, listener: () => void, signal: AbortSignal): Promise<void> {
    this.#bus.connection.on('message', (message) => {
      if (message.member !== wanted.member || message.interface !== wanted.interface) return;
      if (message.path === wanted.path && message.type === SIGNAL) listener();
    });
    const fields = Object.entries({ type: 'signal', ...wanted }).map(([key, value]) => `${key}='${value}'`);
    await this.call(BUS, 'AddMatch', 's', [fields.join(',')], signal);
  }

  [Symbol.dispose](): void {
    this.#bus.connection.end();
    this.#socket.destroy();
  }
}

function toCode(error: unknown, signal: AbortSignal): AgentErrorCode {
  if (signal.aborted) return isTimeout(signal.reason) ? 'deadline-exceeded' : 'cancelled';
  const name = (error as { readonly dbusName?: unknown }).dbusName;
  return (typeof name === 'string' ? CODES[name] : undefined) ?? 'unknown';
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

/** The type of messages that have no answer and no question. */
const SIGNAL = 4;

/** Where the system bus of this machine listens; only sockets on paths are known here. */
export function findSystemBus(address: string | undefined): string {
  const path = /^unix:path=([^,;%]+)/.exec(address ?? '')?.[1];
  return path ?? SYSTEM_BUS_SOCKET;
}

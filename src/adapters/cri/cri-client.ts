/**
 * Typed calls of the runtime interface over two gRPC connections, one per
 * service. Applies the deadline and the answer check of each call (cri-calls)
 * and maps failures to AgentError. Finds out once per service which version
 * of the interface the runtime speaks.
 */
import type { Clock } from '../../base/async/clock.ts';
import { AgentError } from '../../base/errors.ts';
import type { RuntimeCallOptions } from '../../ports/runtime/container-runtime.ts';
import type { Tracer } from '../../ports/tracer.ts';
import { callInSpan } from '../grpc/call-in-span.ts';
import type { GrpcChannel } from '../grpc/grpc-channel.ts';
import { toAgentError } from '../grpc/grpc-errors.ts';
import { GrpcCode, GrpcError } from '../grpc/grpc-status.ts';
import { type CallObserver, CallTracker, type InFlightCall } from './call-tracker.ts';
import { CRI_CALLS, type CriCall, type CriCallName, type CriRequest, type CriResponse } from './cri-calls.ts';

export interface CriCallOptions extends RuntimeCallOptions {
  /** Instead of the deadline of the table. */
  readonly timeoutMs?: number;
}

/** What the client needs of a connection. */
export type CriChannel = Pick<GrpcChannel, 'call' | 'openSessions' | 'openStreams'>;

export interface CriClientSettings {
  readonly runtimeChannel: CriChannel;
  readonly imageChannel: CriChannel;
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
  readonly observer?: CallObserver | undefined;
  readonly tracer?: Tracer | undefined;
}

/** The newest first; both have the same messages. */
const API_PACKAGES = ['runtime.v1', 'runtime.v1alpha2'] as const;

interface ServiceConnection {
  readonly channel: CriChannel;
  readonly probe: CriCallName;
  /** Known after the first answer. */
  api: (typeof API_PACKAGES)[number] | undefined;
}

export class CriClient {
  readonly requestTimeoutMs: number;
  readonly #services: Readonly<Record<string, ServiceConnection>>;
  readonly #tracker: CallTracker;
  readonly #tracer: Tracer | undefined;

  constructor(settings: CriClientSettings) {
    this.requestTimeoutMs = settings.requestTimeoutMs;
    this.#tracer = settings.tracer;
    this.#tracker = new CallTracker(settings.clock, settings.observer ?? {});
    this.#services = {
      RuntimeService: { channel: settings.runtimeChannel, probe: 'version', api: undefined },
      ImageService: { channel: settings.imageChannel, probe: 'imageFsInfo', api: undefined },
    };
  }

  /** The calls under way, oldest first: what to show when something hangs. */
  inFlightCalls(): readonly InFlightCall[] {
    return this.#tracker.inFlight();
  }

  get openSessions(): number {
    return Object.values(this.#services).reduce((sum, { channel }) => sum + channel.openSessions, 0);
  }

  get openStreams(): number {
    return Object.values(this.#services).reduce((sum, { channel }) => sum + channel.openStreams, 0);
  }

  /** One request, one answer. Rejects with AgentError; see the table for deadline and checks. */
  async call<Name extends CriCallName>(
    name: Name,
    request: CriRequest<Name>,
    options: CriCallOptions = {},
  ): Promise<CriResponse<Name>> {
    let last: CriResponse<Name> | undefined;
    await this.stream(
      name,
      request,
      (message) => {
        if (last !== undefined) throw new GrpcError(GrpcCode.INTERNAL, 'received more than one answer');
        last = message;
      },
      options,
    );
    if (last === undefined)
      throw new AgentError('unknown', `cannot call "${name}": the runtime gave no answer`);
    return last;
  }

  /** One request, any number of answers; resolves when the runtime ends the stream. */
  async stream<Name extends CriCallName>(
    name: Name,
    request: CriRequest<Name>,
    onMessage: (message: CriResponse<Name>) => void,
    options: CriCallOptions & { readonly onSent?: () => void } = {},
  ): Promise<void> {
    // The table ties request and response of a name together; the compiler cannot follow that through `Name`.
    const call = CRI_CALLS[name] as unknown as CriCall<CriRequest<Name>, CriResponse<Name>>;
    await this.#tracker.track(call.operation, options.label ?? toDetail(request), async () => {
      try {
        await this.#send(call, request, onMessage, options);
      } catch (error) {
        throw toAgentError(error, options.signal);
      }
    });
  }

  async #send<Request, Response>(
    call: CriCall<Request, Response>,
    request: Request,
    onMessage: (message: Response) => void,
    options: CriCallOptions & { readonly onSent?: () => void },
  ): Promise<void> {
    const service = this.#services[call.service];
    if (service === undefined) throw new Error(`no connection for service ${call.service}`);
    service.api ??= await this.#findApi(service, options);
    try {
      await this.#exchange(service, service.api, call, request, onMessage, options);
    } catch (error) {
      // A runtime that was upgraded under us may no longer speak the old version.
      if (service.api !== API_PACKAGES[0] && isUnimplemented(error)) service.api = undefined;
      throw error;
    }
  }

  /** The newest version the runtime implements. Every waiting call asks on its own, so that none waits for another. */
  async #findApi(
    service: ServiceConnection,
    options: CriCallOptions,
  ): Promise<(typeof API_PACKAGES)[number]> {
    const probe = CRI_CALLS[service.probe] as CriCall<unknown, unknown>;
    const probeOptions = {
      timeoutMs: this.requestTimeoutMs,
      signal: options.signal,
    };
    let first: unknown;
    for (const api of API_PACKAGES) {
      try {
        await this.#exchange(service, api, probe, {}, () => {}, probeOptions);
        return api;
      } catch (error) {
        if (!isUnimplemented(error)) throw error;
        first ??= error;
      }
    }
    throw first;
  }

  #exchange<Request, Response>(
    service: ServiceConnection,
    api: string,
    call: CriCall<Request, Response>,
    request: Request,
    onMessage: (message: Response) => void,
    options: CriCallOptions & { readonly onSent?: () => void },
  ): Promise<void> {
    const limitMs = options.timeoutMs ?? call.timeoutMs(this.requestTimeoutMs, request);
    let refusal: unknown;
    const receive = (bytes: Buffer): void => {
      const response = call.decode(bytes);
      try {
        call.check(response, request);
      } catch (error) {
        refusal = error;
      }
      if (refusal === undefined) onMessage(response);
    };
    const exchange = {
      path: `/${api}.${call.service}/${call.name}`,
      body: call.encode(request),
      onMessage: receive,
      timeoutMs: limitMs,
      signal: options.signal,
      onSent: options.onSent,
    };
    return callInSpan(this.#tracer, service.channel, exchange).then(() => {
      if (refusal !== undefined) throw refusal;
    });
  }
}

function isUnimplemented(error: unknown): boolean {
  return error instanceof GrpcError && error.code === GrpcCode.UNIMPLEMENTED;
}

/** The id or name a request is about. */
function toDetail(request: unknown): string {
  const { containerId, podSandboxId, config, image } = request as {
    containerId?: string;
    podSandboxId?: string;
    config?: { metadata?: { name?: string; namespace?: string } };
    image?: { image?: string };
  };
  const { namespace, name } = config?.metadata ?? {};
  if (name !== undefined) return namespace === undefined ? name : `${namespace}/${name}`;
  return containerId ?? podSandboxId ?? image?.image ?? '';
}

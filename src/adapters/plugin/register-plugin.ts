/**
 * The registration of one plugin: ask for its info, pass it to the handler of
 * its type, send it the result. The texts of failures are upstream's, because
 * plugins show them in their logs.
 */
import type { Clock } from '../../base/async/clock.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import { PACKAGE, Registration } from '../../gen/pluginregistration.ts';
import type { Init, Method } from '../../gen/wire.ts';
import {
  PLUGIN_TYPES,
  type PluginAnnouncement,
  type PluginHandler,
  type PluginHandlers,
} from '../../ports/storage/plugin-handler.ts';
import { callOnce } from '../grpc/call-once.ts';
import { toAgentError } from '../grpc/grpc-errors.ts';
import { GrpcCode, GrpcError } from '../grpc/grpc-status.ts';

/** Ten seconds to connect and one for the call. */
const INFO_TIMEOUT_MS = 11_000;
const NOTIFY_TIMEOUT_MS = 5_000;

export interface RegisterPluginParts {
  readonly handlers: PluginHandlers;
  readonly clock: Clock;
}

export interface RegisteredPlugin {
  readonly handler: PluginHandler;
  readonly plugin: PluginAnnouncement;
}

/** Rejects with AgentError; nothing is registered then. */
export async function registerPlugin(
  parts: RegisterPluginParts,
  socketPath: string,
  signal: AbortSignal,
): Promise<RegisteredPlugin> {
  const { type, plugin } = await readInfo(parts, socketPath, signal);
  const known = PLUGIN_TYPES.find((candidate) => candidate === type);
  const handler = known === undefined ? undefined : parts.handlers[known];
  const refuse = async (why: string): Promise<never> => {
    await notify(parts, socketPath, why, signal).catch(() => {});
    throw new AgentError('failed-precondition', `RegisterPlugin error -- ${why}`, { retryable: true });
  };
  if (handler === undefined)
    return refuse(`no handler registered for plugin type: ${type} at socket ${socketPath}`);
  const problem = handler.validate(plugin);
  if (problem !== undefined) return refuse(`plugin validation failed with err: ${problem}`);
  try {
    await handler.register(plugin, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return refuse(`plugin registration failed with err: ${errorText(error)}`);
  }
  try {
    await notify(parts, socketPath, '', signal);
  } catch (error) {
    // The caller decides whether to deregister: a stop of the agent is no reason to.
    if (signal.aborted) return { handler, plugin };
    await handler.deregister(plugin);
    const why = `failed to send registration status at socket ${socketPath}, err: ${errorText(error)}`;
    throw new AgentError('unavailable', `RegisterPlugin error -- ${why}`, { cause: error });
  }
  return { handler, plugin };
}

async function readInfo(
  parts: RegisterPluginParts,
  socketPath: string,
  signal: AbortSignal,
): Promise<{ readonly type: string; readonly plugin: PluginAnnouncement }> {
  try {
    const { type, name, endpoint, supportedVersions } = await call(
      parts,
      socketPath,
      Registration.GetInfo,
      {},
      INFO_TIMEOUT_MS,
      signal,
    );
    return { type, plugin: { name, endpoint: endpoint || socketPath, supportedVersions } };
  } catch (error) {
    const isDial = error instanceof GrpcError && error.code === GrpcCode.UNAVAILABLE;
    const step = isDial ? 'dial failed' : 'failed to get plugin info using RPC GetInfo';
    const why = `${step} at socket ${socketPath}, err: ${toAgentError(error, signal).message}`;
    throw new AgentError('unavailable', `RegisterPlugin error -- ${why}`, { cause: error });
  }
}

async function notify(
  parts: RegisterPluginParts,
  socketPath: string,
  error: string,
  signal: AbortSignal,
): Promise<void> {
  const status = { pluginRegistered: error === '', error };
  await call(parts, socketPath, Registration.NotifyRegistrationStatus, status, NOTIFY_TIMEOUT_MS, signal);
}

function call<Request, Response>(
  { clock }: RegisterPluginParts,
  socketPath: string,
  method: Method<Request, Response>,
  request: Init<Request>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Response> {
  return callOnce({ socketPath, packageName: PACKAGE, method, request, timeoutMs, clock, signal });
}

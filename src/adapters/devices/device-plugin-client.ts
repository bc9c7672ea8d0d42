/**
 * Calls of one device plugin over one connection. Its answers are checked for
 * size here and for sense by the rules that use them.
 */
import type { Clock } from '../../base/async/clock.ts';
import { AgentError } from '../../base/errors.ts';
import type { PreferenceQuestion } from '../../core/devices/choose-devices.ts';
import type { Device, DeviceResponse } from '../../core/devices/device.ts';
import { isNumaNode } from '../../core/topology/numa-mask.ts';
import {
  type ContainerAllocateResponse,
  decodeContainerAllocateResponse,
  encodeContainerAllocateResponse,
  PACKAGE,
  DevicePlugin as Service,
  type Device as WireDevice,
} from '../../gen/deviceplugin.ts';
import type { Init, Method } from '../../gen/wire.ts';
import type { DevicePlugin, DevicePluginOptions } from '../../ports/devices/device-plugin.ts';
import { GrpcChannel } from '../grpc/grpc-channel.ts';
import { toAgentError } from '../grpc/grpc-errors.ts';
import { GrpcCode, GrpcError } from '../grpc/grpc-status.ts';

const OPTIONS_TIMEOUT_MS = 10_000;
const PREFERENCE_TIMEOUT_MS = 10_000;
/** Upstream waits without limit; a plugin may have to reset a device first. */
const ALLOCATE_TIMEOUT_MS = 120_000;
const PRE_START_TIMEOUT_MS = 30_000;
const MAX_RECEIVE_BYTES = 16 * 1024 * 1024;
const HEALTHY = 'Healthy';
/** Upstream takes 4 MiB, about 60,000 devices; plugins that offer memory in small pieces come near to that. */
const MAX_DEVICES = 100_000;
const MAX_ID_BYTES = 256;

export class DevicePluginClient implements DevicePlugin {
  readonly #channel: GrpcChannel;

  constructor(socketPath: string, clock: Clock, random: () => number) {
    this.#channel = new GrpcChannel({ socketPath, clock, random, maxReceiveBytes: MAX_RECEIVE_BYTES });
  }

  async readOptions(signal: AbortSignal): Promise<DevicePluginOptions> {
    const options = await this.#ask(Service.GetDevicePluginOptions, {}, OPTIONS_TIMEOUT_MS, signal);
    return {
      preStartRequired: options.preStartRequired,
      preferencesAvailable: options.getPreferredAllocationAvailable,
    };
  }

  async watch(onDevices: (devices: readonly Device[]) => void, signal: AbortSignal): Promise<void> {
    const method = Service.ListAndWatch;
    await this.#call(method, {}, { signal }, ({ devices }) => {
      checkSizes(devices);
      onDevices(devices.map(fromWireDevice));
    });
  }

  async readPreference(question: PreferenceQuestion, signal?: AbortSignal): Promise<readonly string[]> {
    const { available, mustInclude, size } = question;
    const request = {
      availableDeviceIDs: available,
      mustIncludeDeviceIDs: mustInclude,
      allocationSize: size,
    };
    const { containerResponses } = await this.#ask(
      Service.GetPreferredAllocation,
      { containerRequests: [request] },
      PREFERENCE_TIMEOUT_MS,
      signal,
    );
    return containerResponses[0]?.deviceIDs ?? [];
  }

  async allocate(ids: readonly string[], signal?: AbortSignal): Promise<DeviceResponse> {
    const request = { containerRequests: [{ devicesIds: ids }] };
    const { containerResponses } = await this.#ask(Service.Allocate, request, ALLOCATE_TIMEOUT_MS, signal);
    const [first] = containerResponses;
    if (first === undefined)
      throw new AgentError('unknown', `no containers return in allocation response ${JSON.stringify({})}`);
    return toResponse(first);
  }

  async preStart(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    await this.#ask(Service.PreStartContainer, { devicesIds: ids }, PRE_START_TIMEOUT_MS, signal);
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  async #ask<Request, Response>(
    method: Method<Request, Response>,
    request: Init<Request>,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    let answer: Response | undefined;
    await this.#call(method, request, { timeoutMs, ...(signal !== undefined && { signal }) }, (response) => {
      answer = response;
    });
    if (answer === undefined) throw new AgentError('unknown', `the plugin gave no answer to ${method.name}`);
    return answer;
  }

  async #call<Request, Response>(
    method: Method<Request, Response>,
    request: Init<Request>,
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
    onMessage: (response: Response) => void,
  ): Promise<void> {
    try {
      await this.#channel.call({
        path: `/${PACKAGE}.${method.service}/${method.name}`,
        body: method.encodeRequest(request),
        ...options,
        onMessage: (message) => onMessage(method.decodeResponse(message)),
      });
    } catch (error) {
      throw toAgentError(error, options.signal);
    }
  }
}

/** An answer as the checkpoint keeps it; undefined when it cannot be read. */
export function decodeResponse(encoded: string): DeviceResponse | undefined {
  try {
    return toResponse(decodeContainerAllocateResponse(Buffer.from(encoded, 'base64')), encoded);
  } catch {
    return undefined;
  }
}

function toResponse(answer: ContainerAllocateResponse, encoded?: string): DeviceResponse {
  const { envs, mounts, devices, annotations, cdiDevices } = answer;
  return {
    encoded: encoded ?? Buffer.from(encodeContainerAllocateResponse(answer)).toString('base64'),
    grant: {
      env: Object.entries(envs).map(([name, value]) => ({ name, value })),
      mounts,
      devices,
      annotations,
      cdiDevices: cdiDevices.map(({ name }) => name),
    },
  };
}

/** A list that is too large ends the stream: a part of it would be as wrong, and harder to notice. */
function checkSizes(devices: readonly WireDevice[]): void {
  if (devices.length > MAX_DEVICES)
    throw tooLarge(`the plugin lists ${devices.length} devices, the limit is ${MAX_DEVICES}`);
  const long = devices.find(({ ID }) => Buffer.byteLength(ID) > MAX_ID_BYTES);
  if (long !== undefined)
    throw tooLarge(
      `the plugin lists a device id of ${Buffer.byteLength(long.ID)} bytes, the limit is ${MAX_ID_BYTES}`,
    );
}

function tooLarge(message: string): GrpcError {
  return new GrpcError(GrpcCode.RESOURCE_EXHAUSTED, message);
}

/** Memory nodes that no machine has, and a node named twice, are left out. */
function fromWireDevice({ ID, health, topology }: WireDevice): Device {
  const numaNodes = [...new Set((topology?.nodes ?? []).map((node) => node.ID))].filter(isNumaNode);
  return { id: ID, isHealthy: health === HEALTHY, numaNodes };
}

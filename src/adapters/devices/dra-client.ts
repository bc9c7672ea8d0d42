/** Calls of drivers of dynamic resources, over one connection for each. Both versions have the same messages. */
import type { Clock } from '../../base/async/clock.ts';
import type { DeviceHealthReport } from '../../core/claims/claim-health.ts';
import { DRAPlugin, PACKAGE } from '../../gen/dra.ts';
import {
  type DeviceHealth,
  decodeNodeWatchResourcesResponse,
  encodeNodeWatchResourcesRequest,
} from '../../gen/drahealth.ts';
import type { Init, Method } from '../../gen/wire.ts';
import type {
  ClaimRef,
  DraConnector,
  DraDriver,
  DraService,
  PreparedClaim,
} from '../../ports/devices/dra-driver.ts';
import { GrpcChannel } from '../grpc/grpc-channel.ts';
import { toAgentError, toCodeName } from '../grpc/grpc-errors.ts';
import { GrpcCode, GrpcError } from '../grpc/grpc-status.ts';

const TIMEOUT_MS = 45_000;
const HEALTH_PATH = '/v1alpha1.DRAResourceHealth/NodeWatchResources';
const HEALTH = ['Unknown', 'Healthy', 'Unhealthy'] as const;
const PACKAGES: Readonly<Record<DraService, string>> = {
  'v1.DRAPlugin': PACKAGE,
  'v1beta1.DRAPlugin': 'k8s.io.kubelet.pkg.apis.dra.v1beta1',
};

/** Counts calls: driver, full method name, gRPC code, duration. */
export type DraMeter = (driver: string, method: string, code: string, durationMs: number) => void;

export class DraClients implements DraConnector {
  readonly #clock: Clock;
  readonly #meter: DraMeter;

  constructor(clock: Clock, meter: DraMeter) {
    this.#clock = clock;
    this.#meter = meter;
  }

  connect(
    driver: string,
    socketPath: string,
    service: DraService,
    onConnection: (isConnected: boolean) => void,
  ): DraDriver {
    const channel = new GrpcChannel({
      socketPath,
      clock: this.#clock,
      random: Math.random,
      onConnection: (state) => onConnection(state === 'connected'),
    });
    return new DraClient({
      driver,
      packageName: PACKAGES[service],
      channel,
      clock: this.#clock,
      meter: this.#meter,
    });
  }
}

interface DraClientParts {
  readonly driver: string;
  readonly packageName: string;
  readonly channel: GrpcChannel;
  readonly clock: Clock;
  readonly meter: DraMeter;
}

class DraClient implements DraDriver {
  readonly #parts: DraClientParts;

  constructor(parts: DraClientParts) {
    this.#parts = parts;
  }

  async prepare(
    claims: readonly ClaimRef[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, PreparedClaim>> {
    const answer = await this.#ask(DRAPlugin.NodePrepareResources, { claims: claims.map(toWire) }, signal);
    return new Map(answer.claims.map(({ key, value }) => [key, toPrepared(value)]));
  }

  async unprepare(claims: readonly ClaimRef[], signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const answer = await this.#ask(DRAPlugin.NodeUnprepareResources, { claims: claims.map(toWire) }, signal);
    return new Map(answer.claims.map(({ key, value }) => [key, value?.error ?? '']));
  }

  async watchHealth(
    onReports: (reports: readonly DeviceHealthReport[]) => void,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.#parts.channel.call({
        path: HEALTH_PATH,
        body: encodeNodeWatchResourcesRequest({}),
        signal,
        onMessage: (message) => onReports(decodeNodeWatchResourcesResponse(message).devices.map(toReport)),
      });
    } catch (error) {
      throw toAgentError(error, signal);
    }
  }

  async reach(): Promise<void> {
    try {
      await this.#parts.channel.connect();
    } catch (error) {
      throw toAgentError(error);
    }
  }

  close(): Promise<void> {
    return this.#parts.channel.close();
  }

  async #ask<Request, Response>(
    method: Method<Request, Response>,
    request: Init<Request>,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const { driver, packageName, channel, clock, meter } = this.#parts;
    const path = `/${packageName}.${method.service}/${method.name}`;
    const startedAtMs = clock.steady();
    let code: number = GrpcCode.OK;
    let answer: Response | undefined;
    try {
      await channel.call({
        path,
        body: method.encodeRequest(request),
        timeoutMs: TIMEOUT_MS,
        ...(signal !== undefined && { signal }),
        onMessage: (message) => {
          answer = method.decodeResponse(message);
        },
      });
      if (answer === undefined) throw new GrpcError(GrpcCode.INTERNAL, 'the driver gave no answer');
      return answer;
    } catch (error) {
      code = error instanceof GrpcError ? error.code : GrpcCode.UNKNOWN;
      throw toAgentError(error, signal);
    } finally {
      meter(driver, path, toCodeName(code), clock.steady() - startedAtMs);
    }
  }
}

function toReport({ device, health, healthCheckTimeoutSeconds, message }: DeviceHealth): DeviceHealthReport {
  return {
    pool: device?.poolName ?? '',
    device: device?.deviceName ?? '',
    health: HEALTH[health] ?? 'Unknown',
    timeoutMs: healthCheckTimeoutSeconds * 1000,
    message,
  };
}

function toWire({ namespace, uid, name }: ClaimRef): ClaimRef {
  return { namespace, uid, name };
}

function toPrepared(
  value:
    | {
        readonly devices: readonly {
          readonly requestNames: readonly string[];
          readonly poolName: string;
          readonly deviceName: string;
          readonly cdiDeviceIds: readonly string[];
          readonly shareId: string | undefined;
        }[];
        readonly error: string;
      }
    | undefined,
): PreparedClaim {
  const devices = (value?.devices ?? []).map((device) => ({
    requestNames: device.requestNames,
    pool: device.poolName,
    device: device.deviceName,
    cdiIds: device.cdiDeviceIds,
    shareId: device.shareId,
  }));
  return { devices, error: value?.error ?? '' };
}

/**
 * Where device plugins register: the gRPC service on `kubelet.sock` in the
 * directory of their sockets. Each start removes the sockets of before, which
 * plugins take as the sign to register again.
 */
import type { Clock } from '../../base/async/clock.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import { AgentError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { quote } from '../../base/text/quote.ts';
import type { DeviceResponse } from '../../core/devices/device.ts';
import { decodeRegisterRequest, encodeEmpty, PACKAGE } from '../../gen/deviceplugin.ts';
import type {
  DevicePlugin,
  DevicePluginHost,
  DeviceRegistration,
} from '../../ports/devices/device-plugin.ts';
import { GrpcServer } from '../grpc/grpc-server.ts';
import { GrpcCode, GrpcError } from '../grpc/grpc-status.ts';
import { makeDirectory } from '../linux/files/make-directory.ts';
import { DevicePluginClient, decodeResponse } from './device-plugin-client.ts';
import { findPluginSocket, removeSockets } from './plugin-socket.ts';

const DIRECTORY_MODE = 0o750;
const SOCKET = 'kubelet.sock';
/** Connecting to the plugin and its options are part of it. */
const REGISTER_TIMEOUT_MS = 30_000;
const MAX_REQUEST_BYTES = 64 * 1024;

export interface DevicePluginHostParts {
  /** `<root>/device-plugins`. */
  readonly directory: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
}

export class LinuxDevicePluginHost implements DevicePluginHost {
  readonly #parts: DevicePluginHostParts;

  constructor(parts: DevicePluginHostParts) {
    this.#parts = parts;
  }

  async connect(endpoint: string): Promise<DevicePlugin> {
    const { directory, clock, random } = this.#parts;
    return new DevicePluginClient(await findPluginSocket(directory, endpoint), clock, random);
  }

  decodeResponse(encoded: string): DeviceResponse | undefined {
    return decodeResponse(encoded);
  }

  async listen(
    register: (registration: DeviceRegistration) => Promise<void>,
    stop: AbortSignal,
  ): Promise<void> {
    const { directory, clock, logger } = this.#parts;
    await makeDirectory(directory, DIRECTORY_MODE);
    await removeSockets(directory);
    const handle = async (body: Buffer): Promise<Uint8Array> => {
      const { version, endpoint, resourceName } = decodeRegisterRequest(body);
      // Only the registry directory may name sockets elsewhere.
      if (endpoint.includes('/'))
        throw new GrpcError(
          GrpcCode.INVALID_ARGUMENT,
          `invalid endpoint ${quote(endpoint)} of a device plugin`,
        );
      await register({ version, endpoint, resource: resourceName });
      return encodeEmpty({});
    };
    const server = new GrpcServer({
      clock,
      logger,
      methods: new Map([[`/${PACKAGE}.Registration/Register`, handle]]),
      callTimeoutMs: REGISTER_TIMEOUT_MS,
      maxReceiveBytes: MAX_REQUEST_BYTES,
    });
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => {});
    const onFailure = (cause: Error): void =>
      failed.reject(
        new AgentError('unavailable', `device plugin server failed: ${cause.message}`, { cause }),
      );
    await server.listen(`${directory}/${SOCKET}`, DIRECTORY_MODE, onFailure);
    try {
      await Promise.race([whenAborted(stop), failed.promise]);
    } finally {
      await server.close();
    }
  }
}

/**
 * Drivers of dynamic resources that registered. A driver may serve at several
 * sockets while it is being replaced; the newest that is connected is called,
 * or the newest when none is. When none has been there for a while, the
 * resource slices that it published for this node are removed, so that nothing
 * is scheduled to devices without a driver.
 */
import type { Clock } from '../../base/async/clock.ts';
import { retryUntilStopped } from '../../base/async/retry.ts';
import { quote } from '../../base/text/quote.ts';
import type { DraConnector, DraDriver, DraService } from '../../ports/devices/dra-driver.ts';
import type { PluginAnnouncement, PluginHandler } from '../../ports/storage/plugin-handler.ts';

const SERVICES: readonly DraService[] = ['v1.DRAPlugin', 'v1beta1.DRAPlugin'];
const GONE_MS = 30_000;
const RECONNECT = { initialMs: 1_000, maxMs: 5_000 };
const DRIVER_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

export interface DraDriversParts {
  readonly connector: DraConnector;
  readonly clock: Clock;
  /** No endpoint of the driver has been there for half a minute; `isBack` aborts when one is, or the agent stops. */
  readonly onGone: (driver: string, isBack: AbortSignal) => void;
  /** An endpoint came; `gone` aborts when it goes, or the agent stops. */
  readonly onRegistered: (name: string, driver: DraDriver, gone: AbortSignal) => void;
}

interface Endpoint {
  readonly path: string;
  readonly driver: DraDriver;
  readonly gone: AbortController;
  /** Until its connection fails or is lost. */
  isConnected: boolean;
  /** While the connection is tried for. */
  isReaching: boolean;
}

/** A driver without an endpoint, for a moment or for longer. */
interface Leaving {
  readonly timer: Disposable;
  readonly back: AbortController;
}

export class DraDrivers implements PluginHandler {
  readonly #parts: DraDriversParts;
  /** Oldest first. */
  readonly #endpoints = new Map<string, readonly Endpoint[]>();
  readonly #leaving = new Map<string, Leaving>();

  constructor(parts: DraDriversParts) {
    this.#parts = parts;
  }

  /** Undefined when the driver is not registered. */
  find(name: string): DraDriver | undefined {
    const all = this.#endpoints.get(name) ?? [];
    return (all.findLast(({ isConnected }) => isConnected) ?? all.at(-1))?.driver;
  }

  validate({ name, endpoint, supportedVersions }: PluginAnnouncement): string | undefined {
    if (!DRIVER_NAME.test(name)) return `invalid driver name ${quote(name)}`;
    if (supportedVersions.length === 0)
      return 'empty list of supported gRPC services (aka supported versions)';
    if (chooseService(supportedVersions) === undefined)
      return `none of services supported by the plugin (${renderList(supportedVersions)}) are supported by the kubelet (${renderList(SERVICES)})`;
    if (this.#endpoints.get(name)?.some(({ path }) => path === endpoint) === true)
      return `endpoint ${endpoint} already registered for DRA driver plugin ${name}`;
    return undefined;
  }

  async register({ name, endpoint, supportedVersions }: PluginAnnouncement): Promise<void> {
    const service = chooseService(supportedVersions);
    if (service === undefined) return;
    this.#stay(name);
    const gone = new AbortController();
    const driver = this.#parts.connector.connect(name, endpoint, service, (isConnected) =>
      this.#noteConnection(name, gone, isConnected),
    );
    const added = { path: endpoint, driver, gone, isConnected: true, isReaching: false };
    this.#endpoints.set(name, [...(this.#endpoints.get(name) ?? []), added]);
    this.#parts.onRegistered(name, driver, gone.signal);
    void this.#keepConnected(name, added);
  }

  async deregister({ name, endpoint }: PluginAnnouncement): Promise<void> {
    const all = this.#endpoints.get(name) ?? [];
    const left = all.filter(({ path }) => path !== endpoint);
    for (const one of all) if (one.path === endpoint) leave(one, 'the driver is gone');
    if (left.length > 0) {
      this.#endpoints.set(name, left);
      this.#judge(name);
      return;
    }
    this.#endpoints.delete(name);
    this.#leave(name);
  }

  /** A driver that does not answer counts as gone like one that was removed, but keeps its place. */
  #noteConnection(name: string, gone: AbortController, isConnected: boolean): void {
    // Not by its path: the connection of one that was removed ends after another took its place.
    const endpoint = this.#endpoints.get(name)?.find((one) => one.gone === gone);
    if (endpoint === undefined) return;
    endpoint.isConnected = isConnected;
    this.#judge(name);
    if (!isConnected) void this.#keepConnected(name, endpoint);
  }

  /** A connection is made without a call too: its loss is the only sign that a driver without reports has gone. */
  async #keepConnected(name: string, endpoint: Endpoint): Promise<void> {
    if (endpoint.isReaching) return;
    endpoint.isReaching = true;
    const { clock } = this.#parts;
    const { driver, gone } = endpoint;
    const reach = async (): Promise<void> => {
      await driver.reach();
      endpoint.isReaching = false;
      this.#noteConnection(name, gone, true);
    };
    await retryUntilStopped(reach, { clock, policy: RECONNECT, stop: gone.signal, onFailure: () => {} });
  }

  #judge(name: string): void {
    const isThere = this.#endpoints.get(name)?.some(({ isConnected }) => isConnected) === true;
    if (isThere) this.#stay(name);
    else if (!this.#leaving.has(name)) this.#leave(name);
  }

  #stay(name: string): void {
    const leaving = this.#leaving.get(name);
    if (leaving !== undefined) end(leaving, 'the driver is back');
    this.#leaving.delete(name);
  }

  #leave(name: string): void {
    const { clock, onGone } = this.#parts;
    this.#stay(name);
    const back = new AbortController();
    const timer = clock.startTimer(GONE_MS, () => onGone(name, back.signal));
    this.#leaving.set(name, { timer, back });
  }

  /** Ends timers. */
  close(): void {
    for (const leaving of this.#leaving.values()) end(leaving, 'the agent stops');
    for (const one of [...this.#endpoints.values()].flat()) leave(one, 'the agent stops');
  }
}

function end({ timer, back }: Leaving, why: string): void {
  timer[Symbol.dispose]();
  back.abort(new Error(why));
}

function leave({ gone, driver }: Endpoint, why: string): void {
  gone.abort(new Error(why));
  void driver.close();
}

/** The first of the driver's list that is known. */
function chooseService(versions: readonly string[]): DraService | undefined {
  return SERVICES.find(
    (service) => service === versions.find((one) => SERVICES.some((known) => known === one)),
  );
}

function renderList(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`;
}

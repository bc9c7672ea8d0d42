/**
 * Watches the plugin registry directory and registers what serves there.
 *
 *   socket found ──► registering ──ok──► registered ──gone or re-created──► deregistered
 *                        └─failed─► waits, retries while the socket exists
 *
 * Invariants: for one socket nothing overlaps; the previous plugin of a path is
 * deregistered before its successor is registered. The agent stopping
 * deregisters nothing: the plugins are still there for the next run.
 */

import type { Clock } from '../../base/async/clock.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import { retryUntilStopped } from '../../base/async/retry.ts';
import type { RetryPolicy } from '../../base/async/retry-delay.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import type { Logger } from '../../base/log.ts';
import type { PluginHandlers } from '../../ports/storage/plugin-handler.ts';
import { DirectoryWatcher } from '../linux/files/directory-watcher.ts';
import { makeDirectory } from '../linux/files/make-directory.ts';
import { findPluginSockets } from './plugin-sockets.ts';
import { type RegisteredPlugin, registerPlugin } from './register-plugin.ts';

const RETRY: RetryPolicy = { initialMs: 500, maxMs: 122_000 };
const DIRECTORY_MODE = 0o750;

export interface PluginWatcherParts {
  /** `<root>/plugins_registry`. */
  readonly directory: string;
  readonly handlers: PluginHandlers;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Served {
  readonly identity: string;
  readonly gone: AbortController;
  readonly done: Promise<void>;
  registered: boolean;
}

export class PluginWatcher {
  readonly #parts: PluginWatcherParts;
  readonly #mailbox: Mailbox;
  readonly #watchers = new Map<string, DirectoryWatcher>();
  readonly #served = new Map<string, Served>();

  constructor(parts: PluginWatcherParts) {
    this.#parts = parts;
    this.#mailbox = new Mailbox(parts.clock);
  }

  /** Until `stop` aborts; rejects when the directory cannot be made. */
  async run(stop: AbortSignal): Promise<void> {
    await makeDirectory(this.#parts.directory, DIRECTORY_MODE);
    while (!stop.aborted) {
      await this.#look(stop);
      await this.#mailbox.wait(stop);
    }
    for (const watcher of this.#watchers.values()) watcher[Symbol.dispose]();
    this.#watchers.clear();
    await Promise.all([...this.#served.values()].map(({ done }) => done));
  }

  /** The sockets found, and whether their plugins are registered. */
  sockets(): readonly { readonly path: string; readonly registered: boolean }[] {
    return [...this.#served].map(([path, { registered }]) => ({ path, registered }));
  }

  async #look(stop: AbortSignal): Promise<void> {
    const { sockets, directories } = await findPluginSockets(this.#parts.directory, async (path) => {
      const watcher = this.#watchers.get(path) ?? new DirectoryWatcher(() => this.#mailbox.post('registry'));
      this.#watchers.set(path, watcher);
      await watcher.follow(path);
    });
    if (stop.aborted) return;
    for (const [path, watcher] of this.#watchers) {
      if (directories.includes(path)) continue;
      watcher[Symbol.dispose]();
      this.#watchers.delete(path);
    }
    for (const [path, { identity, gone }] of this.#served)
      if (sockets.get(path) !== identity) gone.abort(new Error('the socket is gone'));
    for (const [path, identity] of sockets) this.#serve(path, identity, stop);
  }

  #serve(path: string, identity: string, stop: AbortSignal): void {
    const before = this.#served.get(path);
    if (before?.identity === identity && !before.gone.signal.aborted) return;
    const gone = new AbortController();
    const done = (before?.done ?? Promise.resolve()).then(async () => {
      await this.#keep(path, gone.signal, stop);
      if (this.#served.get(path)?.gone === gone) this.#served.delete(path);
    });
    this.#served.set(path, { identity, gone, done, registered: false });
  }

  /** From the socket's appearance to its end. */
  async #keep(path: string, gone: AbortSignal, stop: AbortSignal): Promise<void> {
    const over = AbortSignal.any([gone, stop]);
    const registered = await this.#register(path, over);
    if (registered === undefined) return;
    const served = this.#served.get(path);
    if (served?.gone.signal === gone) served.registered = true;
    await whenAborted(over);
    if (stop.aborted) return;
    const { handler, plugin } = registered;
    const { logger } = this.#parts;
    try {
      await handler.deregister(plugin);
      logger.info('plugin deregistered', { plugin: plugin.name, socket: path });
    } catch (error) {
      logger.error('cannot deregister a plugin', error, { plugin: plugin.name, socket: path });
    }
  }

  /** Undefined when `over` came first. */
  async #register(path: string, over: AbortSignal): Promise<RegisteredPlugin | undefined> {
    const { clock, logger } = this.#parts;
    const onFailure = (error: unknown): void =>
      logger.error('cannot register a plugin', error, { socket: path });
    const settings = { clock, policy: RETRY, stop: over, onFailure };
    const registered = await retryUntilStopped(() => registerPlugin(this.#parts, path, over), settings);
    if (registered !== undefined)
      logger.info('plugin registered', { plugin: registered.plugin.name, socket: path });
    return registered;
  }
}

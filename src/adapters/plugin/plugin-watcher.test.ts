import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakePlugin } from '../../../test/fakes/fake-plugin.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import type { PluginAnnouncement, PluginHandler } from '../../ports/storage/plugin-handler.ts';
import { PluginWatcher } from './plugin-watcher.ts';

/** Records calls and lets a test wait for them. */
class FakeHandler implements PluginHandler {
  readonly log: string[] = [];
  refusal: string | undefined;
  #wake: () => void = () => {};

  validate({ name }: PluginAnnouncement): string | undefined {
    this.#note(`validate ${name}`);
    return this.refusal;
  }

  async register({ name, endpoint }: PluginAnnouncement): Promise<void> {
    this.#note(`register ${name} at ${endpoint}`);
  }

  async deregister({ name }: PluginAnnouncement): Promise<void> {
    this.#note(`deregister ${name}`);
  }

  async until(count: number): Promise<void> {
    while (this.log.length < count)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  #note(line: string): void {
    this.log.push(line);
    this.#wake();
  }
}

class Setup implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly logger = new RecordingLogger();
  readonly handler = new FakeHandler();
  readonly plugin: FakePlugin;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  readonly watcher: PluginWatcher;

  constructor(plugin: FakePlugin) {
    this.plugin = plugin;
    const { clock, logger, handler } = this;
    const parts = { directory: plugin.directory, handlers: { CSIPlugin: handler }, clock, logger };
    this.watcher = new PluginWatcher(parts);
    this.#done = this.watcher.run(this.#stop.signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.plugin[Symbol.asyncDispose]();
    assert.equal(this.clock.pendingTimers, 0, 'timers left');
  }
}

describe('PluginWatcher', () => {
  it('registers a plugin whose socket exists at the start and notifies it', async () => {
    const plugin = await FakePlugin.create({ endpoint: '/csi/drv.sock' });
    await plugin.listen();
    await using setup = new Setup(plugin);
    assert.deepEqual(await plugin.hear(1), [{ pluginRegistered: true, error: '' }]);
    assert.deepEqual(setup.handler.log, ['validate drv.test', 'register drv.test at /csi/drv.sock']);
  });

  it('registers a plugin that appears later and deregisters it when its socket goes', async () => {
    await using setup = new Setup(await FakePlugin.create());
    const { plugin, handler, watcher } = setup;
    assert.deepEqual(watcher.sockets(), []);
    await plugin.listen();
    await handler.until(1);
    assert.deepEqual(watcher.sockets(), [{ path: plugin.socketPath, registered: false }]);
    await plugin.hear(1);
    await plugin.stop();
    await handler.until(3);
    assert.deepEqual(handler.log, [
      'validate drv.test',
      `register drv.test at ${plugin.socketPath}`,
      'deregister drv.test',
    ]);
  });

  it('deregisters the previous plugin of a path before it registers the successor', async () => {
    await using setup = new Setup(await FakePlugin.create());
    const { plugin, handler } = setup;
    await plugin.listen();
    await plugin.hear(1);
    await plugin.stop();
    await plugin.listen();
    await plugin.hear(2);
    assert.deepEqual(
      handler.log.map((line) => line.split(' ')[0]),
      ['validate', 'register', 'deregister', 'validate', 'register'],
    );
  });

  it('sends a refused plugin the reason and retries after a delay', async () => {
    await using setup = new Setup(await FakePlugin.create());
    const { plugin, handler, clock, logger } = setup;
    handler.refusal = 'no';
    await plugin.listen();
    assert.deepEqual(await plugin.hear(1), [
      { pluginRegistered: false, error: 'plugin validation failed with err: no' },
    ]);
    handler.refusal = undefined;
    while (!logger.messages('error').includes('cannot register a plugin')) await clock.settle();
    await clock.advance(500);
    const statuses = await plugin.hear(2);
    assert.equal(statuses[1]?.pluginRegistered, true);
  });

  it('refuses a type without a handler', async () => {
    await using setup = new Setup(await FakePlugin.create({ type: 'DRAPlugin' }));
    await setup.plugin.listen();
    const [status] = await setup.plugin.hear(1);
    assert.equal(
      status?.error,
      `no handler registered for plugin type: DRAPlugin at socket ${setup.plugin.socketPath}`,
    );
    assert.deepEqual(setup.handler.log, []);
  });

  it('deregisters nothing when the agent stops', async () => {
    await using setup = new Setup(await FakePlugin.create());
    await setup.plugin.listen();
    await setup.plugin.hear(1);
    await setup.stop();
    await rm(setup.plugin.socketPath);
    await setup.clock.settle();
    assert.equal(setup.handler.log.length, 2);
  });
});

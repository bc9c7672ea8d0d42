import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { textLogger } from '../../../../test/fakes/text-logger.ts';
import { SamplePage } from '../../../../test/samples/sample-page.ts';
import type { CriConnection } from '../../../adapters/cri/connect-cri.ts';
import { Scope } from '../../../base/scope.ts';
import { PING } from '../../../server/health/health-check.ts';
import { type LoadedConfiguration, loadConfiguration } from '../../config/load/load-configuration.ts';
import { NodeMetrics } from '../../metrics/node-metrics.ts';
import { LiveConfiguration } from '../../reload/live-configuration.ts';
import type { Foundation } from '../foundation.ts';
import { startMainServer } from './main-server.ts';

let directory: string;
let lines: string[];
const clock = new FakeClock();
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'main-server-'));
  lines = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function load(argv: readonly string[]): LoadedConfiguration {
  const files = { cwd: '/', readFile: () => assert.fail(), readDir: () => assert.fail() };
  const outcome = loadConfiguration(argv, files);
  assert.ok(outcome.kind === 'loaded', outcome.kind === 'rejected' ? outcome.message : '');
  return outcome;
}

function toFoundation(loaded: LoadedConfiguration, scope: Scope): Foundation {
  const write = (line: string): void => void lines.push(line);
  return {
    loaded,
    live: new LiveConfiguration(loaded),
    clock,
    logger: { ...textLogger(write), setVerbosity: () => {}, flush: () => {} },
    scope,
    metrics: new NodeMetrics(),
    tracer: undefined,
  };
}

function start(loaded: LoadedConfiguration, scope: Scope): Promise<void> {
  const cri = { reader: {}, runtime: {}, client: {} } as unknown as CriConnection;
  const node = { nodeName: 'n1', rootDir: directory, podLogsDir: directory };
  const observer = { lastSeen: () => undefined };
  const page = new SamplePage(new FakeClock()).source;
  const parts = { cri, node, observer, startedAtMs: 0, api: undefined, issued: undefined, page };
  return startMainServer(toFoundation(loaded, scope), parts, { answers: shared });
}

const shared = { checks: [PING], pods: { listPods: () => [], statusOf: () => undefined } };

async function findFreePort(): Promise<number> {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, 'close');
  return port;
}

function get(port: number, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const asking = request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false });
  asking.on('error', reject);
  asking.on('response', async (response) => {
    let text = `${response.statusCode} `;
    for await (const chunk of response) text += chunk;
    resolve(text);
  });
  asking.end();
  return promise;
}

describe('startMainServer', () => {
  for (const flags of [['--authentication-token-webhook=true'], ['--authorization-mode=Webhook']])
    it(`refuses ${flags} without an API server to ask`, async () => {
      const scope = Scope.root('test');
      const loaded = load(['--kubeconfig=/k', `--cert-dir=${directory}`, ...flags]);
      await assert.rejects(start(loaded, scope), /needs an API server/);
      await scope.close();
    });

  it('ends the start when the port is taken, naming the setting and the holder', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const scope = Scope.root('test');
    const loaded = load(['--address=127.0.0.1', `--port=${port}`, `--cert-dir=${directory}/pki`]);
    await assert.rejects(
      start(loaded, scope),
      new RegExp(
        `^AgentError: cannot listen on "127.0.0.1:${port}": address already in use by process ${process.pid} \\(".+"\\); the port is set by "port"$`,
      ),
    );
    await scope.close();
    assert.equal(clock.pendingTimers, 0);
    other.close();
    await once(other, 'close');
  });

  it('makes a certificate and serves', async () => {
    const port = await findFreePort();
    const scope = Scope.root('test');
    const loaded = load(['--address=127.0.0.1', `--port=${port}`, `--cert-dir=${directory}/pki`]);
    await start(loaded, scope);
    assert.equal(await get(port, '/healthz'), '200 ok');
    assert.match(await get(port, '/configz'), /^200 \{"kubeletconfig":\{"kind":"KubeletConfiguration"/);
    assert.match(await get(port, '/configz'), new RegExp(`"tlsCertFile":"${directory}/pki/kubelet.crt"`));
    assert.match(await get(port, '/flagz'), /\ncert-dir=/);
    assert.equal(await get(port, '/containerLogs/ns/p/c'), '404 pod "p" does not exist');
    assert.equal(await get(port, '/spec'), '404 404 page not found\n');
    await scope.close();
    assert.equal(clock.pendingTimers, 0);
  });

  it('ends with the agent', async () => {
    const scope = Scope.root('test');
    const port = await findFreePort();
    const loaded = load(['--address=127.0.0.1', `--port=${port}`, `--cert-dir=${directory}/pki`]);
    await start(loaded, scope);
    await scope.close();
    assert.equal(clock.pendingTimers, 0);
  });

  it('leaves out what acts when debugging handlers are off', async () => {
    const scope = Scope.root('test');
    const loaded = load([
      '--address=127.0.0.1',
      '--port=34567',
      '--enable-debugging-handlers=false',
      `--cert-dir=${directory}/pki`,
    ]);
    const config = { ...loaded.config, port: await findFreePort() };
    const { port } = config;
    await start({ ...loaded, config }, scope);
    for (const path of [
      '/exec/a/b/c',
      '/run/a/b/c',
      '/containerLogs/a/b/c',
      '/runningpods/',
      '/logs/',
      '/debug/pprof/',
    ])
      assert.equal(await get(port, path), '405 Debug endpoints are disabled.\n');
    for (const path of ['/configz', '/checkpoint/a/b/c', '/flagz', '/statusz', '/debug/flags/v'])
      assert.equal(await get(port, path), '404 404 page not found\n');
    await scope.close();
  });
});

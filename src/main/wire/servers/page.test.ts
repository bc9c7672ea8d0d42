import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { textLogger } from '../../../../test/fakes/text-logger.ts';
import { SamplePage } from '../../../../test/samples/sample-page.ts';
import { NodeState } from '../../../agent/node/node-state.ts';
import { Scope } from '../../../base/scope.ts';
import { loadConfiguration } from '../../config/load/load-configuration.ts';
import { NodeMetrics } from '../../metrics/node-metrics.ts';
import { LiveConfiguration } from '../../reload/live-configuration.ts';
import type { Foundation } from '../foundation.ts';
import { startPage, toPageSource } from './page.ts';

const clock = new FakeClock();
const { source } = new SamplePage(clock);
let directory: string;
let lines: string[];
let scope: Scope;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'page-'));
  mkdirSync(join(directory, 'kubelet-ts'));
  lines = [];
  scope = Scope.root('test');
});
afterEach(async () => {
  const closed = scope.close();
  await clock.advance(10_000);
  await closed;
  rmSync(directory, { recursive: true, force: true });
});

function toFoundation(argv: readonly string[]): Foundation {
  const files = { cwd: '/', readFile: () => '{}', readDir: () => assert.fail() };
  const loaded = loadConfiguration(argv, files);
  assert.ok(loaded.kind === 'loaded', loaded.kind === 'rejected' ? loaded.message : '');
  const logger = { ...textLogger((line) => void lines.push(line)), setVerbosity: () => {}, flush: () => {} };
  return { loaded, live: new LiveConfiguration(loaded), clock, logger, scope, metrics: new NodeMetrics() };
}

async function takePort(): Promise<{ readonly holder: Server; readonly port: number }> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  return { holder, port: (holder.address() as AddressInfo).port };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

describe('startPage', () => {
  it('opens nothing when it is turned off, and in a cluster unless it is asked for', async () => {
    for (const argv of [['--page-port=0'], ['--kubeconfig=/etc/kubeconfig']]) {
      const where = await startPage(toFoundation(argv), source, directory);
      assert.deepEqual(where(), { problem: 'the page is off; --page-port=4194 turns it on' });
    }
    assert.deepEqual(lines, []);
  });

  it('logs once that its port is taken, goes on, and opens when it is free; the token is not logged', async () => {
    const { holder, port } = await takePort();
    const where = await startPage(toFoundation([`--page-port=${port}`]), source, directory);
    await until(() => lines.length > 0);
    assert.match(JSON.stringify(where()), /the page is not open: .*already in use/);
    await clock.advance(300_000);
    assert.equal(lines.length, 1, lines.join('\n'));
    holder.close();
    await once(holder, 'close');
    await clock.advance(60_000);
    await until(() => 'address' in where());
    const { address } = where() as { address: string };
    const [, token = ''] = /^http:\/\/127\.0\.0\.1:\d+\/\?token=([\w-]{43})$/.exec(address) ?? [];
    assert.notEqual(token, '');
    assert.ok(!lines.join('\n').includes(token));
  });
});

describe('toPageSource', () => {
  it('names what is wrong with the node', () => {
    const state = new NodeState();
    const settings = source as unknown as Parameters<typeof toPageSource>[0];
    assert.deepEqual(toPageSource(settings, state).node.problems(), []);
    state.claim('pressures', () => ({ memory: true, disk: false, pid: true }));
    assert.deepEqual(toPageSource(settings, state).node.problems(), ['MemoryPressure', 'PIDPressure']);
  });
});

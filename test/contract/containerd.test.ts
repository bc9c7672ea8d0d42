/**
 * The container runtime contract on real containerd, through adapters/cri.
 * Needs the private instances of scripts/host/containerd.sh (`up 2.1`, `up
 * 1.6`), or sockets named by the environment; fails when there are none.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connectCri } from '../../src/adapters/cri/connect-cri.ts';
import type { Clock } from '../../src/base/clock.ts';
import { createLogger } from '../../src/base/log.ts';
import { type ContractSubject, containerRuntimeContract } from './container-runtime.ts';

const HOST_DIR = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
const IMAGE = 'localhost/busybox:1';

const clock: Clock = {
  now: () => Date.now(),
  startTimer: (delayMs, run) => setTimeout(run, delayMs),
};

async function connectContainerd(version: string, variable: string): Promise<ContractSubject> {
  const socket = process.env[variable] ?? join(HOST_DIR, 'instances', version, 'containerd.sock');
  if (!existsSync(socket))
    assert.fail(
      `no containerd ${version} at "${socket}": run "scripts/host/containerd.sh up ${version}" or set ${variable}`,
    );
  const cri = connectCri({
    endpoint: `unix://${socket}`,
    requestTimeoutMs: 120_000,
    clock,
    logger: createLogger({ format: 'text', verbosity: 0, now: () => Date.now(), pid: 0, write: () => {} }),
    listStreaming: true,
  });
  await cri.connect();
  return {
    runtime: cri.runtime,
    reader: cri.reader,
    images: cri.images,
    image: IMAGE,
    async close() {
      await cri.close();
      assert.equal(cri.client.openStreams, 0);
      assert.equal(cri.client.openSessions, 0);
      assert.deepEqual(cri.client.inFlightCalls(), []);
    },
  };
}

containerRuntimeContract('containerd 2.1', () => connectContainerd('2.1', 'KUBELET_TS_CONTAINERD_21'));
containerRuntimeContract('containerd 1.6', () => connectContainerd('1.6', 'KUBELET_TS_CONTAINERD_16'), {
  events: false,
});

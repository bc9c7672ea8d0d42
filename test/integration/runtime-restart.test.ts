/** The runtime goes away for a minute and comes back: pods run on, the kubelet finds its way back by itself. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { containerStatus, withNode } from './node.ts';
import { sleepingPod } from './sample-pods.ts';

const AWAY_MS = 60_000;
/** The connection breaks at once: no look at the runtime is waited for. */
const SHOWN_MS = 4_000;
const INSTANCE = 'restarted';
const SCRIPT = join(import.meta.dirname, '..', '..', 'scripts', 'host', 'containerd.sh');
const PODS = ['one', 'two', 'three'];

async function containerd(...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(SCRIPT, words);
  return stdout.trim();
}

describe('restart of the runtime', () => {
  it('pods survive a minute without containerd and a manifest added meanwhile starts afterwards', async (t) => {
    const endpoint = await containerd('up', '2.1', INSTANCE);
    try {
      await withNode({ endpoint }, async (node) => {
        for (const name of PODS) await node.writeManifest(`${name}.yaml`, sleepingPod(name));
        const before = new Map<string, string | undefined>();
        for (const name of PODS)
          before.set(name, containerStatus(await node.waitReady(name), 'main').containerID);

        const from = node.logs.length;
        const isShown = async (): Promise<boolean> =>
          (await node.kubelet.health('/healthz/runtime')).status === 500;
        const shown = node.waitFor('the health output to say so', isShown, 60_000).then(() => Date.now());
        await containerd('down', '2.1', INSTANCE);
        const endedAt = Date.now();
        const shownMs = Math.max(0, (await shown) - endedAt);
        assert.ok(shownMs <= SHOWN_MS, `/healthz/runtime said so ${shownMs} ms after the runtime had ended`);
        t.diagnostic(`/healthz/runtime says so ${shownMs} ms after the end of the runtime`);
        await node.waitForLine(
          'that the runtime is lost',
          ({ msg }) => msg === 'Lost the connection to the container runtime',
          30_000,
          from,
        );
        await node.writeManifest('added.yaml', sleepingPod('added'));
        await delay(AWAY_MS);
        assert.equal((await node.kubelet.health('/healthz')).status, 200, 'the kubelet stays up');
        assert.equal(
          (await node.kubelet.health('/healthz/runtime')).status,
          500,
          'and says that the runtime is away',
        );
        await containerd('up', '2.1', INSTANCE);
        const back = Date.now();

        await node.waitReady('added', 30_000);
        const connected = await node.waitForLine(
          'that it is connected again',
          ({ msg }) => msg === 'Connected to the container runtime',
          30_000,
          from,
        );
        assert.ok(
          connected.ts - back <= 5_000,
          `connected ${connected.ts - back} ms after the runtime was back`,
        );
        await node.waitFor(
          'the runtime to count as ready',
          async () => (await node.kubelet.health('/healthz/runtime')).status === 200,
          20_000,
        );
        for (const name of PODS) {
          const status = containerStatus(await node.waitReady(name), 'main');
          assert.deepEqual([status.containerID, status.restartCount], [before.get(name), 0]);
        }
        const touched = node.logs
          .slice(from)
          .filter(
            ({ msg, state, pod }) =>
              msg === 'pod status' && !String(pod).includes('/added-') && state !== 'Running, Ready',
          );
        assert.deepEqual(touched, [], 'a ready pod was reported otherwise');
        // The log says once what is wrong, not once per try.
        const complaints = node.logs.slice(from).filter(({ severity }) => severity !== undefined);
        assert.ok(
          complaints.length <= 12,
          `${complaints.length} warnings and errors in a minute without the runtime`,
        );
      });
    } finally {
      await containerd('down', '2.1', INSTANCE, '--purge');
    }
  });
});

/** A shutdown of the machine as a whole kubelet lives it, on real containerd and a real message bus; logind is a fake. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FakeSystemd } from './fake-systemd.ts';
import { withNode } from './node.ts';
import { sleepingPod } from './sample-pods.ts';

const LOCKED = 'locked Kubelet needs time to handle node shutdown';
const PATIENCE_MS = 60_000;

describe('a shutdown of the machine', () => {
  it('waits for pods over a crash of the kubelet, and gives them back when it is called off', async () => {
    await using machine = new FakeSystemd();
    await machine.start(60);
    const env = { DBUS_SYSTEM_BUS_ADDRESS: machine.address };
    const config = { shutdownGracePeriod: '40s', shutdownGracePeriodCriticalPods: '10s' };
    await withNode({ env, config }, async (node) => {
      await machine.saw(LOCKED);
      await node.writeManifest('web.yaml', sleepingPod('web'));
      await node.waitReady('web');
      await node.kubelet.kill9();
      const from = node.logs.length;
      await node.startAgain();
      await node.waitForLine(
        'that the lock is held',
        ({ msg }) => /waits for pods/.test(msg),
        PATIENCE_MS,
        from,
      );
      assert.deepEqual(
        machine.lines.filter((line) => line === LOCKED || line === 'released'),
        [LOCKED],
      );

      machine.command('prepare true');
      await machine.saw('released');
      const { status } = (await node.pod('web')) ?? {};
      assert.deepEqual(
        [status?.phase, status?.reason, status?.message],
        ['Failed', 'Terminated', 'Pod was terminated in response to imminent node shutdown.'],
      );
      const target = status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
      assert.deepEqual([target?.status, target?.reason], ['True', 'TerminationByKubelet']);
      const state = JSON.parse(
        await readFile(join(node.kubelet.rootDir, 'graceful_node_shutdown_state'), 'utf8'),
      );
      assert.ok(Date.parse(state.startTime) > 0 && Date.parse(state.endTime) >= Date.parse(state.startTime));
      await node.writeManifest('late.yaml', sleepingPod('late'));
      await node.waitFor(
        'the late pod to be refused',
        async () => (await node.pod('late'))?.status.reason === 'NodeShutdown',
        PATIENCE_MS,
      );
      await node.removeManifest('late.yaml');

      machine.command('prepare false');
      await machine.saw(LOCKED, 2);
      await node.waitReady('web');
      await node.kubelet.stop();
      await machine.saw('released', 2);
      await node.restart();
      await node.waitReady('web');
    });
  });
});

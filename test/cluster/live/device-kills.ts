/**
 * Twenty pods, two at a time, with the two devices of upstream's sample plugin,
 * and twenty kills of kubelet, plugin and both while they come. No device has
 * two owners at any time, each container has the one it was given, and no pod
 * that ran was touched.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { container } from '../../integration/sample-pods.ts';
import { NEEDS_CLUSTER, withCluster } from './cluster.ts';
import { KillTrial } from './kill-trial.ts';
import { SAMPLE_DEVICES, SAMPLE_RESOURCE, SampleDevicePlugin } from './sample-device-plugin.ts';

const ROUNDS = 20;

const podName = (index: number): string => `device-${index}`;

/** Logs the device it was given: the plugin places a file that is named after it. */
function devicePod(name: string): object {
  const command = ['/bin/tini', '--', 'sh', '-c', 'ls /tmp; exec sleep infinity'];
  const resources = { limits: { [SAMPLE_RESOURCE]: '1' } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 5, containers: [container('main', command, { resources })] },
  };
}

describe('devices of a plugin under kills', NEEDS_CLUSTER, () => {
  it('no device has two owners, each container has its own, and what runs is left alone', () =>
    withCluster(async (cluster, namespace) => {
      await using plugin = await SampleDevicePlugin.start(cluster);
      /** What the kubelet says of each pod; fails when it gave a device twice. */
      const read = async (): Promise<Map<string, string>> => {
        const pods = await cluster.pods(namespace);
        const given = plugin.given();
        const ids = [...given.values()].flat();
        assert.equal(new Set(ids).size, ids.length, `given: ${ids.join(' ')}`);
        return new Map(
          pods
            .filter(({ metadata }) => given.has(metadata.uid))
            .map(({ metadata }) => [metadata.name, (given.get(metadata.uid) ?? []).join(' ')]),
        );
      };
      await using trial = new KillTrial(cluster, namespace, plugin.process, read);
      for (let round = 0; round < ROUNDS; round++) {
        const oldest = round - SAMPLE_DEVICES.length;
        if (oldest >= 0) await trial.remove(podName(oldest));
        await trial.bring(round, podName(round), devicePod(podName(round)));
        await trial.kill(round);
        await trial.check();
        await trial.waitForReady(podName(round));
        await trial.check();
        assert.equal(await trial.log(podName(round)), `${(await read()).get(podName(round))}\n`);
      }
      assert.deepEqual([...(await read()).values()].sort(), SAMPLE_DEVICES);
    }));
});

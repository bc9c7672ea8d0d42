/** Readiness on real containerd: it follows the probe, and a kubelet that comes or goes does not touch it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { journalMount, journalVolume } from './journal.ts';
import { isReady, type TestNode, withNode } from './node.ts';
import { container, DEMO_WEB, samplePod } from './sample-pods.ts';

const PODS = ['asked', 'web', 'side'];

/** Every status that was published of the pods, from a line of the log on. */
function publishedStates(node: TestNode, from: number): string[] {
  return node.logs
    .slice(from)
    .filter(({ msg }) => msg === 'pod status')
    .map(({ pod, state }) => `${pod} ${state}`);
}

describe('readiness', () => {
  it('of pods with probes of all kinds lasts over a stop and a kill of the kubelet', () =>
    withNode({ leftoversGoWithinMs: 75_000 }, async (node) => {
      const volumes = [await journalVolume(node)];
      const exec = { exec: { command: ['test', '!', '-e', '/journal/ill'] }, timeoutSeconds: 10 };
      const probe = { ...exec, periodSeconds: 5 };
      const sleeping = ['/bin/tini', '--', 'sleep', 'infinity'];
      await node.writeManifest(
        'asked.yaml',
        samplePod('asked', {
          containers: [
            container('main', sleeping, { ...journalMount, readinessProbe: probe, startupProbe: exec }),
          ],
          volumes,
        }),
      );
      await node.writeManifest(
        'web.yaml',
        samplePod('web', {
          containers: [
            {
              name: 'main',
              image: DEMO_WEB,
              imagePullPolicy: 'IfNotPresent',
              readinessProbe: {
                httpGet: { path: '/healthz', port: 8080 },
                periodSeconds: 5,
                timeoutSeconds: 10,
              },
            },
          ],
        }),
      );
      await node.writeManifest(
        'side.yaml',
        samplePod('side', {
          initContainers: [
            container('side', sleeping, { ...journalMount, restartPolicy: 'Always', readinessProbe: probe }),
          ],
          containers: [container('main', sleeping)],
          volumes,
        }),
      );
      for (const name of PODS) await node.waitReady(name);
      // What was found just before a kill may not be on the disk yet.
      await delay(1_000);
      const from = node.logs.length;
      await node.restart();
      for (const name of PODS) await node.waitReady(name);
      await node.kubelet.kill9();
      await node.startAgain();
      for (const name of PODS) await node.waitReady(name);
      await delay(6_000);
      const flips = publishedStates(node, from).filter((line) => !line.endsWith('Running, Ready'));
      assert.deepEqual(flips, [], 'a ready pod was published as not ready');
      for (const name of PODS) assert.ok(isReady((await node.pod(name))!), `pod "${name}" is ready`);
    }));
});

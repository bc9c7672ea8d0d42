/** Sidecars on real containerd: when they start and stop, what restarts them, and what they do not hold up. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertOrder, chronicle, journalMount, journalVolume, readJournal, write } from './journal.ts';
import { containerStatus, withNode } from './node.ts';
import { container, samplePod } from './sample-pods.ts';

const sh = (script: string): readonly string[] => ['sh', '-c', script];
const hook = (script: string): object => ({ exec: { command: sh(script) } });

describe('sidecars', () => {
  it('start in order, each once the one before has started, and stop in reverse after the main container', () =>
    withNode({}, async (node) => {
      const side = (name: string, more: Readonly<Record<string, unknown>> = {}): object =>
        container(name, chronicle(name), {
          restartPolicy: 'Always',
          ...journalMount,
          lifecycle: { preStop: hook(write(`preStop ${name}`)) },
          ...more,
        });
      // Until this succeeds nothing after the sidecar may start.
      const startupProbe = {
        exec: { command: sh(`sleep 0.5; ${write('started a')}`) },
        periodSeconds: 1,
        timeoutSeconds: 10,
      };
      // The hook of the main container ends only when those of the sidecars ran: they do not wait for their turn.
      const patient = `until grep -q "preStop a" /journal/log && grep -q "preStop b" /journal/log; do sleep 0.1; done; ${write('preStop main')}`;
      await node.writeManifest(
        'order.yaml',
        samplePod('order', {
          terminationGracePeriodSeconds: 20,
          initContainers: [
            container('first', sh(write('init first')), journalMount),
            side('a', { startupProbe }),
            container('second', sh(write('init second')), journalMount),
            side('b', {
              lifecycle: {
                postStart: hook(`sleep 0.5; ${write('postStart b')}`),
                preStop: hook(write('preStop b')),
              },
            }),
          ],
          containers: [
            container('main', chronicle('main'), { ...journalMount, lifecycle: { preStop: hook(patient) } }),
          ],
          volumes: [await journalVolume(node)],
        }),
      );
      const pod = await node.waitReady('order');
      await node.waitFor(
        'the main container to write',
        async () => (await readJournal(node)).includes('start main'),
        30_000,
      );
      assertOrder(await readJournal(node), 'init first', 'start a', 'started a', 'init second', 'start b');
      assertOrder(await readJournal(node), 'postStart b', 'start main');
      await node.removeManifest('order.yaml');
      await node.waitForLine(
        'that the pod is gone',
        ({ msg, podUid }) => msg === 'pod gone' && podUid === pod.metadata.uid,
        40_000,
      );
      const journal = await readJournal(node);
      assertOrder(journal, 'preStop main', 'end main', 'end b', 'end a');
    }));

  it('are restarted whatever the policy of the pod, by their own probes too, and disturb no other container', () =>
    withNode({}, async (node) => {
      const livenessProbe = {
        exec: { command: ['test', '!', '-e', '/tmp/ill'] },
        periodSeconds: 1,
        failureThreshold: 1,
      };
      // Falls ill once in all its lives.
      const script = `trap 'exit 0' TERM; [ -e /journal/once ] || { touch /journal/once; sleep 1; touch /tmp/ill; }; sleep 3600 & wait $!`;
      await node.writeManifest(
        'ill.yaml',
        samplePod('ill', {
          restartPolicy: 'Never',
          initContainers: [
            container('side', sh(script), { restartPolicy: 'Always', ...journalMount, livenessProbe }),
          ],
          containers: [container('main', ['/bin/tini', '--', 'sleep', 'infinity'])],
          volumes: [await journalVolume(node)],
        }),
      );
      const before = await node.waitReady('ill');
      await node.waitForLine(
        'why the sidecar is ended',
        ({ reason, message }) =>
          reason === 'Killing' && message === 'Init container side failed liveness probe',
        30_000,
      );
      const after = await node.waitFor(
        'the sidecar to run again',
        async () => {
          const pod = await node.pod('ill');
          if (pod === undefined) return undefined;
          const { restartCount, state } = containerStatus(pod, 'side');
          return restartCount === 1 && state.running !== undefined ? pod : undefined;
        },
        30_000,
      );
      assert.equal(containerStatus(after, 'main').containerID, containerStatus(before, 'main').containerID);
      assert.equal(after.status.phase, 'Running');
    }));

  it('do not keep a pod alive, and end after its main container', () =>
    withNode({}, async (node) => {
      await node.writeManifest(
        'job.yaml',
        samplePod('job', {
          restartPolicy: 'Never',
          initContainers: [
            container('side', chronicle('side'), { restartPolicy: 'Always', ...journalMount }),
          ],
          containers: [container('main', sh(`sleep 0.5; ${write('main done')}`), journalMount)],
          volumes: [await journalVolume(node)],
        }),
      );
      const pod = await node.waitFor(
        'the pod to succeed',
        async () => {
          const listed = await node.pod('job');
          return listed?.status.phase === 'Succeeded' ? listed : undefined;
        },
        30_000,
      );
      assertOrder(await readJournal(node), 'start side', 'main done', 'end side');
      assert.equal(containerStatus(pod, 'side').state.terminated?.exitCode, 0);
      assert.equal(containerStatus(pod, 'side').restartCount, 0);
    }));
});

/** Manifests that change while the kubelet runs, good ones and bad ones, on real containerd. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { containerStatus, isReady, withNode } from './node.ts';
import { container, samplePod, sleepingPod } from './sample-pods.ts';
import { expectPrompt, measureUsualPod, toLimitMs } from './usual-pod.ts';

const PODS = 20;
const BROKEN = `apiVersion: v1
kind: Pod
metadata:
  name: pod-07
spec:
  containers:
  - name: main
    image: localhost/busybox:1
    imagePullPolicy: Sometimes
`;

describe('manifest changes', () => {
  it('an edited manifest is acted on within a second: the old pod is asked to end, the new one starts', () =>
    withNode({}, async (node) => {
      await node.writeManifest('web.yaml', sleepingPod('web', { GREETING: 'one' }));
      let before = await node.waitReady('web');
      const { endMs } = await measureUsualPod(node);
      await expectPrompt('the edit is acted on', toLimitMs(1000, endMs), async (attempt) => {
        before = await node.waitReady('web');
        const from = node.logs.length;
        const edited = sleepingPod('web', { GREETING: `again ${attempt}` });
        const writtenAt = await node.writeManifest('web.yaml', edited);
        const killing = await node.waitForLine(
          'that the old container is asked to end',
          ({ msg, reason, podUid }) =>
            msg === 'event' && reason === 'Killing' && podUid === before.metadata.uid,
          30_000,
          from,
        );
        return killing.ts - writtenAt;
      });
      const after = await node.waitFor(
        'the new pod to be ready',
        async () => {
          const pod = await node.pod('web');
          return pod !== undefined && pod.metadata.uid !== before.metadata.uid && isReady(pod)
            ? pod
            : undefined;
        },
        20_000,
      );
      assert.notEqual(
        containerStatus(after, 'main').containerID,
        containerStatus(before, 'main').containerID,
      );
      // Same-named static pods never overlap.
      const gone = node.logs.find(({ msg, podUid }) => msg === 'pod gone' && podUid === before.metadata.uid);
      const added = node.logs.find(({ msg, podUid }) => msg === 'pod added' && podUid === after.metadata.uid);
      assert.ok(
        gone && added && node.logs.indexOf(gone) < node.logs.indexOf(added),
        'the old pod ends first',
      );
    }));

  it('one broken manifest of twenty is named with file, line and field; the others run and a fix starts it', () =>
    withNode({}, async (node) => {
      const names = Array.from({ length: PODS }, (_, i) => `pod-${String(i).padStart(2, '0')}`);
      const good = names.filter((name) => name !== 'pod-07');
      for (const name of good) await node.writeManifest(`${name}.yaml`, sleepingPod(name));
      await node.writeManifest('pod-07.yaml', BROKEN);
      await Promise.all(good.map((name) => node.waitReady(name, 60_000)));
      const error = await node.waitForLine(
        'what is wrong with the manifest',
        ({ msg, severity }) => severity === 'error' && msg.startsWith('cannot use manifest'),
        30_000,
      );
      assert.match(String(error['err']), /pod-07\.yaml:9\b.*spec\.containers\[0\]\.imagePullPolicy/);
      assert.equal(await node.pod('pod-07'), undefined);
      const errors = node.logs.filter(({ severity }) => severity === 'error');
      assert.equal(errors.length, 1, 'one clear error and no other');

      await node.writeManifest(
        'pod-07.yaml',
        BROKEN.replace('Sometimes', 'IfNotPresent\n    command: [/bin/tini, --, sleep, infinity]'),
      );
      await node.waitReady('pod-07');

      const before = await node.waitReady('pod-03');
      const from = node.logs.length;
      await node.writeManifest('pod-03.yaml', BROKEN.replace('pod-07', 'pod-03'));
      await node.waitForLine(
        'that the edit is bad',
        ({ msg, file }) => msg.startsWith('cannot use manifest') && String(file).endsWith('pod-03.yaml'),
        30_000,
        from,
      );
      const after = await node.waitReady('pod-03');
      assert.equal(containerStatus(after, 'main').containerID, containerStatus(before, 'main').containerID);
      assert.equal(after.metadata.uid, before.metadata.uid);
      assert.equal((await node.pods()).filter(isReady).length, PODS);
    }));

  it('a manifest whose image cannot be pulled shows why and does not disturb others', () =>
    withNode({}, async (node) => {
      const missing = container('main', ['true'], {
        image: 'localhost/no-such-image:1',
        imagePullPolicy: 'Never',
      });
      await node.writeManifest('missing.yaml', samplePod('missing', { containers: [missing] }));
      await node.writeManifest('fine.yaml', sleepingPod('fine'));
      await node.waitReady('fine');
      const pod = await node.waitFor(
        'the reason',
        async () => {
          const found = await node.pod('missing');
          return found?.status.containerStatuses?.[0]?.state.waiting?.reason === 'ErrImageNeverPull'
            ? found
            : undefined;
        },
        30_000,
      );
      assert.equal(pod.status.phase, 'Pending');
    }));
});

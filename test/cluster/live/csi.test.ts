/**
 * Volumes of a storage driver on the test cluster: persistent, as a device,
 * of the pod itself and made for the pod, with kubelet and driver killed in
 * between. Each test ends with nothing of the volumes left on the node.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { PersistentVolumeClaim } from '../../../src/core/api/persistent-volume.ts';
import type { VolumeAttachment } from '../../../src/core/api/storage.ts';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  VOLUME_ATTACHMENTS,
} from '../../../src/ports/cluster/api-resource.ts';
import { NEEDS_CLUSTER, waitFor } from './cluster.ts';
import { boundVolume } from './csi-driver.ts';
import { BOTH_MODES, claimed, eventsOf, podWith, type Use, withDriver } from './csi-pods.ts';
import { Daemon } from './daemon.ts';

describe('volumes of a storage driver', NEEDS_CLUSTER, () => {
  it('are staged once, published for each pod, survive kill -9 of the kubelet, and go with the last pod', () =>
    withDriver(BOTH_MODES, async ({ cluster, namespace, driver, ready }) => {
      const exec = (pod: string, ...command: string[]) =>
        cluster.kubectl('-n', namespace, 'exec', pod, '--', ...command);
      const pv = `${namespace}-shared`;
      await cluster.apply(namespace, ...boundVolume(driver, namespace, pv));
      await cluster.apply(
        namespace,
        podWith('a', { volume: claimed(pv) }),
        podWith('b', { volume: claimed(pv) }, { securityContext: { fsGroup: 4242 } }),
      );
      const before = await ready('a');
      await ready('b');
      await exec('a', 'sh', '-c', 'echo hello > /data/file');
      assert.equal(await exec('b', 'cat', '/data/file'), 'hello\n');
      assert.match(await exec('b', 'ls', '-ldn', '/data'), / 4242 /);
      const calls = () => driver.calls(`handle-${pv}`);
      assert.deepEqual(calls().toSorted(), ['NodePublish', 'NodePublish', 'NodeStage']);
      const kubelet = Daemon.find('kubelet-cluster');
      await kubelet.kill();
      await cluster.kubectl('-n', namespace, 'delete', 'pod', 'b', '--wait=false');
      kubelet.start();
      await waitFor(
        'the end of pod "b"',
        async () => !(await cluster.pods(namespace)).some(({ metadata }) => metadata.name === 'b'),
      );
      assert.equal(await exec('a', 'cat', '/data/file'), 'hello\n');
      const after = await ready('a');
      assert.deepEqual(
        after.status?.containerStatuses?.[0]?.containerID,
        before.status?.containerStatuses?.[0]?.containerID,
      );
      assert.equal(calls().includes('NodeUnstage'), false, 'pod a still has it');
      await kubelet.kill();
      await cluster.kubectl('-n', namespace, 'delete', 'pod', 'a', '--wait=false');
      kubelet.start();
      await driver.waitForNoTraces();
      assert.equal(calls().at(-1), 'NodeUnstage');
      assert.deepEqual(
        calls().filter((call) => call.includes(':')),
        [],
        'no call failed',
      );
    }));

  it('come as devices', () =>
    withDriver(BOTH_MODES, async ({ cluster, namespace, driver, ready }) => {
      const exec = (...command: string[]) =>
        cluster.kubectl('-n', namespace, 'exec', 'raw', '--', ...command);
      const pv = `${namespace}-raw`;
      await cluster.apply(namespace, ...boundVolume(driver, namespace, pv, { volumeMode: 'Block' }));
      await cluster.apply(namespace, podWith('raw', { volume: claimed(pv), asDevice: true }));
      await ready('raw');
      const events = await waitFor('both events of the device', async () => {
        const all = await eventsOf(cluster, namespace, 'Pod');
        const found = all.filter((one) => /^Successful/.test(one));
        return found.length >= 2 && found;
      });
      assert.equal(events.length, 2);
      for (const one of events)
        assert.match(one, /^SuccessfulMountVolume: MapVolume.MapPodDevice succeeded for volume/);
      await exec('sh', '-c', 'echo mark | dd of=/dev/data conv=fsync 2>/dev/null');
      const kubelet = Daemon.find('kubelet-cluster');
      await kubelet.kill();
      kubelet.start();
      const read = ['sh', '-c', 'dd if=/dev/data bs=4 count=1 2>/dev/null'];
      assert.equal(await waitFor('the device to be read', () => exec(...read)), 'mark');
      await cluster.kubectl('-n', namespace, 'delete', 'pod', 'raw', '--timeout=60s');
      await driver.waitForNoTraces();
      assert.deepEqual(driver.calls(`handle-${pv}`).slice(-2), ['NodeUnpublish', 'NodeUnstage']);
    }));

  it('are part of a pod, and made for a pod', () =>
    withDriver(BOTH_MODES, async ({ cluster, namespace, driver, ready }) => {
      const pv = `${namespace}-made`;
      const [volume] = boundVolume(driver, namespace, pv);
      const forClaim = {
        ...volume,
        spec: { ...(volume as { spec: object }).spec, claimRef: { namespace, name: 'made-data' } },
      };
      const spec = {
        accessModes: ['ReadWriteOnce'],
        storageClassName: '',
        volumeName: pv,
        resources: { requests: { storage: '16Mi' } },
      };
      await cluster.apply(
        namespace,
        forClaim,
        podWith('inline', { volume: { csi: { driver: driver.name } } }),
        podWith('made', { volume: { ephemeral: { volumeClaimTemplate: { spec } } } }),
      );
      await ready('inline');
      await ready('made');
      assert.equal(driver.inlineVolumes().length, 1);
      const [inline = ''] = driver.inlineVolumes();
      const kubelet = Daemon.find('kubelet-cluster');
      await kubelet.kill();
      await cluster.kubectl('-n', namespace, 'delete', 'pod', 'inline', 'made', '--wait=false');
      kubelet.start();
      await driver.waitForNoTraces();
      assert.deepEqual([...new Set(driver.calls(inline))], ['NodePublish', 'NodeUnpublish']);
      assert.deepEqual(driver.inlineVolumes(), []);
    }));

  it('go on when the driver was killed and came back', () =>
    withDriver(BOTH_MODES, async ({ cluster, namespace, driver, ready }) => {
      const pv = `${namespace}-back`;
      await cluster.apply(
        namespace,
        ...boundVolume(driver, namespace, pv),
        podWith('a', { volume: claimed(pv) }),
      );
      await ready('a');
      await driver.stop();
      await waitFor('the driver to leave the node', async () => !(await driver.isRegistered()));
      await cluster.kubectl('-n', namespace, 'delete', 'pod', 'a', '--wait=false');
      await driver.launch();
      await driver.waitForNoTraces();
    }));

  it('grow while a pod has them', () =>
    withDriver(BOTH_MODES, async ({ cluster, namespace, driver, ready }) => {
      const pv = `${namespace}-grows`;
      await cluster.apply(
        namespace,
        ...boundVolume(driver, namespace, pv),
        podWith('a', { volume: claimed(pv) }),
      );
      await ready('a');
      const capacity = { spec: { capacity: { storage: '32Mi' } } };
      await cluster.api.patch({ resource: PERSISTENT_VOLUMES, name: pv }, capacity, { kind: 'merge' });
      await waitFor(
        'the claim to show the new size',
        async () => {
          const claim = await cluster.api.get<PersistentVolumeClaim>({
            resource: PERSISTENT_VOLUME_CLAIMS,
            namespace,
            name: pv,
          });
          return claim?.status?.capacity?.['storage'] === '32Mi';
        },
        150_000,
      );
      assert.ok(driver.calls(`handle-${pv}`).includes('NodeExpand'));
      const text = `MountVolume.NodeExpandVolume succeeded for volume "${pv}" ${cluster.nodeName}`;
      for (const kind of ['Pod', 'PersistentVolumeClaim'])
        await waitFor(`the event of the ${kind}`, async () =>
          (await eventsOf(cluster, namespace, kind)).includes(`FileSystemResizeSuccessful: ${text}`),
        );
      await cluster.kubectl('-n', namespace, 'delete', 'pod', 'a', '--timeout=60s');
    }));

  it('are not waited for on a node that has as many as it can have', () =>
    withDriver(
      { attachRequired: true, nodeAllocatableUpdatePeriodSeconds: 3600 },
      async ({ cluster, namespace, driver }) => {
        const pv = `${namespace}-full`;
        await cluster.apply(
          namespace,
          ...boundVolume(driver, namespace, pv),
          podWith('a', { volume: claimed(pv) }),
        );
        const attachment = await waitFor('the request for the attachment', async () => {
          const { items } = await cluster.api.list<VolumeAttachment>({ resource: VOLUME_ATTACHMENTS });
          return items.find(({ spec }) => spec.attacher === driver.name);
        });
        // What the driver's attacher would say.
        const time = new Date().toISOString();
        const attachError = { message: 'no room', errorCode: 8, time };
        const ref = { resource: VOLUME_ATTACHMENTS, name: attachment.metadata.name };
        const status = { status: { attached: false, attachError } };
        await cluster.api.patch(ref, status, { kind: 'merge', subresource: 'status' });
        const rejected = await waitFor(
          'the rejection',
          async () => {
            const [pod] = await cluster.pods(namespace);
            return pod?.status?.phase === 'Failed' && pod.status;
          },
          200_000,
        );
        assert.equal(rejected.reason, 'VolumeAttachmentLimitExceeded');
        const why =
          'Node has reached its volume attachment limit, rejecting pod. unmounted volumes=[data], unattached volumes=[data], failed to process volumes=[]: context deadline exceeded';
        assert.equal(rejected.message, `Pod was rejected: ${why}`);
        await waitFor('the event', async () =>
          (await eventsOf(cluster, namespace, 'Pod')).includes(`VolumeAttachmentLimitExceeded: ${why}`),
        );
        await waitFor('the node to let go of the volume', async () => {
          const { status: node } = await cluster.node();
          return node?.volumesInUse?.some((name) => name.includes(driver.name)) !== true;
        });
        assert.deepEqual(driver.calls(), [], 'the driver was never asked for anything');
      },
    ));

  it('wait until they are attached, and are in use until they are gone', () =>
    withDriver({ attachRequired: true }, async ({ cluster, namespace, driver, ready }) => {
      const pv = `${namespace}-attached`;
      const unique = `kubernetes.io/csi/${driver.name}^handle-${pv}`;
      await cluster.apply(
        namespace,
        ...boundVolume(driver, namespace, pv),
        podWith('a', { volume: claimed(pv) }),
      );
      const inUse = async (): Promise<boolean> =>
        (await cluster.node()).status?.volumesInUse?.includes(unique) === true;
      await waitFor('the node to say that it uses the volume', inUse);
      const attachment = await waitFor('the request for the attachment', async () => {
        const { items } = await cluster.api.list<VolumeAttachment>({ resource: VOLUME_ATTACHMENTS });
        return items.find(({ spec }) => spec.attacher === driver.name);
      });
      assert.deepEqual(driver.calls(), [], 'the driver is not asked before');
      // What the driver's attacher would do.
      const status = { status: { attached: true, attachmentMetadata: { device: 'x' } } };
      const ref = { resource: VOLUME_ATTACHMENTS, name: attachment.metadata.name };
      await cluster.api.patch(ref, status, { kind: 'merge', subresource: 'status' });
      await ready('a');
      await cluster.kubectl('-n', namespace, 'delete', 'pod', 'a', '--timeout=60s');
      await waitFor('the node to let go of the volume', async () => !(await inUse()));
      await waitFor('the end of the attachment', async () => (await cluster.api.get(ref)) === undefined);
    }));

  it('are neither lost nor left by ten kills of the kubelet at random moments', (t) =>
    withDriver(BOTH_MODES, async ({ cluster, namespace, driver, ready }) => {
      const [shared, raw] = [`${namespace}-shared`, `${namespace}-raw`];
      await cluster.apply(
        namespace,
        ...boundVolume(driver, namespace, shared),
        ...boundVolume(driver, namespace, raw, { volumeMode: 'Block' }),
      );
      const uses: Readonly<Record<string, Use>> = {
        a: { volume: claimed(shared) },
        b: { volume: claimed(shared) },
        raw: { volume: claimed(raw), asDevice: true },
        inline: { volume: { csi: { driver: driver.name } } },
      };
      const names = Object.keys(uses);
      const kubelet = Daemon.find('kubelet-cluster');
      const moments: number[] = [];
      for (let round = 0; round < 10; round++) {
        const isUp = round % 2 === 0;
        const pods = names.map((name) => podWith(name, uses[name] ?? { volume: {} }));
        if (isUp) await cluster.apply(namespace, ...pods);
        else await cluster.kubectl('-n', namespace, 'delete', 'pods', ...names, '--wait=false');
        const momentMs = Math.round(Math.random() * 2_000);
        moments.push(momentMs);
        await delay(momentMs);
        await kubelet.kill();
        kubelet.start();
        if (isUp) for (const name of names) await ready(name);
        else await waitFor('the end of the pods', async () => (await cluster.pods(namespace)).length === 0);
        if (!isUp) await driver.waitForNoTraces();
      }
      t.diagnostic(`killed after so many ms: ${moments.join(' ')}`);
      const failed = driver.calls().filter((call) => call.includes(':'));
      assert.deepEqual(failed, [], 'the driver was never asked for something it could not do');
    }));
});

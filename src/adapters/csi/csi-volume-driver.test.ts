import assert from 'node:assert/strict';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CsiTestNode, DRIVER } from '../../../test/fakes/csi-test-node.ts';
import { sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import { SECRETS, VOLUME_ATTACHMENTS } from '../../ports/cluster/api-resource.ts';
import type { VolumeRequest } from '../../ports/storage/volume-driver.ts';
import { GrpcCode } from '../grpc/grpc-status.ts';
import { attachmentName, inlineHandle, stagingPath } from './csi-paths.ts';

const MULTI_WRITER = 5;
const MOUNT_GROUP = 6;

async function mounted(node: CsiTestNode, request: VolumeRequest) {
  const result = await node.driver.mount(request);
  assert.ok(result.ok, result.ok ? '' : result.message);
  return result.value;
}

async function refused(node: CsiTestNode, request: VolumeRequest) {
  const result = await node.driver.mount(request);
  assert.ok(!result.ok, 'the volume was set up');
  return `${result.stage ?? ''}: ${result.message}`;
}

const secondPod = samplePod({}, { name: 'other', uid: '9f9f' });

describe('CsiVolumeDriver, persistent volumes', () => {
  it('stages once, publishes for each pod, and unstages after the last', async () => {
    await using node = await CsiTestNode.start();
    const [first, second] = [node.persistent(), node.persistent(secondPod)];
    const { prepared } = await mounted(node, first);
    await mounted(node, second);
    assert.equal(prepared.hostPath, `${first.directory}/mount`);
    await node.driver.unmount(first);
    assert.deepEqual(node.server.methods, [
      'NodeStageVolume',
      'NodePublishVolume',
      'NodePublishVolume',
      'NodeUnpublishVolume',
    ]);
    await node.driver.unmount(second);
    assert.deepEqual(node.server.methods.slice(4), ['NodeUnpublishVolume', 'NodeUnstageVolume']);
    assert.deepEqual(await node.left(), []);
  });

  it('passes everything about the volume to the driver', async () => {
    await using node = await CsiTestNode.start();
    const request = node.persistent();
    await mounted(node, request);
    const staging = stagingPath(node.rootDir, DRIVER, 'vol-1');
    const { volumeCapability: _, ...stage } = node.server.last('NodeStageVolume');
    assert.deepEqual(stage, {
      volumeId: 'vol-1',
      publishContext: {},
      stagingTargetPath: staging,
      secrets: {},
      volumeContext: { kind: 'slow' },
    });
    const publish = node.server.last('NodePublishVolume');
    assert.equal(publish.stagingTargetPath, staging);
    assert.equal(publish.targetPath, `${request.directory}/mount`);
    assert.equal(publish.readonly, false);
    assert.deepEqual(publish.volumeCapability?.mount, {
      fsType: 'ext4',
      mountFlags: ['noatime'],
      volumeMountGroup: '',
    });
    assert.equal(publish.volumeCapability?.accessMode?.mode, 1);
  });

  it('writes the data files of upstream', async () => {
    await using node = await CsiTestNode.start();
    const request = node.persistent();
    await mounted(node, request);
    const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));
    assert.deepEqual(await read(`${request.directory}/vol_data.json`), {
      specVolID: 'pv-1',
      volumeHandle: 'vol-1',
      driverName: DRIVER,
      nodeName: 'node-1',
      volumeLifecycleMode: 'Persistent',
      attachmentID: attachmentName('vol-1', DRIVER, 'node-1'),
    });
    const staged = stagingPath(node.rootDir, DRIVER, 'vol-1').replace('globalmount', 'vol_data.json');
    assert.deepEqual(await read(staged), { volumeHandle: 'vol-1', driverName: DRIVER });
  });

  it('publishes without staging where the driver does not stage', async () => {
    await using node = await CsiTestNode.start();
    node.server.capabilities = [];
    const request = node.persistent();
    await mounted(node, request);
    assert.equal(node.server.last('NodePublishVolume').stagingTargetPath, '');
    await node.driver.unmount(request);
    assert.deepEqual(node.server.methods, ['NodePublishVolume', 'NodeUnpublishVolume']);
    assert.deepEqual(await node.left(), []);
  });

  it('passes the exact access mode to a driver that distinguishes single writers', async () => {
    await using node = await CsiTestNode.start();
    node.server.capabilities = [1, MULTI_WRITER];
    await mounted(node, node.persistent());
    assert.equal(node.server.last('NodePublishVolume').volumeCapability?.accessMode?.mode, 7);
  });

  it('removes what a killed agent left staged and published', async () => {
    await using node = await CsiTestNode.start();
    const request = node.persistent();
    await mounted(node, request);
    await node.restart().unmount(request);
    assert.deepEqual(node.server.methods.slice(2), ['NodeUnpublishVolume', 'NodeUnstageVolume']);
    assert.deepEqual(await node.left(), []);
  });

  it('sets a volume up again after a restart, which drivers allow', async () => {
    await using node = await CsiTestNode.start();
    await mounted(node, node.persistent());
    node.restart();
    await mounted(node, node.persistent());
    assert.deepEqual(node.server.methods.slice(2), ['NodeStageVolume', 'NodePublishVolume']);
  });

  it('unstages volumes that no pod uses and leaves those of pods', async () => {
    await using node = await CsiTestNode.start();
    const used = node.persistent();
    await mounted(node, used);
    const other = node.persistent(secondPod, (volume) => ({
      metadata: { name: 'pv-2' },
      spec: { ...volume.spec, csi: { driver: DRIVER, volumeHandle: 'vol-2' } },
    }));
    node.server.failures.set('NodePublishVolume', GrpcCode.UNAVAILABLE);
    await refused(node, other);
    await rm(other.directory, { recursive: true });
    await node.restart().releaseUnused(DRIVER);
    assert.equal(node.server.last('NodeUnstageVolume').volumeId, 'vol-2');
    assert.equal(node.server.methods.filter((method) => method === 'NodeUnstageVolume').length, 1);
  });

  it('leaves nothing when the driver finally refuses to stage', async () => {
    await using node = await CsiTestNode.start();
    node.server.failures.set('NodeStageVolume', GrpcCode.INVALID_ARGUMENT);
    assert.equal(
      await refused(node, node.persistent()),
      'MountVolume.MountDevice: rpc error: code = InvalidArgument desc = no NodeStageVolume',
    );
    assert.deepEqual(await node.left(), []);
  });

  it('keeps the record while it is not known what the driver did', async () => {
    await using node = await CsiTestNode.start();
    node.server.failures.set('NodeStageVolume', GrpcCode.UNAVAILABLE);
    const request = node.persistent();
    await refused(node, request);
    node.server.failures.clear();
    await node.restart().unmount(request);
    assert.deepEqual(node.server.methods, ['NodeStageVolume', 'NodeUnpublishVolume', 'NodeUnstageVolume']);
    assert.deepEqual(await node.left(), []);
  });

  it('touches nothing of a running volume that a restarted agent cannot set up again', async () => {
    await using node = await CsiTestNode.start();
    const request = node.persistent();
    await mounted(node, request);
    const before = await node.left();
    node.server.failures.set('NodeStageVolume', GrpcCode.INTERNAL);
    node.restart();
    await refused(node, request);
    assert.deepEqual(await node.left(), before);
  });

  it('reports that the driver is not registered, and keeps a volume it cannot remove', async () => {
    await using node = await CsiTestNode.start();
    const request = node.persistent();
    await mounted(node, request);
    node.drivers.delete(DRIVER);
    await assert.rejects(
      node.patiently(node.driver.unmount(request)),
      /driver name drv.test not found in the list/,
    );
    assert.match(
      await node.patiently(refused(node, node.persistent(secondPod))),
      /^MountVolume.MountDevice: .*newCsiDriverClient: driver name drv.test not found/,
    );
    const waiting = node.driver.unmount(request);
    node.register();
    await waiting;
    assert.deepEqual(await node.left(), []);
    assert.equal(node.clock.pendingTimers, 0);
  });

  it('waits for the attacher and passes its metadata on', async () => {
    await using node = await CsiTestNode.start();
    node.spec = {};
    const name = attachmentName('vol-1', DRIVER, 'node-1');
    const request = node.persistent();
    node.isAttached = false;
    assert.match(await refused(node, request), /^MountVolume.WaitForAttach: Volume not attached/);
    node.isAttached = true;
    assert.match(await refused(node, request), /has GET error for volume attachment csi-/);
    node.api.put(VOLUME_ATTACHMENTS, {
      metadata: { name },
      status: { attached: true, attachmentMetadata: { path: '/dev/x' } },
    });
    await mounted(node, request);
    assert.deepEqual(node.server.last('NodeStageVolume').publishContext, { path: '/dev/x' });
    await node.driver.unmount(request);
    const unique = `kubernetes.io/csi/${DRIVER}^vol-1 ${request.podUid}`;
    assert.equal(node.held[0], `hold ${unique}`);
    assert.equal(node.held.at(-1), `release ${unique}`);
  });

  it('reports the node as full when the attacher does and the driver updates its limits', async () => {
    await using node = await CsiTestNode.start();
    const full: string[] = [];
    node.restart({ onNodeFull: (driver) => void full.push(driver) });
    node.isAttached = false;
    const isOverLimit = async (): Promise<boolean> => {
      const outcome = await node.driver.mount(node.persistent());
      return !outcome.ok && outcome.isOverLimit === true;
    };
    const name = attachmentName('vol-1', DRIVER, 'node-1');
    const put = (errorCode: number): unknown =>
      node.api.put(VOLUME_ATTACHMENTS, {
        metadata: { name },
        status: { attached: false, attachError: { message: 'no', errorCode } },
      });
    node.spec = { nodeAllocatableUpdatePeriodSeconds: 10 };
    assert.equal(await isOverLimit(), false, 'nothing was attached yet');
    put(GrpcCode.INTERNAL);
    assert.equal(await isOverLimit(), false, 'another error');
    put(GrpcCode.RESOURCE_EXHAUSTED);
    node.spec = {};
    assert.equal(await isOverLimit(), false, 'the driver would not report when there is room again');
    assert.deepEqual(full, []);
    node.spec = { nodeAllocatableUpdatePeriodSeconds: 10 };
    assert.equal(await isOverLimit(), true);
    assert.deepEqual(full, [DRIVER]);
  });

  it('hands over the secrets the volume names', async () => {
    await using node = await CsiTestNode.start();
    const data = { user: Buffer.from('me').toString('base64') };
    node.api.put(SECRETS, { metadata: { name: 's', namespace: 'vault' }, data });
    const secret = { name: 's', namespace: 'vault' };
    const request = node.persistent(samplePod(), (volume) => ({
      ...volume,
      spec: {
        ...volume.spec,
        csi: {
          driver: DRIVER,
          volumeHandle: 'vol-1',
          nodeStageSecretRef: secret,
          nodePublishSecretRef: { name: 'none', namespace: 'vault' },
        },
      },
    }));
    assert.match(
      await refused(node, request),
      /fetching NodePublishSecretRef vault\/none failed: .*secrets "none" not found/,
    );
    assert.deepEqual(node.server.last('NodeStageVolume').secrets, { user: 'me' });
  });
});

describe('CsiVolumeDriver, labels', () => {
  it('has a volume relabelled only where its file system can carry labels', async () => {
    await using node = await CsiTestNode.start();
    const request = node.persistent();
    const relabels = async (superOptions: string): Promise<boolean> => {
      const line = `1 0 0:1 / ${request.directory}/mount rw - ext4 /dev/x ${superOptions}`;
      const selinux = sampleNode({ rootDir: node.rootDir, selinuxEnabled: true });
      node.restart({ node: selinux, selinux: { readMounts: async () => line } });
      return (await mounted(node, request)).prepared.selinuxRelabel;
    };
    assert.deepEqual([await relabels('rw,seclabel'), await relabels('rw')], [true, false]);
  });

  it('mounts a volume of one pod with one label, where its driver takes one', async () => {
    await using node = await CsiTestNode.start();
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    const pod = samplePod({
      volumes,
      containers: [sampleContainer({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
      securityContext: { seLinuxOptions: { level: 's0:c1,c2' } },
    });
    const request = node.persistent(pod, (volume) => ({
      ...volume,
      spec: { ...volume.spec, accessModes: ['ReadWriteOncePod'] },
    }));
    node.restart({
      node: sampleNode({ rootDir: node.rootDir, selinuxEnabled: true }),
      selinux: {
        readMounts: async () => `1 0 0:1 / ${request.directory}/mount rw - ext4 /dev/x rw,seclabel`,
        readFileContext: async () => 'system_u:object_r:container_file_t:s0',
      },
    });
    const flags = (method: 'NodeStageVolume' | 'NodePublishVolume') =>
      node.server.last(method).volumeCapability?.mount?.mountFlags;
    assert.equal((await mounted(node, request)).prepared.selinuxRelabel, true);
    assert.deepEqual(flags('NodePublishVolume'), ['noatime']);
    await node.driver.unmount(request);
    node.spec = { seLinuxMount: true, attachRequired: false };
    assert.equal((await mounted(node, request)).prepared.selinuxRelabel, false);
    const label = 'system_u:object_r:container_file_t:s0:c1,c2';
    for (const method of ['NodeStageVolume', 'NodePublishVolume'] as const)
      assert.deepEqual(flags(method), ['noatime', `context="${label}"`]);
    const data = JSON.parse(await readFile(join(request.directory, 'vol_data.json'), 'utf8')) as object;
    assert.equal('seLinuxMountContext' in data && data.seLinuxMountContext, label);
  });
});

describe('CsiVolumeDriver, the group of the pod', () => {
  const pod = samplePod({ securityContext: { fsGroup: 4242 } });

  it('gives the files to the group by default', async () => {
    await using node = await CsiTestNode.start();
    const { prepared } = await mounted(node, node.persistent(pod));
    assert.equal((await stat(prepared.hostPath)).gid, 4242);
  });

  it('leaves that to a driver that does it itself', async () => {
    await using node = await CsiTestNode.start();
    node.server.capabilities = [1, MOUNT_GROUP];
    const { prepared } = await mounted(node, node.persistent(pod));
    assert.notEqual((await stat(prepared.hostPath)).gid, 4242);
    assert.equal(node.server.last('NodePublishVolume').volumeCapability?.mount?.volumeMountGroup, '4242');
  });
});

describe('CsiVolumeDriver, volumes of the pod itself', () => {
  const ephemeral = { volumeLifecycleModes: ['Ephemeral'], podInfoOnMount: true } as const;

  it('publishes with the pod and without staging, and removes it', async () => {
    await using node = await CsiTestNode.start();
    node.spec = ephemeral;
    const request = node.inline();
    await mounted(node, request);
    const publish = node.server.last('NodePublishVolume');
    assert.equal(publish.volumeId, inlineHandle(request.podUid, 'scratch'));
    assert.deepEqual(publish.volumeContext, {
      size: '1',
      'csi.storage.k8s.io/pod.name': 'shop',
      'csi.storage.k8s.io/pod.namespace': 'market',
      'csi.storage.k8s.io/pod.uid': '0a1b-2c3d',
      'csi.storage.k8s.io/serviceAccount.name': '',
      'csi.storage.k8s.io/ephemeral': 'true',
    });
    await node.driver.unmount(request);
    assert.deepEqual(node.server.methods, ['NodePublishVolume', 'NodeUnpublishVolume']);
    assert.deepEqual(await node.left(), []);
  });

  it('refuses a driver that does not offer them', async () => {
    await using node = await CsiTestNode.start();
    assert.match(
      await refused(node, node.inline()),
      /mode "Ephemeral" not supported by driver drv.test \(only supports \["Persistent"\]\)/,
    );
    node.spec = undefined;
    assert.match(await refused(node, node.inline()), /\(no CSIDriver object\)/);
  });

  it('re-publishes with fresh tokens where the driver asks for it, and not otherwise', async () => {
    await using node = await CsiTestNode.start();
    node.spec = {
      ...ephemeral,
      requiresRepublish: true,
      tokenRequests: [{ audience: 'b' }, { audience: '' }],
    };
    const request = node.inline();
    const { refreshAtMs } = await mounted(node, request);
    assert.equal(refreshAtMs, node.clock.now() + 30_000, 'before the tokens end');
    const context = node.server.last('NodePublishVolume').volumeContext;
    assert.deepEqual(JSON.parse(context['csi.storage.k8s.io/serviceAccount.tokens'] ?? ''), {
      '': { token: 'token-', expirationTimestamp: '1970-01-01T00:00:00Z' },
      b: { token: 'token-b', expirationTimestamp: '1970-01-01T00:00:00Z' },
    });
    await mounted(node, { ...request, isRemount: true });
    assert.equal(node.server.methods.length, 2);
    node.spec = ephemeral;
    await mounted(node, { ...request, isRemount: true });
    assert.equal(node.server.methods.length, 2);
  });

  it('puts tokens among the secrets for a driver that wants them there', async () => {
    await using node = await CsiTestNode.start();
    node.spec = { ...ephemeral, serviceAccountTokenInSecrets: true, tokenRequests: [{ audience: 'a' }] };
    await mounted(node, node.inline());
    const { secrets, volumeContext } = node.server.last('NodePublishVolume');
    assert.deepEqual(Object.keys(secrets), ['csi.storage.k8s.io/serviceAccount.tokens']);
    assert.equal('csi.storage.k8s.io/serviceAccount.tokens' in volumeContext, false);
  });

  it('keeps the mount when re-publishing fails', async () => {
    await using node = await CsiTestNode.start();
    node.spec = { ...ephemeral, requiresRepublish: true };
    const request = node.inline();
    await mounted(node, request);
    const before = await node.left();
    node.server.failures.set('NodePublishVolume', GrpcCode.INTERNAL);
    await refused(node, { ...request, isRemount: true });
    assert.deepEqual(await node.left(), before);
  });
});

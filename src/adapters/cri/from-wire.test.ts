import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toSandboxId } from '../../core/model/ids.ts';
import * as wire from '../../gen/cri.ts';
import type { Init } from '../../gen/wire.ts';
import {
  fromWireContainer,
  fromWireContainerStatus,
  fromWireEvent,
  fromWireFilesystem,
  fromWireImage,
  fromWireNetwork,
  fromWireSandbox,
  fromWireStatus,
  toUsedImage,
} from './from-wire.ts';

const LABELS = { 'io.kubernetes.pod.uid': 'u', 'io.kubernetes.container.name': 'label-name' };

function network(status: Init<wire.PodSandboxStatus>): ReturnType<typeof fromWireNetwork> {
  return fromWireNetwork(wire.decodePodSandboxStatus(wire.encodePodSandboxStatus(status)));
}

function status(given: Init<wire.ContainerStatus>): ReturnType<typeof fromWireContainerStatus> {
  const message = wire.decodeContainerStatus(wire.encodeContainerStatus({ labels: LABELS, ...given }));
  return fromWireContainerStatus(message, toSandboxId('s'));
}

describe('fromWireSandbox', () => {
  it('reads identity from the metadata and time in milliseconds', () => {
    const metadata = { name: 'web', namespace: 'ns', uid: 'u', attempt: 2 };
    const bytes = wire.encodePodSandbox({
      id: 's',
      metadata,
      state: 1,
      createdAt: 1.5e18,
      runtimeHandler: 'kata',
    });
    assert.deepEqual(fromWireSandbox(wire.decodePodSandbox(bytes)), {
      id: 's',
      podUid: 'u',
      podName: 'web',
      podNamespace: 'ns',
      attempt: 2,
      ready: false,
      createdAtMs: 1.5e12,
      labels: {},
      annotations: {},
      runtimeHandler: 'kata',
    });
  });

  it('ignores an entry without metadata', () => {
    assert.equal(fromWireSandbox(wire.decodePodSandbox(wire.encodePodSandbox({ id: 's' }))), undefined);
  });
});

describe('toUsedImage', () => {
  it('counts a container that is no pod of ours', () => {
    const bytes = wire.encodeContainer({ id: 'c', image: { image: 'tool:1' }, imageRef: 'sha256:1' });
    const foreign = wire.decodeContainer(bytes);
    assert.equal(fromWireContainer(foreign), undefined);
    assert.deepEqual(toUsedImage(foreign), { image: 'tool:1', imageId: 'sha256:1' });
  });
});

describe('fromWireNetwork', () => {
  const node = { namespaces: { options: { network: wire.NamespaceMode.NODE } } };

  it('lists the primary address first and keeps nothing unusable', () => {
    const more = [{ ip: 'fd00::1' }];
    const cases = [
      [{}, { mode: 'pod', reported: false, ips: [] }],
      [{ network: {} }, { mode: 'pod', reported: true, ips: [] }],
      [{ network: { ip: '10.0.0.2' } }, { mode: 'pod', reported: true, ips: ['10.0.0.2'] }],
      [
        { network: { ip: '10.0.0.2', additionalIps: more } },
        { mode: 'pod', reported: true, ips: ['10.0.0.2', 'fd00::1'] },
      ],
      [{ network: { ip: '', additionalIps: more } }, { mode: 'pod', reported: true, ips: ['fd00::1'] }],
      [{ network: { ip: 'junk', additionalIps: more } }, { mode: 'pod', reported: true, ips: [] }],
      [
        { network: { ip: '10.0.0.2' }, linux: node },
        { mode: 'node', reported: true, ips: [] },
      ],
    ] as const;
    for (const [given, expected] of cases) assert.deepEqual(network(given), expected);
  });
});

describe('fromWireContainer', () => {
  it('takes the name from the metadata and prefers the image id', () => {
    const given = { id: 'c', podSandboxId: 's', metadata: { name: 'app' }, imageRef: 'ref', labels: LABELS };
    const read = (change: Init<wire.Container>): ReturnType<typeof fromWireContainer> =>
      fromWireContainer(wire.decodeContainer(wire.encodeContainer({ ...given, ...change })));
    assert.equal(read({})?.name, 'app');
    assert.equal(read({})?.podUid, 'u');
    assert.equal(read({})?.sandboxId, 's');
    assert.equal(read({})?.imageId, 'ref');
    assert.equal(read({ imageId: 'id' })?.imageId, 'id');
    assert.equal(read({ metadata: undefined }), undefined);
    const states = [0, 1, 2, 3, 77].map((state) => read({ state })?.state);
    assert.deepEqual(states, ['created', 'running', 'exited', 'unknown', 'unknown']);
  });
});

describe('fromWireContainerStatus', () => {
  const times = {
    createdAt: 1e18,
    startedAt: 2e18,
    finishedAt: 3e18,
    exitCode: 9,
    reason: 'Error',
    message: 'm',
  };

  it('takes the name from the label', () => {
    assert.equal(status({ metadata: { name: 'app' } })?.name, 'label-name');
    const [uidOnly, none] = [{ 'io.kubernetes.pod.uid': 'u' }, {}];
    assert.equal(status({ metadata: { name: 'app' }, labels: uidOnly })?.name, 'app');
    assert.equal(status({ metadata: { name: 'app' }, labels: none }), undefined);
  });

  it('believes start and end only in the states that have them', () => {
    const empty = { reason: '', message: '', logPath: '', mounts: [] };
    assert.deepEqual(status({ ...times, state: 0 })?.details, empty);
    assert.deepEqual(status({ ...times, state: 1 })?.details, { ...empty, startedAtMs: 2e12 });
    assert.deepEqual(status({ ...times, state: 2 })?.details, {
      ...empty,
      startedAtMs: 2e12,
      finishedAtMs: 3e12,
      exitCode: 9,
      reason: 'Error',
      message: 'm',
    });
    assert.deepEqual(status({ ...times, startedAt: 0, exitCode: 0, state: 2 })?.details?.exitCode, 0);
    assert.equal(status({ ...times, startedAt: 0, state: 2 })?.details?.startedAtMs, undefined);
  });

  it('reads user, stop signal, mounts and the resources that are set', () => {
    const details = status({
      user: { linux: { uid: 1, gid: 2, supplementalGroups: [3] } },
      stopSignal: wire.Signal.SIGRTMAXMINUS3,
      mounts: [{ containerPath: '/c', hostPath: '/h', readonly: true }],
      resources: { linux: { cpuShares: 512, memoryLimitInBytes: 64, unified: { a: 'b' } } },
      logPath: '/log',
    })?.details;
    assert.deepEqual(details?.user, { uid: 1, gid: 2, supplementalGroups: [3] });
    assert.equal(details.stopSignal, 'SIGRTMAX-3');
    assert.deepEqual(details.mounts, [{ containerPath: '/c', hostPath: '/h', readOnly: true }]);
    assert.deepEqual(details.resources, { cpuShares: 512, memoryLimitBytes: 64, unified: { a: 'b' } });
    assert.equal(details.logPath, '/log');
  });
});

describe('what the runtime says of a pod', () => {
  it('is not believed when its UID would lead out of a directory', () => {
    for (const uid of ['', '.', '..', '../x', '/etc', 'a/../b', '-rf', 'a\nb']) {
      const sandbox = wire.encodePodSandbox({ id: 's', metadata: { uid, name: 'a', namespace: 'b' } });
      assert.equal(fromWireSandbox(wire.decodePodSandbox(sandbox)), undefined);
      const labels = { 'io.kubernetes.pod.uid': uid };
      const container = wire.encodeContainer({ id: 'c', podSandboxId: 's', metadata: { name: 'c' }, labels });
      assert.equal(fromWireContainer(wire.decodeContainer(container)), undefined);
      assert.equal(status({ labels }), undefined);
    }
  });
});

describe('fromWireEvent', () => {
  it('names the pod when the event does, and drops unknown kinds', () => {
    const read = (event: Init<wire.ContainerEventResponse>): ReturnType<typeof fromWireEvent> =>
      fromWireEvent(wire.decodeContainerEventResponse(wire.encodeContainerEventResponse(event)));
    const podSandboxStatus = { metadata: { uid: 'u' } };
    assert.deepEqual(read({ containerId: 'c', containerEventType: 2, podSandboxStatus }), {
      kind: 'stopped',
      id: 'c',
      podUid: 'u',
    });
    assert.deepEqual(read({ containerId: 'c', containerEventType: 3 }), { kind: 'deleted', id: 'c' });
    assert.equal(read({ containerId: 'c', containerEventType: 9 }), undefined);
  });
});

describe('fromWireStatus', () => {
  it('reads conditions, handlers and features', () => {
    const condition = { type: 'RuntimeReady', status: true, reason: 'r', message: 'm' };
    const message = wire.encodeStatusResponse({
      status: { conditions: [condition] },
      runtimeHandlers: [{ name: '' }, { name: 'runc', features: { userNamespaces: true } }],
      features: { supplementalGroupsPolicy: true },
    });
    assert.deepEqual(fromWireStatus(wire.decodeStatusResponse(message)), {
      conditions: [condition],
      handlers: [
        { name: '', recursiveReadOnlyMounts: false, userNamespaces: false },
        { name: 'runc', recursiveReadOnlyMounts: false, userNamespaces: true },
      ],
      features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
    });
  });
});

describe('fromWireImage and fromWireFilesystem', () => {
  it('distinguish user 0 from no user', () => {
    const read = (image: Init<wire.Image>): ReturnType<typeof fromWireImage> =>
      fromWireImage(wire.decodeImage(wire.encodeImage({ id: 'i', size: 5, ...image })));
    const plain = { id: 'i', repoTags: [], repoDigests: [], sizeBytes: 5, pinned: false };
    assert.deepEqual(read({}), plain);
    assert.deepEqual(read({ uid: { value: 0 } }), { ...plain, uid: 0 });
    assert.deepEqual(read({ username: 'www', pinned: true }), { ...plain, username: 'www', pinned: true });
  });

  it('read usage', () => {
    const bytes = wire.encodeFilesystemUsage({
      timestamp: 2e18,
      fsId: { mountpoint: '/m' },
      usedBytes: { value: 7 },
    });
    assert.deepEqual(fromWireFilesystem(wire.decodeFilesystemUsage(bytes)), {
      mountpoint: '/m',
      usedBytes: 7,
      inodesUsed: 0,
      timestampMs: 2e12,
    });
  });
});

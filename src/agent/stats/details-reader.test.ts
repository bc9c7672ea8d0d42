import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { SAMPLE_DETAILS } from '../../../test/samples/sample-details.ts';
import type { Clock } from '../../base/async/clock.ts';
import { toContainerId, toPodUid, toSandboxId } from '../../core/model/ids.ts';
import type { CgroupDriver } from '../../core/model/node-profile.ts';
import type { ObservedContainer, ObservedSandbox } from '../../core/model/observed-pod.ts';
import type { InterfaceDetails, MachineDetails } from '../../core/stats/cgroup-details.ts';
import type { SeriesTable } from '../../core/stats/series/series-table.ts';
import { DetailsReader } from './details-reader.ts';

const UID = '11111111-2222-3333-4444-555555555555';
const MACHINE = { cores: 2 } as MachineDetails;
const DISK = {
  device: '/dev/vda',
  capacityBytes: 1,
  usedBytes: 1,
  inodes: 1,
  inodesFree: 1,
  disk: undefined,
};
const traffic = { bytes: 1, packets: 1, errors: 0, dropped: 0 };
const ETH0: InterfaceDetails = { name: 'eth0', received: traffic, sent: traffic };
const LO: InterfaceDetails = { ...ETH0, name: 'lo' };

const sandbox: ObservedSandbox = {
  id: toSandboxId('5a4db0'),
  podUid: toPodUid(UID),
  podName: 'web',
  podNamespace: 'default',
  attempt: 0,
  ready: true,
  createdAtMs: 1000,
  labels: {},
  annotations: {},
  runtimeHandler: '',
};
const container: ObservedContainer = {
  id: toContainerId('c0ffee'),
  podUid: toPodUid(UID),
  sandboxId: sandbox.id,
  name: 'main',
  state: 'running',
  createdAtMs: 2000,
  image: 'busybox:1',
  imageId: 'i',
  labels: {},
  annotations: {},
};

function createReader(
  driver: CgroupDriver,
  paths: readonly string[],
  clock: Clock = new FakeClock({ startMs: 5000 }),
  onRead = () => {},
) {
  return new DetailsReader({
    clock,
    details: {
      readDetails: (path) => {
        onRead();
        return path === '/' || paths.includes(path) ? SAMPLE_DETAILS : undefined;
      },
      readInterfaceDetails: (of) => (of === 'machine' ? [LO, ETH0] : [ETH0]),
      readFileSystems: async () => [DISK],
      readMachineDetails: () => MACHINE,
    },
    cgroupStats: {
      listCgroups: (path) =>
        paths
          .filter((each) => each.startsWith(`${path}/`) && !each.slice(path.length + 1).includes('/'))
          .map((each) => each.slice(path.length + 1)),
      readCreation: () => 3000,
      findOwnCgroup: () => '/own',
    },
    systemCgroups: [
      { name: 'kubelet', path: 'own', startedAtMs: 1 },
      { name: 'pods', path: '/kubepods', startedAtMs: undefined },
    ],
    node: { cgroupRoot: '/', cgroupDriver: driver, cgroupsPerQos: true },
    readPod: () => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default', uid: UID },
      spec: { containers: [{ name: 'main', image: 'from-spec' }] },
    }),
  });
}

function listed(containers: readonly ObservedContainer[] = [container], sandboxImage = 'pause:1') {
  return async () => ({ sandboxes: [sandbox], containers, sandboxImage });
}

/** The values of one series, each with its cgroup and its own labels. */
function valuesOf({ cgroups, columns }: SeriesTable, name: string) {
  const column = columns.find(({ series }) => series.name === name) ?? assert.fail(name);
  return Array.from({ length: column.length }, (_, index) => ({
    id: cgroups[column.ownerAt(index)]?.labels.id,
    value: column.valueAt(index),
    label: column.labels[index],
  }));
}

describe('DetailsReader', () => {
  const pod = `/kubepods/burstable/pod${UID}`;
  const paths = [
    '/own',
    '/kubepods',
    '/kubepods/burstable',
    pod,
    `${pod}/5a4db0`,
    `${pod}/c0ffee`,
    `${pod}/unknown`,
    '/kubepods/podother',
  ];

  it('names every cgroup after what it is', async () => {
    const { series, machine, atMs } = await createReader('cgroupfs', paths).read(listed());
    const shown = series.cgroups.map(
      ({ labels: { id, container: name, image, name: runtimeId, pod: podName } }) =>
        [id, podName, name, image, runtimeId].join(' ').trimEnd(),
    );
    assert.deepEqual(shown, [
      '/',
      '/own',
      '/kubepods',
      '/kubepods/podother',
      '/kubepods/burstable',
      `${pod} web`,
      `${pod}/5a4db0 web  pause:1 5a4db0`,
      `${pod}/c0ffee web main busybox:1 c0ffee`,
    ]);
    assert.equal(machine, MACHINE);
    assert.equal(atMs, 5000);
  });

  it('shows disks for the machine, networks for the machine and for sandboxes, and when each was made', async () => {
    const { series } = await createReader('cgroupfs', paths).read(listed());
    assert.deepEqual(valuesOf(series, 'container_fs_usage_bytes'), [
      { id: '/', value: 1, label: 'device="/dev/vda"' },
    ]);
    assert.deepEqual(valuesOf(series, 'container_network_receive_bytes_total'), [
      { id: '/', value: 1, label: 'interface="eth0"' },
      { id: `${pod}/5a4db0`, value: 1, label: 'interface="eth0"' },
    ]);
    assert.deepEqual(
      valuesOf(series, 'container_start_time_seconds')
        .slice(-3)
        .map(({ value }) => value),
      [3, 1, 2],
    );
  });

  it('finds the scopes and slices of systemd', async () => {
    const slice = `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice`;
    const found = [
      '/kubepods.slice',
      '/kubepods.slice/kubepods-burstable.slice',
      slice,
      `${slice}/cri-containerd-c0ffee.scope`,
    ];
    const { series } = await createReader('systemd', found).read(listed());
    assert.equal(series.cgroups.at(-1)?.labels.container, 'main');
    assert.equal(series.cgroups.at(-2)?.labels.pod, 'web');
  });

  it('names an image by what the pod calls it where the runtime prints an identity', async () => {
    const { series } = await createReader('cgroupfs', paths).read(
      listed([{ ...container, image: `sha256:${'a'.repeat(64)}` }]),
    );
    assert.equal(series.cgroups.at(-1)?.labels.image, 'from-spec');
  });

  it('asks the runtime only when there is a cgroup that was not there before', async () => {
    const found = ['/kubepods', '/kubepods/burstable', pod, `${pod}/5a4db0`, `${pod}/c0ffee`];
    const reader = createReader('cgroupfs', found);
    let asked = 0;
    const read = async (containers = [container], image?: string) => {
      const list = listed(containers, image);
      const { series } = await reader.read(() => {
        asked++;
        return list();
      });
      return series.cgroups
        .map(({ labels }) => labels.container || labels.image)
        .filter((text) => text !== '');
    };
    assert.deepEqual(await read(undefined, ''), ['main']);
    assert.deepEqual([await read(), asked], [['pause:1', 'main'], 2]);
    assert.deepEqual([await read([]), asked], [['pause:1', 'main'], 2]);
    found.push(`${pod}/beef`);
    const second = { ...container, id: toContainerId('beef'), name: 'second' };
    assert.deepEqual([await read([]), asked], [['pause:1', 'main'], 3]);
    assert.deepEqual([await read([container, second]), asked], [['pause:1', 'main', 'second'], 4]);
    found.splice(found.indexOf(`${pod}/c0ffee`), 1);
    assert.deepEqual([await read([]), asked], [['pause:1', 'second'], 4]);
  });

  for (const [each, lastMs, expected] of [
    ['32 cgroups', 0, 3],
    ['20 ms', 7, 33],
    ['one that takes longer', 30, 100],
  ] as const)
    it(`lets other work have its turn after ${each}`, async () => {
      const many = Array.from({ length: 96 }, (_, index) => `/kubepods/pod${index}`);
      let [nowMs, turns] = [5000, 0];
      const startTimer = (_delayMs: number, run: () => void): Disposable => {
        turns++;
        queueMicrotask(run);
        return { [Symbol.dispose]: () => {} };
      };
      const clock = { now: () => nowMs, steady: () => nowMs, startTimer };
      const reader = createReader('cgroupfs', ['/own', '/kubepods', ...many], clock, () => {
        nowMs += lastMs;
      });
      const { series } = await reader.read(listed());
      assert.equal(series.cgroups.length, 99);
      assert.equal(turns, expected);
    });
});

/**
 * How full the volumes of a real cluster are, as metrics show it: numbers
 * that follow what pods write, a driver that does not answer, a volume that
 * is not well, and volumes that need no driver.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Cluster, NEEDS_CLUSTER, waitFor } from './cluster.ts';
import { boundVolume } from './csi-driver.ts';
import { BOTH_MODES, claimed, eventsOf, podWith, withDriver } from './csi-pods.ts';
import { Daemon } from './daemon.ts';

const MEBIBYTE = 2 ** 20;

/** The families of one claim, without their common prefix. */
async function statsOf(cluster: Cluster, claim: string): Promise<Record<string, number>> {
  const text = await cluster.kubectl('get', '--raw', `/api/v1/nodes/${cluster.nodeName}/proxy/metrics`);
  const found = text.matchAll(/^kubelet_volume_stats_(\w+)\{(.*)\} (\S+)$/gm);
  return Object.fromEntries(
    [...found]
      .filter(([, , labels = '']) => labels.includes(`persistentvolumeclaim="${claim}"`))
      .map(([, family = '', , value]) => [family, Number(value)]),
  );
}

/** Runs `body` with a kubelet that measures often and looks at the health of volumes. */
async function withQuickStats(body: () => Promise<void>): Promise<void> {
  const kubelet = Daemon.find('kubelet-cluster');
  await kubelet.kill();
  kubelet.start([], ['--volume-stats-agg-period=2s', '--feature-gates=CSIVolumeHealth=true']);
  try {
    await body();
  } finally {
    await kubelet.kill();
    kubelet.start();
  }
}

describe('statistics of volumes', NEEDS_CLUSTER, () => {
  it('follow what a pod writes, outlast a driver that hangs, and report an abnormal volume', () =>
    withQuickStats(() =>
      withDriver(BOTH_MODES, async ({ cluster, namespace, driver, ready }) => {
        const [pv, raw, made] = [`${namespace}-data`, `${namespace}-raw`, `${namespace}-made`];
        const [volume] = boundVolume(driver, namespace, made) as { spec: object }[];
        const template = {
          accessModes: ['ReadWriteOnce'],
          storageClassName: '',
          volumeName: made,
          resources: { requests: { storage: '16Mi' } },
        };
        await cluster.apply(
          namespace,
          ...boundVolume(driver, namespace, pv),
          ...boundVolume(driver, namespace, raw, { volumeMode: 'Block' }),
          { ...volume, spec: { ...volume?.spec, claimRef: { namespace, name: 'made-data' } } },
          podWith('a', { volume: claimed(pv) }),
          podWith('raw', { volume: claimed(raw), asDevice: true }),
          podWith('made', { volume: { ephemeral: { volumeClaimTemplate: { spec: template } } } }),
        );
        for (const pod of ['a', 'raw', 'made']) await ready(pod);
        const shown = (claim: string, family: string, isRight: (value: number) => boolean) =>
          waitFor(`${family} of "${claim}"`, async () => {
            const value = (await statsOf(cluster, claim))[family];
            return value !== undefined && isRight(value) && { value };
          });
        for (const claim of [pv, raw, 'made-data'])
          await shown(claim, 'capacity_bytes', (bytes) => bytes === 16 * MEBIBYTE);
        const before = await statsOf(cluster, pv);
        assert.deepEqual(Object.keys(before).toSorted(), [
          'available_bytes',
          'capacity_bytes',
          'health_status_abnormal',
          'inodes',
          'inodes_free',
          'inodes_used',
          'used_bytes',
        ]);
        assert.equal(before['health_status_abnormal'], 0);
        const write = ['dd', 'if=/dev/zero', 'of=/data/big', 'bs=1M', 'count=4'];
        await cluster.kubectl('-n', namespace, 'exec', 'a', '--', ...write);
        const grown = (before['used_bytes'] ?? 0) + 4 * MEBIBYTE;
        await shown(pv, 'used_bytes', (bytes) => bytes >= grown);
        await shown(pv, 'inodes_used', (count) => count > (before['inodes_used'] ?? 0));

        driver.trouble(`handle-${pv}`, 'hangs', '');
        await cluster.kubectl('-n', namespace, 'exec', 'made', '--', ...write);
        await shown('made-data', 'used_bytes', (bytes) => bytes >= 4 * MEBIBYTE);
        const startedAtMs = performance.now();
        assert.ok(((await statsOf(cluster, pv))['used_bytes'] ?? 0) >= grown, 'the last numbers stay');
        assert.ok(performance.now() - startedAtMs < 30_000, 'a reader of metrics does not wait');
        // The question under way ends with the driver.
        driver.trouble(`handle-${pv}`, 'hangs', undefined);
        await driver.stop('SIGKILL');
        await driver.launch();

        driver.trouble(`handle-${pv}`, 'abnormal', 'the disk is gone');
        await shown(pv, 'health_status_abnormal', (value) => value === 1);
        await waitFor('the event', async () =>
          (await eventsOf(cluster, namespace, 'Pod')).includes(
            'VolumeConditionAbnormal: Volume data: the disk is gone',
          ),
        );
        await cluster.kubectl('-n', namespace, 'delete', 'pods', '--all', '--timeout=60s');
        await waitFor('the end of the numbers', async () => {
          return Object.keys(await statsOf(cluster, pv)).length === 0;
        });
      }),
    ));

  it('come from the file system where there is no driver', () =>
    withQuickStats(() =>
      withDriver(BOTH_MODES, async ({ cluster, namespace, ready }) => {
        const path = mkdtempSync(join(tmpdir(), 'local-volume-'));
        const pv = `${namespace}-local`;
        const shared = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
        const term = {
          matchFields: [{ key: 'metadata.name', operator: 'In', values: [cluster.nodeName] }],
        };
        try {
          await cluster.apply(
            namespace,
            {
              apiVersion: 'v1',
              kind: 'PersistentVolume',
              metadata: { name: pv, labels: { 'claims-of': namespace } },
              spec: {
                ...shared,
                capacity: { storage: '1Mi' },
                persistentVolumeReclaimPolicy: 'Retain',
                claimRef: { namespace, name: pv },
                local: { path },
                nodeAffinity: { required: { nodeSelectorTerms: [term] } },
              },
            },
            {
              apiVersion: 'v1',
              kind: 'PersistentVolumeClaim',
              metadata: { name: pv },
              spec: { ...shared, volumeName: pv, resources: { requests: { storage: '1Mi' } } },
            },
            podWith('a', { volume: claimed(pv) }),
          );
          await ready('a');
          const stats = await waitFor('the numbers', async () => {
            const found = await statsOf(cluster, pv);
            return Object.keys(found).length > 0 && found;
          });
          const { blocks, bsize } = statfsSync(path);
          assert.equal(stats['capacity_bytes'], blocks * bsize);
          assert.ok((stats['inodes'] ?? 0) >= (stats['inodes_used'] ?? 0));
          assert.equal('health_status_abnormal' in stats, false, 'the driver does not report its condition');
          await cluster.kubectl('-n', namespace, 'delete', 'pod', 'a', '--timeout=60s');
        } finally {
          rmSync(path, { recursive: true });
        }
      }),
    ));
});

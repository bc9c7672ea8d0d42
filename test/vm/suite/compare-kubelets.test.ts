/**
 * The upstream kubelet and ours run the same static pods on cgroup v2, one after the other and each from nothing:
 * every setting of the cgroups of all pods, of the tiers, of pods, sandboxes and containers is the same.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CGROUP_DRIVER, KubeletProcess, type ListedPod } from '../../../scripts/demo/kubelet-process.ts';
import { unmountBelow } from '../../../scripts/demo/unmount-below.ts';
import { podsCgroupName, toCgroupPath } from '../../../src/core/resources/cgroup-names.ts';
import { SHAPES, type Shape } from '../../cluster/cgroup-shapes.ts';
import { IS_UNIFIED } from '../../integration/cgroup-paths.ts';
import { containerdEndpoint, HOST_DIR, isReady } from '../../integration/node.ts';

const UPSTREAM = join(HOST_DIR, 'bin/upstream/kubelet');
/** The cgroup of all pods is the usual one, which must belong to no other kubelet. */
const MAY_RUN = IS_UNIFIED && existsSync(UPSTREAM) && existsSync('/dev/virtio-ports/report');
const ALL_PODS = join('/sys/fs/cgroup', toCgroupPath(podsCgroupName('/'), CGROUP_DRIVER));
const DEADLINE_MS = 600_000;
const SETTLE_MS = 10_000;
const LOOK_MS = 1_000;
/** So few that one processor has enough for what they ask for. */
const AT_ONCE = 8;
/** Writable, but a count or a command rather than a setting. */
const NO_SETTING = /^(cgroup\.(?!max\.)|.*(peak|pressure|reclaim)$)/;

const CONFIGS = {
  reservations: {
    systemReserved: { cpu: '50m', memory: '512Mi', pid: '1000' },
    kubeReserved: { cpu: '50m', memory: '256Mi' },
    podPidsLimit: 512,
  },
  'memory QoS': {
    featureGates: { MemoryQoS: true },
    memoryReservationPolicy: 'TieredReservation',
    memoryThrottlingFactor: 0.8,
  },
  'single processes and free quotas': { singleProcessOOMKill: true, cpuCFSQuota: false },
} as const;

/** `cgroup file` to value. */
type Snapshot = ReadonlyMap<string, string>;

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > deadline) assert.fail(`timed out waiting for ${what}`);
    await delay(LOOK_MS);
  }
}

async function takeSnapshot(
  program: string | undefined,
  config: object,
  shapes: readonly Shape[],
): Promise<Snapshot> {
  const directory = await mkdtemp(join(tmpdir(), 'compared-'));
  const kubelet = new KubeletProcess({
    directory,
    endpoint: containerdEndpoint(),
    nodeName: 'compared',
    ...(program === undefined ? {} : { program }),
    config: { cgroupRoot: '/', evictionHard: { 'memory.available': '50Mi' }, ...config },
  });
  await kubelet.start();
  try {
    for (const { name, manifest } of shapes) await kubelet.writeManifest(`${name}.json`, manifest);
    await until('all pods to be ready', async () => {
      const pods = await kubelet.pods();
      return pods.length === shapes.length && pods.every(isReady);
    });
    await delay(SETTLE_MS);
    const snapshot = await readAll(await kubelet.pods());
    for (const { name } of shapes) await kubelet.removeManifest(`${name}.json`);
    await until('all pods to be gone', async () => (await kubelet.pods()).length === 0);
    return snapshot;
  } catch (error) {
    process.stderr.write(
      `${kubelet.lines
        .slice(-40)
        .map((line) => JSON.stringify(line))
        .join('\n')}\n`,
    );
    throw error;
  } finally {
    await kubelet.stop();
    await removeAll();
    await unmountBelow(directory);
    await rm(directory, { recursive: true, force: true });
  }
}

/** With names in place of what is another for each kubelet. */
async function readAll(pods: readonly ListedPod[]): Promise<Snapshot> {
  const names = new Map(
    pods.flatMap(({ metadata, status }) =>
      [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].map(
        ({ containerID = '', name }) => [
          containerID.replace('containerd://', ''),
          `${metadata.name}/${name}`,
        ],
      ),
    ),
  );
  const toPlain = (path: string): string =>
    path
      .replace(/[0-9a-f]{64}/, (id) => names.get(id) ?? 'sandbox')
      .replace(/[0-9a-f]{8}([-_][0-9a-f]{4}){3}[-_]([0-9a-f]{12})/g, '$2');
  const values = new Map<string, string>();
  for (const directory of await listBelow(ALL_PODS))
    for (const file of await readdir(directory)) {
      const { mode } = await stat(join(directory, file));
      if ((mode & 0o170000) !== 0o100000 || (mode & 0o600) !== 0o600 || NO_SETTING.test(file)) continue;
      const value = await readFile(join(directory, file), 'utf8').catch((error: Error) => error.message);
      values.set(`${toPlain(directory)} ${file}`, value.trim().replaceAll('\n', '; '));
    }
  return values;
}

async function listBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const below = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => listBelow(join(directory, name)));
  return [directory, ...(await Promise.all(below)).flat()];
}

async function removeAll(): Promise<void> {
  const run = promisify(execFile);
  if (CGROUP_DRIVER === 'systemd') await run('systemctl', ['stop', 'kubepods.slice']);
  await run('find', [ALL_PODS, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';']).catch(() => {});
  await until('the cgroup of all pods to be gone', async () => !existsSync(ALL_PODS));
}

function findDifferences(upstream: Snapshot, ours: Snapshot): string[] {
  return [...new Set([...upstream.keys(), ...ours.keys()])]
    .sort()
    .filter((key) => upstream.get(key) !== ours.get(key))
    .map((key) => `${key}: upstream ${upstream.get(key) ?? '(none)'}, ours ${ours.get(key) ?? '(none)'}`);
}

describe('cgroups of both kubelets', {
  skip: !MAY_RUN && 'the upstream kubelet is not here (make upstream-kubelet)',
}, () => {
  for (const [name, config] of Object.entries(CONFIGS))
    for (let first = 0; first < SHAPES.length; first += AT_ONCE)
      it(`are the same with ${name}, pods ${first + 1} to ${first + AT_ONCE}`, async (t) => {
        const shapes = SHAPES.slice(first, first + AT_ONCE);
        const upstream = await takeSnapshot(UPSTREAM, config, shapes);
        const ours = await takeSnapshot(undefined, config, shapes);
        t.diagnostic(`${ours.size} settings of ${shapes.length} pods`);
        assert.ok(ours.size > 0);
        assert.deepEqual(findDifferences(upstream, ours), []);
      });
});

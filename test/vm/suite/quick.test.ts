/**
 * The quick part of `make vm-test`: what only a machine with systemd can show, on one node, whose kubelet is a unit. All pods are made at once; the checks only read, until one kills the kubelet and the last one
 * shuts the node down.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CGROUP_DRIVER } from '../../../scripts/demo/kubelet-process.ts';
import { cgroupDirectory, containerCgroup, IS_UNIFIED } from '../../integration/cgroup-paths.ts';
import { type ClusterNode, withClusterNode } from '../../integration/cluster-node.ts';
import { container, type SamplePod, samplePod } from '../../integration/sample-pods.ts';
import { PodHistory } from '../drive/pod-history.ts';
import { PODS } from '../drive/vm-node.ts';
import { expectLimits, readLimits } from './read-limits.ts';

const HAS_SYSTEMD = existsSync('/run/systemd/system');
const PROGRAM = join(import.meta.dirname, 'as-unit.sh');
const MIB = 2 ** 20;
const CRITICAL = 2_000_001_000;
const WATCHDOG_SECONDS = 60;
const ENDS_MS = 600_000;
/** A program is started for each look, which is slow on an emulated processor. */
const LOOK_MS = 1_000;

const run = async (program: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args)).stdout.trim();
const show = (unit: string, property: string): Promise<string> =>
  run('systemctl', 'show', '--value', `--property=${property}`, '--', unit);

/** Ends one second after it was asked to, and not well: it would have succeeded. */
function pod(name: string, resources: object, priority = 0): SamplePod {
  const command = ['sh', '-c', "trap 'sleep 1; exit 3' TERM; while :; do sleep 0.5; done"];
  return samplePod(name, {
    priority,
    terminationGracePeriodSeconds: 30,
    containers: [container('main', command, { resources })],
  });
}

const all = { cpu: '500m', memory: '64Mi' };
const STEADY = [
  pod('whole', { requests: all, limits: all }, CRITICAL),
  pod('some', { requests: { cpu: '100m', memory: '16Mi' } }),
  pod('none', {}),
];
const NAMES = STEADY.map(({ metadata }) => metadata.name);
// With cgroup v2 the shell would live on if only the process that took the memory were killed.
const GREEDY = samplePod('greedy', {
  restartPolicy: 'Never',
  containers: [
    container('main', ['sh', '-c', IS_UNIFIED ? 'tail /dev/zero; sleep 1000' : 'exec tail /dev/zero'], {
      resources: { limits: { memory: '24Mi' } },
    }),
  ],
});

const uidOf = ({ api }: ClusterNode, name: string): string =>
  String((api.store.get(PODS, name) as { metadata: { uid?: string } }).metadata.uid);

/** What must not change when the kubelet dies: instances, and what the kernel holds them to. */
async function readState(cluster: ClusterNode): Promise<unknown> {
  const limits = await readLimits(cluster.node, `pod${uidOf(cluster, 'whole')}`);
  const instances = NAMES.map((name) => {
    const [main] = cluster.podStatus(name).containerStatuses ?? [];
    return [main?.containerID, main?.restartCount, main?.ready];
  });
  return { limits, instances };
}

async function checkLimits(cluster: ClusterNode): Promise<void> {
  const { node } = cluster;
  const limitsOf = (tier: string, name: string) => readLimits(node, `${tier}pod${uidOf(cluster, name)}`);
  const most = { shares: 512, quotaUs: 50_000, memoryBytes: 64 * MIB, pids: 77 };
  assert.deepEqual(await limitsOf('', 'whole'), expectLimits(most));
  assert.deepEqual(await limitsOf('burstable/', 'some'), expectLimits({ shares: 102, pids: 77 }));
  assert.deepEqual(await limitsOf('besteffort/', 'none'), expectLimits({ shares: 2, pids: 77 }));
  if (!IS_UNIFIED) return;
  const id = cluster.podStatus('whole').containerStatuses?.[0]?.containerID ?? '';
  const pod = cgroupDirectory(node, '', `pod${uidOf(cluster, 'whole')}`);
  const inside = join(pod, containerCgroup(id.replace('containerd://', '')));
  const read = async (name: string) => (await readFile(join(inside, name), 'utf8')).trim();
  assert.equal(await read('memory.max'), String(64 * MIB));
  assert.equal(await read('memory.oom.group'), '1');
}

async function checkWatchdog({ node }: ClusterNode, unit: string): Promise<void> {
  await node.waitForLine(
    'that the unit has started',
    ({ msg }) => msg === 'systemd reports the unit as started',
    60_000,
  );
  assert.equal(await show(unit, 'ActiveState'), 'active');
  const before = await show(unit, 'WatchdogTimestampMonotonic');
  const isFed = async (): Promise<boolean> => {
    await delay(LOOK_MS);
    return (await show(unit, 'WatchdogTimestampMonotonic')) !== before;
  };
  await node.waitFor('the watchdog to be fed', isFed, 60_000);
  assert.equal(await show(unit, 'NRestarts'), '0');
}

async function checkOutOfMemory(cluster: ClusterNode): Promise<void> {
  const { containerStatuses } = await cluster.waitForPod('greedy', 'over', ({ phase }) => phase === 'Failed');
  const { terminated } = containerStatuses?.[0]?.state ?? {};
  assert.deepEqual([terminated?.reason, terminated?.exitCode], ['OOMKilled', 137]);
}

async function checkDeath(cluster: ClusterNode, unit: string): Promise<void> {
  const before = await readState(cluster);
  await run('systemctl', 'daemon-reload');
  const pid = await show(unit, 'MainPID');
  await run('systemctl', 'kill', '--kill-whom=main', '--signal=KILL', '--', unit);
  await cluster.node.waitFor(
    'systemd to start the kubelet again',
    async () => {
      await delay(LOOK_MS);
      return (
        ![pid, '0'].includes(await show(unit, 'MainPID')) && (await show(unit, 'ActiveState')) === 'active'
      );
    },
    60_000,
  );
  await cluster.node.waitFor(
    'the kubelet to answer',
    async () => (await cluster.node.pods()).length >= 3,
    60_000,
  );
  assert.deepEqual(await readState(cluster), before);
}

/** A reboot that is called off at the last moment; resolves to the times of the ends. */
async function checkShutdown(cluster: ClusterNode): Promise<string> {
  const { node } = cluster;
  const hasLock = async (): Promise<boolean> =>
    /Kubelet needs time/.test(await run('systemd-inhibit', '--list', '--no-pager'));
  await node.waitFor('the lock', hasLock, 60_000);
  using history = new PodHistory(cluster);
  const began = Date.now();
  await run('systemctl', 'reboot');
  await node.waitFor('the shutdown to be seen', () => history.nodeWasShuttingDown, 60_000);
  // What logind cannot start when the locks are gone it calls off.
  await run('systemctl', 'mask', '--runtime', 'reboot.target');
  await history.waitForEnds(NAMES, ENDS_MS);
  const message = 'Pod was terminated in response to imminent node shutdown.';
  for (const name of NAMES) {
    const { phase, reason, message: why } = cluster.podStatus(name);
    assert.deepEqual([name, phase, reason, why], [name, 'Failed', 'Terminated', message]);
  }
  const [whole = 0, ...usual] = NAMES.map((name) => history.endOf(name) ?? 0);
  assert.ok(Math.max(...usual) < whole, 'the critical pod ends last');
  await cluster.waitForCondition('Ready', 'True');
  await node.waitFor('the lock to be held again', hasLock, 60_000);
  await run('systemctl', 'unmask', '--runtime', 'reboot.target');
  return history.describe(began);
}

describe(`a node on systemd, ${CGROUP_DRIVER}`, { skip: !HAS_SYSTEMD && 'systemd does not run here' }, () => {
  it('whose kubelet is a unit', async (t) => {
    const unit = `kubelet-${randomBytes(3).toString('hex')}.service`;
    const env = { KUBELET_UNIT: unit, KUBELET_WATCHDOG_SECONDS: String(WATCHDOG_SECONDS) };
    const config = {
      podPidsLimit: 77,
      shutdownGracePeriod: '300s',
      shutdownGracePeriodCriticalPods: '120s',
      nodeStatusUpdateFrequency: '5s',
    };
    await withClusterNode({ program: PROGRAM, env, config }, async (cluster) => {
      for (const one of [...STEADY, GREEDY]) cluster.createPod(one);
      for (const name of NAMES) await cluster.waitRunning(name);
      await t.test('holds pods of each class to their limits', () => checkLimits(cluster));
      await t.test('reports a container that took too much memory as OOMKilled', () =>
        checkOutOfMemory(cluster),
      );
      await t.test('is ready for systemd, which gets its signs of life', () => checkWatchdog(cluster, unit));
      await t.test('loses its kubelet, and no pod notices', () => checkDeath(cluster, unit));
      await t.test(
        'ends its pods in order before a reboot, and goes on when it is called off',
        async (part) => {
          part.diagnostic(`ms after the order: ${await checkShutdown(cluster)}`);
        },
      );
    });
  });
});

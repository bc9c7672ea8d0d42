/**
 * Graceful shutdowns of a node on real systemd: the machine is rebooted and powered off as an operator does it,
 * and what its API server has seen by then is judged out here.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { container, type SamplePod, samplePod } from '../../integration/sample-pods.ts';
import { eventually } from './eventually.ts';
import { PodHistory } from './pod-history.ts';
import { PODS, VmNode } from './vm-node.ts';

const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';
const CRITICAL = 2_000_001_000;
const LOCK_LINE =
  /kubelet\s+0\s+root\s+\d+\s+systemd-inhibit\s+shutdown\s+Kubelet needs time to handle node shutdown\s+delay/;
const DEADLINE_MS = 1_800_000;

/** Ends two seconds after it was asked to; one that ended with 0 would have succeeded. */
function politePod(name: string, priority: number): SamplePod {
  const script = "trap 'sleep 2; exit 3' TERM; while :; do sleep 0.2; done";
  return samplePod(name, {
    priority,
    terminationGracePeriodSeconds: 30,
    containers: [container('main', ['sh', '-c', script])],
  });
}

/** Ends only by force. */
function stubbornPod(name: string, priority: number): SamplePod {
  const script = "trap '' TERM; while :; do sleep 1; done";
  return samplePod(name, {
    priority,
    terminationGracePeriodSeconds: 4,
    containers: [container('main', ['sh', '-c', script])],
  });
}

describe('the shutdown of a node', () => {
  const node = new VmNode();
  const { agent } = node.machine;

  const listLocks = (): Promise<string> => agent.script('COLUMNS=300 systemd-inhibit --list --no-pager');
  const waitForLock = (): Promise<unknown> =>
    eventually('the lock', async () => LOCK_LINE.test(await listLocks()), DEADLINE_MS);
  const mainPid = (): Promise<string> =>
    agent.script('systemctl show --value --property=MainPID kubelet.service');
  /** The one after `pid` that is ready. */
  const waitForKubelet = (pid: string): Promise<unknown> =>
    eventually(
      'the next kubelet',
      async () =>
        ![pid, '0'].includes(await mainPid()) &&
        (await agent.script('systemctl is-active kubelet.service')) === 'active',
      DEADLINE_MS,
    );
  const startAll = async (pods: readonly SamplePod[]): Promise<void> => {
    for (const pod of pods) node.createPod(pod);
    for (const { metadata } of pods) await node.waitReady(metadata.name);
  };
  const removeEnded = (): void => {
    for (const { metadata } of node.pods())
      if (metadata.annotations?.['kubernetes.io/config.mirror'] === undefined)
        node.api.store.delete(PODS, metadata.name, { gracePeriodSeconds: 0 });
  };
  const assertEnded = (name: string): void => {
    const { phase, reason, message, conditions } = node.podStatus(name);
    assert.deepEqual([name, phase, reason, message], [name, 'Failed', 'Terminated', MESSAGE]);
    const target = conditions?.find(({ type }) => type === 'DisruptionTarget');
    assert.deepEqual(
      [target?.status, target?.reason, target?.message],
      ['True', 'TerminationByKubelet', MESSAGE],
    );
  };

  before(async () => {
    await node.start({
      shutdownGracePeriodByPodPriority: [
        { priority: 0, shutdownGracePeriodSeconds: 150 },
        { priority: 1_000, shutdownGracePeriodSeconds: 120 },
        { priority: 2_000_000_000, shutdownGracePeriodSeconds: 100 },
      ],
    });
    await agent.write('/payload/node/manifests/static.json', JSON.stringify(politePod('static', CRITICAL)));
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
  });

  it('by a reboot ends pods by priority, reports all of it first, and gives static pods back', async (t) => {
    await startAll([
      politePod('low', 0),
      stubbornPod('deaf', 1),
      politePod('middle', 1_500),
      politePod('high', CRITICAL),
    ]);
    await node.waitReady('static-vm-node');
    await waitForLock();
    assert.equal(node.nodeCondition('GracefulNodeShutdown')?.status, 'True');
    // The lock is held by a process that outlives the kubelet's.
    const lock = LOCK_LINE.exec(await listLocks())?.[0];
    const pid = await mainPid();
    await agent.script('systemctl kill --kill-whom=main --signal=KILL kubelet.service');
    assert.equal(LOCK_LINE.exec(await listLocks())?.[0], lock);
    await waitForKubelet(pid);
    await waitForLock();

    const bootId = await node.machine.bootId();
    using history = new PodHistory(node);
    const began = Date.now();
    await agent.start('/bin/systemctl', 'reboot');
    await history.waitForEnds(['low', 'deaf', 'middle', 'high'], DEADLINE_MS);
    t.diagnostic(`shutdown by priority, ms after the order: ${history.describe(began)}`);
    for (const name of ['low', 'deaf', 'middle', 'high']) assertEnded(name);
    const [low, deaf, middle, high] = ['low', 'deaf', 'middle', 'high'].map((name) => history.endOf(name));
    assert.ok(Math.max(low ?? 0, deaf ?? 0) < (middle ?? 0), 'the lowest group ends first');
    assert.ok((middle ?? 0) < (high ?? 0), 'the critical group ends last');
    assert.equal(history.nodeWasShuttingDown, true, 'the node was reported as not ready');

    const { version } = node.api.store;
    await eventually('another boot', async () => (await node.machine.bootId()) !== bootId, DEADLINE_MS);
    await node.waitNodeReady(version);
    await node.waitReady('static-vm-node');
    for (const name of ['low', 'deaf', 'middle', 'high']) assertEnded(name);
    const state = JSON.parse(await agent.script('cat /payload/node/root/graceful_node_shutdown_state'));
    assert.ok(Date.parse(state.endTime) >= Date.parse(state.startTime), JSON.stringify(state));
    await startAll([politePod('next', 0)]);
    await waitForLock();
    removeEnded();
  });

  it('in two steps that is called off gives static pods back, takes others again, and holds the lock again', async (t) => {
    await node.configure({ shutdownGracePeriod: '300s', shutdownGracePeriodCriticalPods: '120s' });
    const pid = await mainPid();
    await agent.script('systemctl restart kubelet.service');
    await waitForKubelet(pid);
    await startAll([politePod('usual', 0), politePod('important', 1_500), politePod('critical', CRITICAL)]);
    await node.waitReady('static-vm-node');
    await waitForLock();
    using history = new PodHistory(node);
    const began = Date.now();
    await agent.start('/bin/systemctl', 'reboot');
    await eventually('the shutdown to be seen', () => history.nodeWasShuttingDown, DEADLINE_MS);
    // What logind cannot start when the locks are gone it calls off.
    await agent.script('systemctl mask --runtime reboot.target');
    node.createPod(politePod('late', 0));
    await history.waitForEnds(['usual', 'important', 'critical'], DEADLINE_MS);
    t.diagnostic(`shutdown in two steps, ms after the order: ${history.describe(began)}`);
    for (const name of ['usual', 'important', 'critical']) assertEnded(name);
    const [usual, important, critical] = ['usual', 'important', 'critical'].map((name) =>
      history.endOf(name),
    );
    assert.ok(Math.max(usual ?? 0, important ?? 0) < (critical ?? 0), 'critical pods end last');
    const late = await node.waitForPod('late', 'refused', ({ phase }) => phase === 'Failed');
    assert.deepEqual(
      [late.reason, late.message],
      ['NodeShutdown', 'Pod was rejected: Pod was rejected as the node is shutting down.'],
    );

    await node.waitNodeReady(node.api.store.version);
    await node.waitReady('static-vm-node');
    await waitForLock();
    await startAll([politePod('afterwards', 0)]);
    await agent.script('systemctl unmask --runtime reboot.target');
    removeEnded();
  });

  it('by a power-off reports every pod before the machine is off, and gives static pods back after it', async (t) => {
    await startAll([politePod('one', 0), politePod('two', CRITICAL)]);
    await waitForLock();
    using history = new PodHistory(node);
    const began = Date.now();
    await agent.start('/bin/systemctl', 'poweroff');
    await node.machine.off();
    t.diagnostic(
      `power-off, ms after the order: ${history.describe(began)}, off after ${Date.now() - began}`,
    );
    for (const name of ['one', 'two']) assertEnded(name);
    const restarts = node.podStatus('static-vm-node').containerStatuses?.[0]?.restartCount ?? -1;
    const { version } = node.api.store;
    await node.machine.boot();
    await node.waitNodeReady(version);
    const status = await node.waitReady('static-vm-node');
    assert.ok((status.containerStatuses?.[0]?.restartCount ?? -1) >= restarts);
  });
});

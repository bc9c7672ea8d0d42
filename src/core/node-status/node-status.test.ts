import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SAMPLE_BARE_NODE, SAMPLE_NODE_FACTS, SAMPLE_NOW_MS } from '../../../test/samples/node-samples.ts';
import type { Node } from '../api/node.ts';
import { computeNodeStatus, isNodeReady } from './node-status.ts';
import type { NodeStatusFacts } from './node-status-facts.ts';

const compute = (facts: Partial<NodeStatusFacts> = {}, current: Node = SAMPLE_BARE_NODE) =>
  computeNodeStatus(current, { ...SAMPLE_NODE_FACTS, ...facts }, SAMPLE_NOW_MS);

describe('computeNodeStatus', () => {
  it('fills every field of a bare node', () => {
    const { node, problems } = compute({ volumesInUse: ['b', 'a', 'b'], declaredFeatures: ['Z', 'A'] });
    const { conditions, capacity, allocatable, ...status } = node.status;
    assert.deepEqual(status, {
      addresses: [
        { type: 'InternalIP', address: '10.0.0.7' },
        { type: 'Hostname', address: 'worker-1' },
      ],
      nodeInfo: {
        machineID: 'machine',
        systemUUID: 'system',
        bootID: 'boot-1',
        kernelVersion: '6.1.0-18-amd64',
        osImage: 'Debian GNU/Linux 12 (bookworm)',
        containerRuntimeVersion: 'containerd://2.1.9',
        kubeletVersion: 'v1.36.4+ts.0.1.0',
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      images: [
        { names: ['web@sha256:b', 'web:1'], sizeBytes: 9_000_000 },
        { names: ['pause@sha256:a', 'pause:3.10'], sizeBytes: 300_000 },
      ],
      runtimeHandlers: [
        { name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: false } },
        { name: 'runc', features: { recursiveReadOnlyMounts: true, userNamespaces: true } },
      ],
      features: { supplementalGroupsPolicy: true },
      volumesInUse: ['a', 'b'],
      declaredFeatures: ['A', 'Z'],
    });
    assert.deepEqual(
      conditions?.map(({ type }) => type),
      ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'],
    );
    assert.ok(capacity?.['cpu'] !== undefined && allocatable?.['cpu'] !== undefined);
    assert.deepEqual(node.metadata.labels, { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' });
    assert.ok(isNodeReady(node));
    assert.deepEqual(problems, []);
  });

  it('corrects wrong labels of system and architecture and leaves others', () => {
    const labels = { 'kubernetes.io/os': 'plan9', zone: 'z' };
    const { node } = compute({}, { ...SAMPLE_BARE_NODE, metadata: { name: 'worker-1', labels } });
    assert.deepEqual(node.metadata.labels, {
      'kubernetes.io/os': 'linux',
      zone: 'z',
      'kubernetes.io/arch': 'amd64',
    });
  });

  it('unknown facts keep the current values, and what others wrote stays', () => {
    const first = compute({ volumesInUse: ['v'], declaredFeatures: ['F'] }).node;
    const before: Node = {
      ...first,
      status: { ...first.status, volumesAttached: [{ name: 'v', devicePath: '/dev/x' }] },
    };
    const { node } = compute(
      {
        images: undefined,
        runtime: undefined,
        runtimeHandlers: undefined,
        runtimeFeatures: undefined,
        addresses: { ...SAMPLE_NODE_FACTS.addresses, ips: [], problem: 'no address' },
      },
      before,
    );
    assert.deepEqual(node.status, before.status);
  });

  it('a problem with the addresses is reported and the rest is computed anyway', () => {
    const addresses = { ...SAMPLE_NODE_FACTS.addresses, ips: [], problem: "can't get ip address" };
    const { node, problems } = compute({ addresses });
    assert.deepEqual(problems, ["can't get ip address"]);
    assert.equal(node.status.addresses, undefined);
    assert.equal(node.status.nodeInfo?.bootID, 'boot-1');
  });

  it('swap is published only where there is some', () => {
    const system = { ...SAMPLE_NODE_FACTS.system, swapBytes: 1024 };
    const swapping = compute({ system }).node;
    assert.deepEqual(swapping.status.nodeInfo?.swap, { capacity: 1024 });
    assert.equal(compute({}, swapping).node.status.nodeInfo?.swap, undefined);
  });

  it('a runtime without an answer has the version Unknown', () => {
    const { node } = compute({ runtime: { name: 'containerd', version: undefined } });
    assert.equal(node.status.nodeInfo?.containerRuntimeVersion, 'containerd://Unknown');
  });

  it('another boot id than the stored one is a reboot; the first one is not', () => {
    const first = compute();
    assert.ok(!first.events.some(({ reason }) => reason === 'Rebooted'));
    const system = { ...SAMPLE_NODE_FACTS.system, bootId: 'boot-2' };
    assert.deepEqual(compute({ system }, first.node).events, [
      {
        type: 'Warning',
        reason: 'Rebooted',
        message: 'Node worker-1 has been rebooted, boot id: boot-2',
      },
    ]);
  });

  it('changes of conditions are recorded as events', () => {
    const before = compute().node;
    assert.deepEqual(compute({ problems: { shutdown: 'node is shutting down' } }, before).events, [
      { type: 'Normal', reason: 'NodeNotReady', message: 'Node worker-1 status is now: NodeNotReady' },
    ]);
  });
});

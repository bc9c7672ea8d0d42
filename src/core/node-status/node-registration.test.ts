import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SAMPLE_NODE_FACTS, SAMPLE_NOW_MS } from '../../../test/samples/node-samples.ts';
import type { Node } from '../api/node.ts';
import { computeNodePatch } from './node-patch.ts';
import { type RegistrationSettings, reconcileNode, toInitialNode } from './node-registration.ts';
import type { NodeStatusFacts } from './node-status-facts.ts';

const ATTACH = 'volumes.kubernetes.io/controller-managed-attach-detach';
const SETTINGS: RegistrationSettings = {
  labels: {},
  taints: [],
  providerId: '',
  controllerAttachDetach: true,
};

const initial = (settings: Partial<RegistrationSettings> = {}, facts: Partial<NodeStatusFacts> = {}): Node =>
  toInitialNode({ ...SETTINGS, ...settings }, { ...SAMPLE_NODE_FACTS, ...facts }, SAMPLE_NOW_MS).node;

describe('toInitialNode', () => {
  it('has name, default labels, annotation, no spec of its own and a whole status', () => {
    const node = initial();
    assert.deepEqual(node.metadata, {
      name: 'worker-1',
      labels: {
        'kubernetes.io/hostname': 'worker-1',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'beta.kubernetes.io/arch': 'amd64',
      },
      annotations: { [ATTACH]: 'true' },
    });
    assert.deepEqual(node.spec, {});
    assert.deepEqual([node.apiVersion, node.kind], ['v1', 'Node']);
    assert.equal(node.status?.conditions?.length, 4);
    assert.equal(node.status?.capacity?.['pods'], '110');
  });

  it('labels of the configuration win', () => {
    const node = initial({ labels: { 'kubernetes.io/hostname': 'other', zone: 'z' } });
    assert.equal(node.metadata.labels?.['kubernetes.io/hostname'], 'other');
    assert.equal(node.metadata.labels?.['zone'], 'z');
  });

  it('taints and provider id go into the spec; an external cloud adds its taint last', () => {
    const taint = { key: 'dedicated', value: 'x', effect: 'NoExecute' };
    const cloud = { ...SAMPLE_NODE_FACTS.addresses, externalCloud: true };
    assert.deepEqual(initial({ taints: [taint], providerId: 'cloud:///7' }, { addresses: cloud }).spec, {
      providerID: 'cloud:///7',
      taints: [
        taint,
        { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
      ],
    });
  });

  it('an agent that attaches volumes itself does not have the annotation', () => {
    assert.equal(initial({ controllerAttachDetach: false }).metadata.annotations, undefined);
  });
});

describe('reconcileNode', () => {
  const reconcile = (existing: Node, built: Node = initial(), isRecreated = false): Node =>
    reconcileNode(existing, built, isRecreated);

  it('changes nothing on a node this agent made', () => {
    assert.equal(computeNodePatch(initial(), reconcile(initial())), undefined);
  });

  it('corrects default labels and the annotation; other labels, taints and provider id stay', () => {
    const existing: Node = {
      ...initial(),
      metadata: {
        name: 'worker-1',
        labels: { 'kubernetes.io/hostname': 'old', zone: 'kept' },
        annotations: { note: 'kept' },
      },
      spec: { taints: [] },
    };
    const built = initial({
      labels: { 'topology.kubernetes.io/zone': 'z1', mine: 'x' },
      taints: [{ key: 'a', effect: 'NoSchedule' }],
      providerId: 'p',
    });
    const { metadata, spec } = reconcile(existing, built);
    assert.deepEqual(metadata.labels, {
      'kubernetes.io/hostname': 'worker-1',
      zone: 'kept',
      'topology.kubernetes.io/zone': 'z1',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'amd64',
    });
    assert.deepEqual(metadata.annotations, { note: 'kept', [ATTACH]: 'true' });
    assert.deepEqual(spec, { taints: [] });
  });

  it('a default label configured empty is removed', () => {
    const key = 'node.kubernetes.io/instance-type';
    const existing: Node = { metadata: { name: 'worker-1', labels: { [key]: 'large' } } };
    const built = initial({ labels: { [key]: '' } });
    assert.equal(reconcile(existing, built).metadata.labels?.[key], undefined);
  });

  it('the annotation goes when this agent attaches volumes itself', () => {
    const built = initial({ controllerAttachDetach: false });
    assert.deepEqual(reconcile(initial(), built).metadata.annotations, {});
  });

  it('missing capacity is filled; what is there stays', () => {
    const { status } = reconcile({ metadata: { name: 'worker-1' } });
    assert.equal(status?.capacity?.['cpu'], '4');
    assert.equal(status?.allocatable?.['cpu'], '3500m');
    const kept = reconcile({ metadata: { name: 'worker-1' }, status: { capacity: { cpu: '1' } } });
    assert.equal(kept.status?.capacity?.['cpu'], '1');
  });

  it('devices are counted as gone only on a machine without traces of plugins', () => {
    const list = { cpu: '4', 'x.io/gpu': '2' };
    const existing: Node = { metadata: { name: 'worker-1' }, status: { capacity: list, allocatable: list } };
    assert.equal(reconcile(existing).status?.capacity?.['x.io/gpu'], '2');
    const { status } = reconcile(existing, initial(), true);
    assert.deepEqual([status?.capacity?.['x.io/gpu'], status?.allocatable?.['x.io/gpu']], ['0', '0']);
    assert.equal(status?.capacity?.['cpu'], '4');
  });

  it('huge pages are those of the machine', () => {
    const list = { 'hugepages-2Mi': '64Mi', 'hugepages-16Mi': '0' };
    const existing: Node = { metadata: { name: 'worker-1' }, status: { capacity: list, allocatable: list } };
    for (const found of [reconcile(existing).status?.capacity, reconcile(existing).status?.allocatable])
      assert.deepEqual(found, { 'hugepages-2Mi': '0', 'hugepages-1Gi': '1Gi' });
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { Pod, PodSpec } from '../api/pod.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../api/pod-identity.ts';
import type { AdmissionFacts, AdmittingNode } from './admission-facts.ts';
import { admitPod } from './admit-pod.ts';
import { findNodeWideSysctls } from './check-sysctls.ts';

const NODE: AdmittingNode = {
  name: 'node-1',
  labels: { 'kubernetes.io/os': 'linux', disk: 'ssd', rack: '7' },
  taints: [],
  allocatable: { cpu: '2', memory: '4Gi', 'ephemeral-storage': '10Gi', pods: '3', 'example.com/gpu': '1' },
  supplementalGroupsPolicy: false,
};

function facts(more: Partial<AdmissionFacts> = {}, node: Partial<AdmittingNode> = {}): AdmissionFacts {
  return {
    node: { ...NODE, ...node },
    operatingSystem: 'linux',
    kernelVersion: '5.10.0-x',
    allowedUnsafeSysctls: [],
    appArmorEnabled: false,
    pressures: [],
    declaredFeatures: ['RestartAllContainersOnContainerExits'],
    shuttingDown: false,
    podLevelResources: true,
    others: [],
    ...more,
  };
}

const asking = (requests: Record<string, string>, more: Partial<PodSpec> = {}): Pod =>
  samplePod({ containers: [{ name: 'main', image: 'i', resources: { requests } }], ...more });
const sysctl = (...names: string[]): Partial<PodSpec> => ({
  securityContext: { sysctls: names.map((name) => ({ name, value: '1' })) },
});
const affinity = (...nodeSelectorTerms: unknown[]): Partial<PodSpec> => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const port = (hostPort: number, more: object = {}): Partial<PodSpec> => ({
  containers: [{ name: 'main', image: 'i', ports: [{ containerPort: 80, hostPort, ...more }] }],
});
const asStatic = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { [CONFIG_SOURCE_ANNOTATION]: 'file' } },
});
const room = (resource: string, requested: number, used: number, capacity: number): string =>
  `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;

function refusal(pod: Pod, given: AdmissionFacts): [string, string] | 'admitted' {
  const admission = admitPod(pod, given);
  return admission.ok ? 'admitted' : [admission.reason, admission.message];
}

describe('admitPod', () => {
  it('admits a plain pod, with no victims', () => {
    assert.deepEqual(admitPod(samplePod(), facts()), { ok: true, victims: [] });
  });

  it('counts pods, cpu, memory and the rest against what others hold', () => {
    const others = [asking({ cpu: '1500m', memory: '1Gi' }), asking({ 'example.com/gpu': '1' })];
    const given = facts({ others });
    assert.equal(refusal(asking({ cpu: '500m' }), given), 'admitted');
    assert.deepEqual(refusal(asking({ cpu: '501m' }), given), ['OutOfcpu', room('cpu', 501, 1500, 2000)]);
    assert.deepEqual(refusal(asking({ memory: '4Gi' }), given), [
      'OutOfmemory',
      room('memory', 4 * 2 ** 30, 2 ** 30, 4 * 2 ** 30),
    ]);
    assert.deepEqual(refusal(asking({ 'ephemeral-storage': '11Gi' }), given), [
      'OutOfephemeral-storage',
      room('ephemeral-storage', 11 * 2 ** 30, 0, 10 * 2 ** 30),
    ]);
    assert.deepEqual(refusal(asking({ 'example.com/gpu': '1' }), given), [
      'OutOfexample.com/gpu',
      room('example.com/gpu', 1, 1, 1),
    ]);
    assert.deepEqual(refusal(asking({ 'hugepages-2Mi': '2Mi' }), given), [
      'OutOfhugepages-2Mi',
      room('hugepages-2Mi', 2 ** 21, 0, 0),
    ]);
    assert.equal(refusal(asking({ 'example.com/unknown': '1' }), given), 'admitted');
    const full = facts({ others: [...others, samplePod()] });
    assert.deepEqual(refusal(asking({ cpu: '1' }), full), ['OutOfpods', room('pods', 1, 3, 3)]);
  });

  it('reports cpu, memory and storage first, in that order, then the rest by name', () => {
    const wishes = {
      'hugepages-2Mi': '2Mi',
      'ephemeral-storage': '99Gi',
      memory: '99Gi',
      cpu: '99',
      'hugepages-1Gi': '1Gi',
    };
    const order = ['cpu', 'memory', 'ephemeral-storage', 'hugepages-1Gi', 'hugepages-2Mi'];
    for (const [index, name] of order.entries()) {
      const left = Object.entries(wishes).filter(([key]) => !order.slice(0, index).includes(key));
      assert.equal(refusal(asking(Object.fromEntries(left)), facts())[0], `OutOf${name}`);
    }
  });

  it('a full node still admits pods without requests', () => {
    const others = [asking({ cpu: '3', memory: '9Gi' })];
    assert.equal(refusal(samplePod(), facts({ others })), 'admitted');
    assert.equal(refusal(asking({ cpu: '0', memory: '0' }), facts({ others })), 'admitted');
  });

  it('requires selector and required affinity to match', () => {
    const why = [
      'NodeAffinity',
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ];
    const expressions = (key: string, operator: string, ...values: string[]) =>
      affinity({ matchExpressions: [{ key, operator, values }] });
    const table: [Partial<PodSpec>, boolean][] = [
      [{ nodeSelector: { disk: 'ssd' } }, true],
      [{ nodeSelector: { disk: 'ssd', other: '' } }, false],
      [expressions('disk', 'In', 'hdd', 'ssd'), true],
      [expressions('disk', 'In', 'hdd'), false],
      [expressions('disk', 'NotIn', 'ssd'), false],
      [expressions('none', 'NotIn', 'ssd'), true],
      [expressions('disk', 'Exists'), true],
      [expressions('disk', 'DoesNotExist'), false],
      [expressions('rack', 'Gt', '6'), true],
      [expressions('rack', 'Gt', '7'), false],
      [expressions('rack', 'Lt', '8'), true],
      [expressions('disk', 'Lt', '8'), false],
      [expressions('disk', 'Near', 'ssd'), false],
      [affinity(), false],
      [affinity({}), false],
      [affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }), true],
      [affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-2'] }] }), false],
      [affinity({}, { matchExpressions: [{ key: 'disk', operator: 'Exists' }] }), true],
      [{ affinity: { nodeAffinity: {} } }, true],
    ];
    for (const [spec, fits] of table)
      assert.deepEqual(refusal(samplePod(spec), facts()), fits ? 'admitted' : why, JSON.stringify(spec));
  });

  it('marks a refusal for labels of the node only: they may have changed since', () => {
    const isStale = (spec: Partial<PodSpec>): boolean | undefined => {
      const admission = admitPod(samplePod(spec), facts());
      return admission.ok ? undefined : (admission.mayBeStale ?? false);
    };
    const nodeSelector = { disk: 'new' };
    assert.equal(isStale({ nodeSelector }), true);
    assert.equal(isStale({ nodeSelector, nodeName: 'node-2' }), false);
    assert.equal(isStale({ nodeName: 'node-2' }), false);
    assert.equal(isStale({}), undefined);
  });

  it('refuses pods of another node, taken host ports and taints that are not tolerated', () => {
    assert.deepEqual(refusal(samplePod({ nodeName: 'node-2' }), facts()), [
      'NodeName',
      "Predicate NodeName failed: node(s) didn't match the requested node name",
    ]);
    const others = [samplePod(port(80)), samplePod(port(81, { hostIP: '10.0.0.1' }))];
    const given = facts({ others }, { allocatable: { pods: '9' } });
    const taken = [
      'NodePorts',
      "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    ];
    assert.deepEqual(refusal(samplePod(port(80, { hostIP: '10.0.0.2' })), given), taken);
    assert.deepEqual(refusal(samplePod(port(81)), given), taken);
    assert.equal(refusal(samplePod(port(81, { hostIP: '10.0.0.2' })), given), 'admitted');
    assert.equal(refusal(samplePod(port(80, { protocol: 'UDP' })), given), 'admitted');
    assert.deepEqual(refusal(samplePod(port(81, { hostIP: '0.0.0.0' })), given), taken);
    const [holder] = port(82).containers ?? [];
    const init = (restartPolicy?: 'Always'): Pod =>
      samplePod({
        initContainers: [{ ...holder, name: 'init', ...(restartPolicy && { restartPolicy }) }],
      });
    const beside = (other: Pod) => facts({ others: [other] }, { allocatable: { pods: '9' } });
    assert.deepEqual(refusal(samplePod(port(82)), beside(init('Always'))), taken);
    assert.equal(refusal(samplePod(port(82)), beside(init())), 'admitted');
    assert.deepEqual(refusal(samplePod(port(1)), beside(samplePod(port(1)))), taken);
    assert.equal(refusal(samplePod(port(0)), beside(samplePod(port(0)))), 'admitted');

    const taints = [
      { key: 'off', value: 'yes', effect: 'NoExecute' },
      { key: 'x', effect: 'NoSchedule' },
    ];
    const tainted = facts({}, { taints });
    assert.deepEqual(refusal(samplePod(), tainted), [
      'TaintToleration',
      "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    ]);
    assert.equal(refusal(asStatic(samplePod()), tainted), 'admitted');
    for (const [toleration, fits] of [
      [{ key: 'off', value: 'yes' }, true],
      [{ key: 'off', value: 'no' }, false],
      [{ key: 'off', operator: 'Exists', effect: 'NoExecute' }, true],
      [{ operator: 'Exists', effect: 'NoSchedule' }, false],
      [{ operator: 'Exists' }, true],
    ] as const)
      assert.equal(refusal(samplePod({ tolerations: [toleration] }), tainted) === 'admitted', fits);
  });

  it('refuses pods of another operating system and groups the runtime cannot do', () => {
    const labelled = samplePod({}, { metadata: { labels: { 'kubernetes.io/os': 'windows' } } });
    assert.deepEqual(refusal(labelled, facts()), [
      'PodOSSelectorNodeLabelDoesNotMatch',
      "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    ]);
    // The actual platform counts, not the labels of the node object.
    const mislabelled = facts({}, { labels: { 'kubernetes.io/os': 'windows' } });
    assert.notEqual(refusal(labelled, mislabelled), 'admitted');
    const fitting = samplePod({}, { metadata: { labels: { 'kubernetes.io/os': 'linux' } } });
    assert.equal(refusal(fitting, mislabelled), 'admitted');
    assert.deepEqual(refusal(samplePod({ os: { name: 'windows' } }), facts()), [
      'PodOSNotSupported',
      "Failed to admit pod as the OS field doesn't match node OS",
    ]);
    const strict = samplePod({ securityContext: { supplementalGroupsPolicy: 'Strict' } });
    assert.deepEqual(refusal(strict, facts()), [
      'SupplementalGroupsPolicyNotSupported',
      'SupplementalGroupsPolicy=Strict is not supported in this node',
    ]);
    assert.equal(refusal(strict, facts({}, { supplementalGroupsPolicy: true })), 'admitted');
  });

  it('admits safe sysctls and those the administrator allows, in namespaces of the pod', () => {
    const forbidden = (name: string, why: string) => [
      'SysctlForbidden',
      `forbidden sysctl: "${name}" ${why}`,
    ];
    const given = facts({ allowedUnsafeSysctls: ['kernel.msg*', 'net/core/somaxconn'] });
    assert.equal(
      refusal(samplePod(sysctl('kernel.shm_rmid_forced', 'net.ipv4.tcp_rmem')), given),
      'admitted',
    );
    assert.equal(refusal(samplePod(sysctl('kernel/msgmax', 'net.core.somaxconn')), given), 'admitted');
    assert.deepEqual(
      refusal(samplePod(sysctl('kernel.sem')), given),
      forbidden('kernel.sem', 'not allowlisted'),
    );
    assert.deepEqual(
      refusal(samplePod({ ...sysctl('net.ipv4.tcp_syncookies'), hostNetwork: true }), given),
      forbidden('net.ipv4.tcp_syncookies', 'not allowed with host Net enabled'),
    );
    assert.deepEqual(
      refusal(samplePod({ ...sysctl('kernel.msgmax'), hostIPC: true }), given),
      forbidden('kernel.msgmax', 'not allowed with host IPC enabled'),
    );
    const old = facts({ kernelVersion: '4.14.9' });
    assert.equal(refusal(samplePod(sysctl('net.ipv4.tcp_fin_timeout')), old), 'admitted');
    assert.deepEqual(
      refusal(samplePod(sysctl('net.ipv4.tcp_wmem')), old),
      forbidden('net.ipv4.tcp_wmem', 'not allowlisted'),
    );
  });

  it('under pressure admits critical pods, and under memory pressure also those with requests or tolerations', () => {
    const memory = facts({ pressures: ['MemoryPressure'] });
    const both = facts({ pressures: ['MemoryPressure', 'DiskPressure'] });
    const tolerant = samplePod({
      tolerations: [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists' }],
    });
    assert.deepEqual(refusal(samplePod(), memory), ['Evicted', 'The node had condition: [MemoryPressure]. ']);
    assert.equal(refusal(asking({ cpu: '1' }), memory), 'admitted');
    assert.equal(refusal(tolerant, memory), 'admitted');
    const tolerating = (effect: 'NoSchedule' | 'NoExecute'): Pod =>
      samplePod({
        tolerations: [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect }],
      });
    assert.notEqual(refusal(tolerating('NoExecute'), memory), 'admitted');
    assert.equal(refusal(tolerating('NoSchedule'), memory), 'admitted');
    assert.deepEqual(refusal(tolerant, both), [
      'Evicted',
      'The node had condition: [MemoryPressure DiskPressure]. ',
    ]);
    assert.equal(refusal(asStatic(samplePod()), both), 'admitted');
  });

  it('refuses a pod that needs AppArmor where there is none, unless it already runs', () => {
    const profile = (type: 'Localhost' | 'RuntimeDefault' | 'Unconfined') =>
      samplePod({ securityContext: { appArmorProfile: { type } } });
    const missing = ['AppArmor', 'Cannot enforce AppArmor: AppArmor is not enabled on the host'];
    assert.deepEqual(refusal(profile('RuntimeDefault'), facts()), missing);
    assert.equal(refusal(profile('Unconfined'), facts()), 'admitted');
    assert.equal(
      refusal({ ...profile('RuntimeDefault'), status: { phase: 'Running' } }, facts()),
      'admitted',
    );
    assert.equal(refusal(profile('RuntimeDefault'), facts({ appArmorEnabled: true })), 'admitted');
    assert.deepEqual(refusal(profile('Localhost'), facts({ appArmorEnabled: true })), [
      'AppArmor',
      'Cannot enforce AppArmor: invalid empty AppArmor profile name',
    ]);
  });

  it('refuses features that are off or not declared, and everything while the node shuts down', () => {
    const whole = samplePod({ resources: { requests: { cpu: '1' } } });
    assert.deepEqual(refusal(whole, facts({ podLevelResources: false })), [
      'PodLevelResourcesNotSupported',
      'PodLevelResources feature gate is disabled',
    ]);
    assert.equal(refusal(whole, facts()), 'admitted');
    assert.equal(refusal(samplePod({ resources: {} }), facts({ podLevelResources: false })), 'admitted');
    const hostUsers = samplePod({ hostNetwork: true, hostUsers: false });
    assert.deepEqual(refusal(hostUsers, facts()), [
      'PodFeatureUnsupported',
      'Pod requires node features that are not available: UserNamespacesHostNetworkSupport',
    ]);
    assert.equal(refusal(hostUsers, facts({ declaredFeatures: undefined })), 'admitted');
    assert.deepEqual(refusal(asStatic(samplePod()), facts({ shuttingDown: true })), [
      'NodeShutdown',
      'Pod was rejected as the node is shutting down.',
    ]);
  });

  it('makes room for a critical pod, but does not relax other rules for it', () => {
    const other = asking({ cpu: '2' });
    const critical = asking({ cpu: '1' }, { priority: 2_000_000_000 });
    assert.deepEqual(admitPod(critical, facts({ others: [other] })), {
      ok: true,
      victims: [other],
      shortage: 'cpu',
    });
    const elsewhere = { ...critical, spec: { ...critical.spec, nodeName: 'node-2' } };
    assert.equal(refusal(elsewhere, facts({ others: [other] }))[0], 'NodeName');
    assert.deepEqual(refusal(critical, facts({ others: [asStatic(other)] })), [
      'UnexpectedAdmissionError',
      'Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]',
    ]);
  });
});

describe('findNodeWideSysctls', () => {
  it('names what belongs to no namespace of a pod', () => {
    const namespaced = ['kernel.sem', 'kernel.shm*', 'kernel.msgmax', 'fs.mqueue.*', 'net.*', 'net/ipv4/x'];
    assert.deepEqual(findNodeWideSysctls(namespaced), []);
    assert.deepEqual(findNodeWideSysctls(['kernel.*', 'vm.swappiness']), ['kernel.*', 'vm.swappiness']);
  });
});

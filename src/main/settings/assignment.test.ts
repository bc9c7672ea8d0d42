import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SampleMachineName, sampleMachine } from '../../../test/samples/sample-machines.ts';
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import { AgentError } from '../../base/errors.ts';
import type { MachineLayout } from '../../core/cpus/machine-layout.ts';
import { loadConfiguration } from '../config/load/load-configuration.ts';
import { toAssignment } from './assignment.ts';

function assign(
  config: object,
  name: SampleMachineName = 'laptop',
  change: (layout: MachineLayout) => MachineLayout = (layout) => layout,
) {
  const text = JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: 'unix:///run/x.sock',
    authentication: { webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    featureGates: { CPUManagerPolicyAlphaOptions: true },
    ...config,
  });
  const host = { cwd: '/', readFile: () => text, readDir: () => [] };
  const loaded = loadConfiguration(['--config=/k.yaml'], host);
  if (loaded.kind !== 'loaded') throw new Error(JSON.stringify(loaded));
  const layout = change(sampleMachine(name));
  const capacity = { cpuCount: layout.cpus.length, memoryBytes: 16 * 2 ** 30, ephemeralStorageBytes: 0 };
  return toAssignment(loaded, { layout, capacity, hugepages: [] } as unknown as MachineFacts);
}

const refused = (message: string | RegExp) => (error: unknown) =>
  error instanceof AgentError &&
  (typeof message === 'string' ? error.message === message : message.test(error.message));

describe('toAssignment', () => {
  it('assigns nothing by default', () => {
    const { topology, cpuPolicy, memory, retryMs } = assign({});
    assert.deepEqual([topology.name, cpuPolicy, memory, retryMs], ['none', undefined, undefined, 10_000]);
  });

  it('rounds the reservation up, and takes the CPUs that are named', () => {
    const byAmount = assign({ cpuManagerPolicy: 'static', kubeReserved: { cpu: '1100m' } });
    assert.deepEqual(byAmount.cpuPolicy?.reserved, new Set([0, 4]));
    const named = assign({ cpuManagerPolicy: 'static', reservedSystemCPUs: '2-3' });
    assert.deepEqual(named.cpuPolicy?.reserved, new Set([2, 3]));
  });

  it('refuses what upstream does not start with', () => {
    const cases: readonly [object, string | RegExp][] = [
      [
        { cpuManagerPolicy: 'static' },
        '[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero',
      ],
      [
        { cpuManagerPolicyOptions: { 'full-pcpus-only': 'true' } },
        'new none policy error: None policy: received unsupported options=map[full-pcpus-only:true]',
      ],
      [
        {
          cpuManagerPolicy: 'static',
          kubeReserved: { cpu: '1' },
          topologyManagerPolicy: 'single-numa-node',
          cpuManagerPolicyOptions: { 'align-by-socket': 'true' },
        },
        /single-numa-node policy is incompatible with CPUManager align-by-socket/,
      ],
      [{ cpuManagerPolicy: 'static', reservedSystemCPUs: '99' }, /unknown CPU ID: 99/],
      [
        { memoryManagerPolicy: 'Static', reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }] },
        /the total amount "1Gi" of type "memory" is not equal to the value "100Mi"/,
      ],
    ];
    for (const [config, message] of cases)
      assert.throws(() => assign(config), refused(message), String(message));
  });

  it('keeps what eviction holds back out of the memory of nodes', () => {
    const reservedMemory = [{ numaNode: 0, limits: { memory: '1124Mi' } }];
    const { memory } = assign({
      memoryManagerPolicy: 'Static',
      kubeReserved: { memory: '1Gi' },
      reservedMemory,
    });
    assert.equal(memory?.nodes.get(0)?.tables.get('memory')?.systemReserved, 1124 * 2 ** 20);
  });

  it('takes no more NUMA nodes than the option allows, and none without distances for the closest', () => {
    const many = ({ cpus, nodes: [node] }: MachineLayout): MachineLayout => ({
      cpus,
      nodes: Array.from({ length: 9 }, (_, id) => ({
        memoryBytes: 1,
        hugepages: [],
        ...node,
        id,
        distances: [],
      })),
    });
    const policy = { topologyManagerPolicy: 'best-effort' };
    assert.throws(
      () => assign(policy, 'laptop', many),
      refused('unsupported on machines with more than 8 NUMA Nodes'),
    );
    const more = { 'max-allowable-numa-nodes': '9' };
    assert.equal(
      assign({ ...policy, topologyManagerPolicyOptions: more }, 'laptop', many).numa.nodes.length,
      9,
    );
    const closest = { ...more, 'prefer-closest-numa-nodes': 'true' };
    assert.throws(
      () => assign({ ...policy, topologyManagerPolicyOptions: closest }, 'laptop', many),
      refused(/error getting NUMA distances/),
    );
  });
});

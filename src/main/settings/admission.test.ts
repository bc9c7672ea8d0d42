/** What a node takes, from flags and machine facts to the verdict; on a small machine of its own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import { NodeState } from '../../agent/node/node-state.ts';
import type { Node } from '../../core/api/node.ts';
import type { Pod, PodSpec } from '../../core/api/pod.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load/load-configuration.ts';
import { createAdmit } from './admission.ts';

const GIB = 2 ** 30;

function load(...argv: string[]): LoadedConfiguration {
  const noFiles = (path: string): never => {
    throw new Error(`no such file: ${path}`);
  };
  const outcome = loadConfiguration(argv, {
    cwd: '/',
    cgroupVersion: 2,
    readFile: noFiles,
    readDir: noFiles,
  });
  assert.equal(outcome.kind, 'loaded', JSON.stringify(outcome));
  return outcome as LoadedConfiguration;
}

function admitWith(loaded: LoadedConfiguration, node?: Node, state = new NodeState()) {
  const capacity = { cpuCount: 1, memoryBytes: GIB, ephemeralStorageBytes: 9 * GIB };
  return createAdmit({
    loaded,
    nodeName: 'node-1',
    machine: { capacity, hugepages: [] } as unknown as MachineFacts,
    system: { operatingSystem: 'linux', architecture: 'arm64', kernelVersion: '6.1.0' },
    appArmorEnabled: false,
    supplementalGroupsPolicy: true,
    state,
    readNode: () => node,
  });
}

function pod(spec: Partial<PodSpec> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: { containers: [{ name: 'main', image: 'i' }], ...spec },
  };
}

const reasonOf = (result: ReturnType<ReturnType<typeof createAdmit>>): string =>
  result.ok ? 'admitted' : result.reason;
const asking = (requests: Record<string, string>): Pod =>
  pod({ containers: [{ name: 'main', image: 'i', resources: { requests } }] });

describe('createAdmit', () => {
  it('a small standalone node takes 110 pods that ask for nothing, and no more', () => {
    const admit = admitWith(load());
    const others = Array.from({ length: 109 }, () => pod());
    assert.equal(reasonOf(admit(pod(), others)), 'admitted');
    assert.equal(reasonOf(admit(pod(), [...others, pod()])), 'OutOfpods');
  });

  it('maxPods and podsPerCore lower the count, reservations the room', () => {
    assert.equal(reasonOf(admitWith(load('--max-pods=1'))(pod(), [pod()])), 'OutOfpods');
    assert.equal(reasonOf(admitWith(load('--pods-per-core=1'))(pod(), [pod()])), 'OutOfpods');
    assert.equal(reasonOf(admitWith(load())(asking({ cpu: '1' }), [])), 'admitted');
    const reserved = admitWith(load('--system-reserved=cpu=100m'));
    assert.equal(reasonOf(reserved(asking({ cpu: '1' }), [])), 'OutOfcpu');
  });

  it('without an API object the node has the labels and taints it would bring', () => {
    const admit = admitWith(load('--node-labels=disk=ssd', '--register-with-taints=off=1:NoExecute'));
    const tolerations = [{ operator: 'Exists' as const }];
    const nodeSelector = { disk: 'ssd', 'kubernetes.io/arch': 'arm64', 'kubernetes.io/hostname': 'node-1' };
    assert.equal(reasonOf(admit(pod({ nodeSelector, tolerations }), [])), 'admitted');
    assert.equal(reasonOf(admit(pod({ nodeSelector }), [])), 'TaintToleration');
  });

  it('the API object counts where there is one, with the extended resources others put there', () => {
    const node: Node = {
      metadata: { name: 'node-1', labels: { zone: 'a' } },
      status: { capacity: { 'example.com/gpu': '1' }, allocatable: { 'example.com/gpu': '1' } },
    };
    const admit = admitWith(load('--node-labels=disk=ssd'), node);
    assert.equal(reasonOf(admit(pod({ nodeSelector: { zone: 'a' } }), [])), 'admitted');
    assert.equal(reasonOf(admit(pod({ nodeSelector: { disk: 'ssd' } }), [])), 'NodeAffinity');
    assert.equal(reasonOf(admit(asking({ 'example.com/gpu': '2' }), [])), 'OutOfexample.com/gpu');
  });

  it('does not start with sysctls that would change the whole node', () => {
    assert.throws(() => admitWith(load('--allowed-unsafe-sysctls=vm.*')), {
      code: 'invalid-argument',
      message: 'the sysctls "vm.*" are not known to be namespaced',
    });
  });

  it('looks at what is true of the node when the pod comes', () => {
    const state = new NodeState();
    const admit = admitWith(load(), undefined, state);
    const now = { disk: false, shutdown: undefined as string | undefined };
    state.claim('pressures', () => ({ memory: false, disk: now.disk, pid: false }));
    state.claim('shutdown', () => now.shutdown);
    state.claim('devices', () => [{ name: 'x.io/gpu', capacity: 1, allocatable: 1 }]);
    assert.equal(reasonOf(admit(asking({ 'x.io/gpu': '1' }), [])), 'admitted');
    assert.equal(reasonOf(admit(asking({ 'x.io/gpu': '2' }), [])), 'OutOfx.io/gpu');
    now.disk = true;
    const refused = admit(pod(), []);
    assert.equal(refused.ok ? '' : refused.message, 'The node had condition: [DiskPressure]. ');
    now.disk = false;
    now.shutdown = 'node is shutting down';
    assert.equal(reasonOf(admit(pod(), [])), 'NodeShutdown');
  });
});

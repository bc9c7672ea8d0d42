import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import { loadConfiguration } from '../config/load/load-configuration.ts';
import { findUnusableFeatures } from './node-warnings.ts';

function load(...argv: string[]) {
  const files = { cwd: '/', readFile: () => assert.fail(), readDir: () => assert.fail() };
  const loaded = loadConfiguration(argv, files);
  assert.ok(loaded.kind === 'loaded');
  return loaded;
}

const machine = (version: 1 | 2) => ({ cgroup: { version } }) as unknown as MachineFacts;

describe('findUnusableFeatures', () => {
  it('names MemoryQoS on cgroup v1', () => {
    const on = load('--feature-gates=MemoryQoS=true');
    assert.match(findUnusableFeatures(on, machine(1)).join(), /^Warning: MemoryQoS feature only works/);
    assert.deepEqual(findUnusableFeatures(on, machine(2)), []);
    assert.deepEqual(findUnusableFeatures(load(), machine(1)), []);
  });
});

describe('loadConfiguration', () => {
  it('warns about kubelet cgroups outside of those that are kept for Kubernetes', () => {
    const messages = (...argv: string[]) => load(...argv).warnings.map(({ message }) => message);
    const text = 'unsupported configuration:KubeletCgroups is not within KubeReservedCgroup';
    assert.ok(messages('--kubelet-cgroups=/a', '--kube-reserved-cgroup=/kube').includes(text));
    assert.ok(!messages('--kubelet-cgroups=/kube/let', '--kube-reserved-cgroup=/kube').includes(text));
    assert.ok(!messages('--kubelet-cgroups=/a').includes(text));
  });
});

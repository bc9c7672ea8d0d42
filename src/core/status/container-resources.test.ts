import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { instance } from '../../../test/samples/sample-pods.ts';
import type { ResourceRequirements } from '../api/pod.ts';
import type { LinuxResources } from '../model/observed-pod.ts';
import { computeStatusResources } from './container-resources.ts';

const allocated: ResourceRequirements = {
  requests: { cpu: '100m', memory: '64Mi' },
  limits: { cpu: '200m', memory: '100M' },
};
const inForce: LinuxResources = {
  cpuShares: 102,
  cpuPeriod: 100_000,
  cpuQuota: 20_000,
  memoryLimitBytes: 100_000_000,
};
const running = (resources?: LinuxResources) =>
  instance('main', 'running', { details: resources === undefined ? {} : { resources } });

describe('computeStatusResources', () => {
  it('allocated requests are always shown', () => {
    assert.deepEqual(computeStatusResources(allocated, running()).allocatedResources, allocated.requests);
  });

  it('a container without resources shows an empty set', () => {
    assert.deepEqual(computeStatusResources(undefined, running(inForce)), { resources: {} });
  });

  const same: readonly (readonly [string, ReturnType<typeof running>])[] = [
    [
      'a container that does not run',
      instance('main', 'exited', { details: { resources: { cpuShares: 512 } } }),
    ],
    ['a runtime that reports nothing', running()],
    ['settings that mean the allocated values', running(inForce)],
  ];
  for (const [name, subject] of same) {
    it(`${name} shows the allocated values`, () => {
      assert.deepEqual(computeStatusResources(allocated, subject).resources, allocated);
    });
  }

  it('a running container shows what is in force', () => {
    const actual = { cpuShares: 512, cpuPeriod: 100_000, cpuQuota: 50_000, memoryLimitBytes: 134_217_728 };
    assert.deepEqual(computeStatusResources(allocated, running(actual)).resources, {
      requests: { cpu: '500m', memory: '64Mi' },
      limits: { cpu: '500m', memory: '128Mi' },
    });
  });

  it('values too small for a cgroup are shown as allocated', () => {
    const tiny = { requests: { cpu: '1m' }, limits: { cpu: '5m' } };
    const actual = { cpuShares: 2, cpuPeriod: 100_000, cpuQuota: 1_000 };
    assert.deepEqual(computeStatusResources(tiny, running(actual)).resources, tiny);
  });

  it('a memory-only request does not invent a cpu request', () => {
    const memoryOnly = { requests: { memory: '64Mi' } };
    assert.deepEqual(computeStatusResources(memoryOnly, running({ cpuShares: 2 })).resources, memoryOnly);
  });

  it('the memory request in force comes from the record', () => {
    const record = { requests: { cpu: '1', memory: '32Mi' }, limits: { memory: '1Gi' } };
    assert.deepEqual(computeStatusResources(allocated, running(inForce), record).resources, {
      requests: { cpu: '100m', memory: '32Mi' },
      limits: allocated.limits,
    });
  });

  it('the record stands in for a runtime that reports nothing', () => {
    const record = { requests: { cpu: '50m', memory: '32Mi' }, limits: { cpu: '0.2', memory: '50M' } };
    assert.deepEqual(computeStatusResources(allocated, running(), record).resources, {
      requests: { cpu: '50m', memory: '32Mi' },
      limits: { cpu: '200m', memory: '50M' },
    });
    const ended = instance('main', 'exited');
    assert.deepEqual(computeStatusResources(allocated, ended, record).resources, allocated);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResourceRequirements } from '../api/pod.ts';
import type { ContainerResize } from '../model/actions.ts';
import { toContainerId } from '../model/ids.ts';
import { type CgroupReading, findMemoryProblem, planResize, type ResizeStep } from './plan-resize.ts';

const need = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});
const resize = (name: string, from: ResourceRequirements, to: ResourceRequirements): ContainerResize => ({
  id: toContainerId(`${name}-id`),
  container: { name, image: 'i', resources: to },
  role: 'regular',
  from,
  to,
});
const inShort = (steps: readonly ResizeStep[]): string[] =>
  steps.map((step) =>
    step.kind === 'pod'
      ? `pod ${Object.entries(step.values)
          .map(([key, value]) => `${key}=${value}`)
          .join(' ')}`
      : `${step.resize.container.name} ${step.resources.limits?.['cpu']}/${step.resources.limits?.['memory']}`,
  );
const NOW: CgroupReading = {
  cpuShares: 1024,
  cpuQuotaUs: 100_000,
  cpuPeriodUs: 100_000,
  memoryLimitBytes: 1000,
  memoryUsageBytes: 500,
};
const up = { cpuShares: 2048, cpuQuotaUs: 200_000, cpuPeriodUs: 100_000, memoryLimitBytes: 2000 };
const down = { cpuShares: 512, cpuQuotaUs: 50_000, cpuPeriodUs: 100_000, memoryLimitBytes: 700 };

describe('planResize', () => {
  it('raises the pod before its containers, memory before cpu, the limit before the request', () => {
    const action = { resizes: [resize('a', need('1', '1000'), need('2', '2000'))], wholePod: false };
    assert.deepEqual(inShort(planResize(action, NOW, up)), [
      'pod memoryLimitBytes=2000',
      'a 1/2000',
      'pod cpuQuotaUs=200000 cpuPeriodUs=100000',
      'pod cpuShares=2048',
      'a 2/2000',
    ]);
  });

  it('lowers the pod after its containers, the request before the limit', () => {
    const action = { resizes: [resize('a', need('1', '1000'), need('500m', '700'))], wholePod: false };
    assert.deepEqual(inShort(planResize(action, NOW, down)), [
      'a 1/700',
      'pod memoryLimitBytes=700',
      'a 500m/700',
      'pod cpuShares=512',
      'pod cpuQuotaUs=50000 cpuPeriodUs=100000',
    ]);
  });

  it('takes from one container before it gives to another', () => {
    const resizes = [
      resize('gets', need('1', '100'), need('2', '100')),
      resize('gives', need('2', '100'), need('1', '100')),
    ];
    assert.deepEqual(inShort(planResize({ resizes, wholePod: false }, NOW, NOW)), [
      'gives 1/100',
      'gets 2/100',
    ]);
  });

  it('touches the resource that changes only', () => {
    const action = { resizes: [resize('a', need('1', '100'), need('1', '200'))], wholePod: false };
    assert.deepEqual(inShort(planResize(action, NOW, up)), ['pod memoryLimitBytes=2000', 'a 1/200']);
  });

  it('moves requests alone in the same order, and keeps the limits', () => {
    const asks = (cpu: string, memory: string): ResourceRequirements => ({
      requests: { cpu, memory },
      limits: { cpu: '4', memory: '4000' },
    });
    const requestsOf = (steps: readonly ResizeStep[]): unknown[] =>
      steps.map((step) =>
        step.kind === 'pod'
          ? step.resource
          : [step.kind, step.resize.container.name, step.resources.requests, step.resources.limits],
      );
    const resizes = [
      resize('gets', asks('1', '100'), asks('2', '200')),
      resize('gives', asks('2', '200'), asks('1', '100')),
    ];
    const limits = { cpu: '4', memory: '4000' };
    assert.deepEqual(requestsOf(planResize({ resizes, wholePod: false }, NOW, up)), [
      'memory',
      ['container', 'gives', { cpu: '2', memory: '100' }, limits],
      ['container', 'gets', { cpu: '1', memory: '200' }, limits],
      'cpu',
      'cpu',
      ['container', 'gives', { cpu: '1', memory: '100' }, limits],
      ['container', 'gets', { cpu: '2', memory: '200' }, limits],
    ]);
  });

  it('leaves the pod alone where it has what it should, and memory where only cpu changes', () => {
    const action = { resizes: [resize('a', need('1', '100'), need('2', '100'))], wholePod: false };
    assert.deepEqual(inShort(planResize(action, NOW, NOW)), ['a 2/100']);
    assert.deepEqual(inShort(planResize(action, NOW, { ...NOW, memoryLimitBytes: 5 })), ['a 2/100']);
    assert.deepEqual(inShort(planResize({ resizes: [], wholePod: true }, NOW, NOW)), []);
  });

  it('compares quotas as shares of their periods', () => {
    const whole = { resizes: [], wholePod: true };
    const half = { cpuShares: 1024, cpuQuotaUs: 100_000, cpuPeriodUs: 200_000, memoryLimitBytes: 1000 };
    assert.deepEqual(inShort(planResize(whole, NOW, half)), ['pod cpuQuotaUs=100000 cpuPeriodUs=200000']);
    const same = { cpuShares: 1024, cpuQuotaUs: 200_000, cpuPeriodUs: 200_000, memoryLimitBytes: 1000 };
    assert.deepEqual(inShort(planResize(whole, NOW, same)), []);
  });

  it('sets both for the whole pod', () => {
    assert.deepEqual(inShort(planResize({ resizes: [], wholePod: true }, NOW, down)), [
      'pod memoryLimitBytes=700',
      'pod cpuShares=512',
      'pod cpuQuotaUs=50000 cpuPeriodUs=100000',
    ]);
  });

  it('sets a new limit of the pod after those of the containers; one that is removed stays', () => {
    const action = { resizes: [resize('a', {}, need('1', '100'))], wholePod: false };
    const bare = { cpuShares: 512 };
    assert.deepEqual(inShort(planResize(action, bare, down)), [
      'a undefined/100',
      'pod memoryLimitBytes=700',
      'a 1/100',
      'pod cpuQuotaUs=50000 cpuPeriodUs=100000',
    ]);
    assert.deepEqual(inShort(planResize({ resizes: [], wholePod: true }, NOW, { cpuShares: 1024 })), []);
  });

  it('changes containers alone where pods have no cgroup', () => {
    const action = { resizes: [resize('a', need('1', '100'), need('2', '100'))], wholePod: true };
    assert.deepEqual(inShort(planResize(action, undefined, up)), ['a 2/100']);
  });
});

describe('findMemoryProblem', () => {
  const shrink = { resizes: [resize('a', need('1', '1000'), need('1', '400'))], wholePod: false };
  const usages = (bytes: number) => new Map([['a', bytes]]);

  it('allows memory to shrink that is not in use', () => {
    assert.equal(findMemoryProblem(shrink, NOW, down, usages(300)), undefined);
    assert.equal(findMemoryProblem(shrink, NOW, down, new Map()), undefined);
  });

  it('names the container that uses more, and the pod', () => {
    assert.equal(
      findMemoryProblem(shrink, NOW, down, usages(400)),
      'cannot decrease memory limits: attempting to set container "a" memory limit (400) below current usage (400)',
    );
    assert.equal(
      findMemoryProblem(shrink, { ...NOW, memoryUsageBytes: 700 }, down, usages(450)),
      'cannot decrease memory limits: [attempting to set pod memory limit (700) below current usage (700), attempting to set container "a" memory limit (400) below current usage (450)]',
    );
  });

  it('does not reduce memory when the usage is unknown', () => {
    const { memoryUsageBytes: _, ...unknown } = NOW;
    assert.equal(
      findMemoryProblem(shrink, unknown, down, new Map()),
      'cannot decrease memory limits: missing pod memory usage',
    );
  });

  it('checks a new limit and the pod as a whole, and no limit that stays or is removed', () => {
    const limited = { resizes: [resize('a', {}, need('1', '400'))], wholePod: false };
    assert.match(findMemoryProblem(limited, NOW, NOW, usages(400)) ?? '', /container "a" memory limit/);
    const same = { resizes: [resize('a', need('1', '400'), need('2', '400'))], wholePod: false };
    assert.equal(findMemoryProblem(same, NOW, down, usages(900)), undefined);
    const full = { ...NOW, memoryUsageBytes: 900 };
    assert.equal(findMemoryProblem(same, full, down, new Map()), undefined);
    const whole = { resizes: [], wholePod: true };
    assert.match(findMemoryProblem(whole, full, down, new Map()) ?? '', /pod memory limit \(700\)/);
    assert.equal(findMemoryProblem(whole, full, { ...down, memoryLimitBytes: 1000 }, new Map()), undefined);
    assert.equal(findMemoryProblem(whole, full, { cpuShares: 2 }, new Map()), undefined);
    assert.equal(findMemoryProblem(whole, undefined, down, new Map()), undefined);
  });

  it('checks nothing when no limit falls', () => {
    const grow = { resizes: [resize('a', need('1', '100'), need('1', '1000'))], wholePod: false };
    assert.equal(findMemoryProblem(grow, { ...NOW, memoryUsageBytes: 5000 }, up, usages(5000)), undefined);
  });
});

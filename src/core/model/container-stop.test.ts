import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { instance, NOW_MS, samplePod, sidecar } from '../../../test/samples/sample-pods.ts';
import type { Container } from '../api/pod.ts';
import { toContainerStop, toPodStop } from './container-stop.ts';
import { podMembers } from './pod-containers.ts';
import type { Termination } from './termination.ts';

const main: Container = { name: 'main', image: 'app:1' };
const debug: Container = { name: 'debug', image: 'debug:1' };
const all = samplePod({
  initContainers: [sidecar('a'), { name: 'init' }, sidecar('b')],
  containers: [main, { name: 'helper' }],
  ephemeralContainers: [debug],
});

describe('podMembers', () => {
  it('lists containers in start order with their parts', () => {
    assert.deepEqual(
      podMembers(all).map(({ container, role }) => `${container.name} ${role}`),
      ['a sidecar', 'init init', 'b sidecar', 'main regular', 'helper regular', 'debug ephemeral'],
    );
  });
});

describe('toContainerStop', () => {
  const member = { container: main, role: 'regular' } as const;
  const probe = { terminationGracePeriodSeconds: 7 };
  const rows: [string, spec: number | undefined, deletion: number | undefined, probe: boolean, number][] = [
    ['of the deletion', 30, 5, false, 5],
    ['of the deletion, before the probe', 30, 5, true, 5],
    ['of zero seconds of the deletion', 30, 0, false, 0],
    ['of the probe, before the pod', 30, undefined, true, 7],
    ['of the pod', 30, undefined, false, 30],
    ['of 2 s when nothing says one', undefined, undefined, false, 2],
  ];
  for (const [criterion, spec, deletion, byProbe, expected] of rows) {
    it(`takes the grace ${criterion}`, () => {
      const pod = samplePod(spec === undefined ? {} : { terminationGracePeriodSeconds: spec }, {
        metadata: deletion === undefined ? {} : { deletionGracePeriodSeconds: deletion },
      });
      const reason = { message: 'why', ...(byProbe ? { probe } : {}) };
      assert.equal(toContainerStop(pod, member, instance('main', 'running'), reason).graceSeconds, expected);
    });
  }

  it('carries message and hook, and waits for nothing', () => {
    const preStop = { sleep: { seconds: 3 } };
    const hooked = { container: { ...main, lifecycle: { preStop } }, role: 'regular' } as const;
    assert.deepEqual(toContainerStop(samplePod(), hooked, instance('main', 'running'), { message: 'why' }), {
      id: 'main-1',
      name: 'main',
      role: 'regular',
      graceSeconds: 2,
      message: 'why',
      preStop,
      after: [],
    });
  });
});

describe('toPodStop', () => {
  const running = ['a', 'init', 'b', 'main', 'helper', 'debug'].map((name) => instance(name, 'running'));

  it('lets sidecars wait for main containers and for the sidecars after them', () => {
    const after = toPodStop(all, running, undefined).map(({ name, after: ids }) => [name, ids]);
    assert.deepEqual(after, [
      ['a', ['b-1', 'main-1', 'helper-1']],
      ['init', []],
      ['b', ['main-1', 'helper-1']],
      ['main', []],
      ['helper', []],
      ['debug', []],
    ]);
  });

  it('lets a sidecar wait for the one right after it', () => {
    const pod = samplePod({ initContainers: [sidecar('a'), sidecar('b')], containers: [main] });
    const after = toPodStop(pod, running, undefined).filter(({ name }) => name === 'a' || name === 'b');
    assert.deepEqual(
      after.map(({ after: ids }) => ids),
      [['b-1', 'main-1'], ['main-1']],
    );
  });

  it('waits only for what is stopped with it', () => {
    const [stop] = toPodStop(all, [instance('a', 'running')], undefined);
    assert.deepEqual(stop?.after, []);
  });

  it('uses the grace of the termination for all, before any other', () => {
    const termination: Termination = { cause: 'evicted', requestedAtMs: NOW_MS, graceSeconds: 4 };
    const pod = samplePod(all.spec, { metadata: { deletionGracePeriodSeconds: 9 } });
    assert.ok(toPodStop(pod, running, termination).every(({ graceSeconds }) => graceSeconds === 4));
  });

  it('uses the grace of the pod when the termination brings none', () => {
    const pod = samplePod({ ...all.spec, terminationGracePeriodSeconds: 12 });
    const [stop] = toPodStop(pod, running, { cause: 'completed', requestedAtMs: NOW_MS });
    assert.deepEqual([stop?.graceSeconds, stop?.message], [12, 'Stopping container a']);
  });

  it('stops what the spec does not name, without message', () => {
    const [stop] = toPodStop(all, [instance('stranger', 'running')], undefined);
    assert.deepEqual([stop?.name, stop?.message, stop?.after], ['stranger', undefined, []]);
  });
});

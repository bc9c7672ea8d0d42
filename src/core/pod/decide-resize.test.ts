import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inShort, instanceOf, podFacts, podFailure } from '../../../test/samples/sample-facts.ts';
import {
  instance,
  NOW_MS,
  observe,
  probeResults,
  samplePod,
  sidecar,
} from '../../../test/samples/sample-pods.ts';
import type { Container, Pod, ResourceRequirements } from '../api/pod.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../api/pod-identity.ts';
import type { GrantedResources } from '../model/granted-resources.ts';
import type { LinuxResources } from '../model/observed-pod.ts';
import { containersOf } from '../model/pod-containers.ts';
import { decidePod } from './decide-pod.ts';
import { isResizeInProgress, type ResizeFacts } from './decide-resize.ts';

const SMALL: ResourceRequirements = {
  requests: { cpu: '100m', memory: '64Mi' },
  limits: { cpu: '200m', memory: '128Mi' },
};
const BIG: ResourceRequirements = {
  requests: { cpu: '200m', memory: '128Mi' },
  limits: { cpu: '400m', memory: '256Mi' },
};
const gates = { podLevel: true, initContainers: true };
const had = (containers: GrantedResources['containers'], pod?: ResourceRequirements): ResizeFacts => ({
  actuated: { containers, ...(pod !== undefined && { pod }) },
  gates,
});
const restarting = (resourceName: string) => ({
  resizePolicy: [{ resourceName, restartPolicy: 'RestartContainer' }],
});
const main = (more: Partial<Container> = {}): Container => ({
  name: 'main',
  image: 'app:1',
  resources: BIG,
  ...more,
});

function plan(pod: Pod, resize: ResizeFacts, more: Parameters<typeof podFacts>[0] = {}) {
  const all = containersOf(pod);
  const observed = observe(all.map((container) => instanceOf(container, 'running')));
  return decidePod(podFacts({ pod, observed, resize, ...more }));
}

describe('decidePod about resources', () => {
  const table: readonly (readonly [string, Container, ResourceRequirements, string[]])[] = [
    ['leaves what has what it was granted', main(), BIG, []],
    [
      'leaves what has it in other words',
      main(),
      { ...BIG, requests: { cpu: '0.2', memory: '134217728' } },
      [],
    ],
    ['changes a running container in place', main(), SMALL, ['resize main']],
    [
      'changes requests alone in place',
      main(),
      { ...BIG, requests: { cpu: '100m', memory: '128Mi' } },
      ['resize main'],
    ],
    [
      'changes memory alone in place',
      main(),
      { ...BIG, requests: { cpu: '200m', memory: '64Mi' } },
      ['resize main'],
    ],
    [
      'changes a limit of memory alone in place',
      main(),
      { ...BIG, limits: { cpu: '400m', memory: '128Mi' } },
      ['resize main'],
    ],
    [
      'changes a limit of cpu alone in place',
      main(),
      { ...BIG, limits: { cpu: '200m', memory: '256Mi' } },
      ['resize main'],
    ],
    [
      'restarts where the policy says so',
      main(restarting('memory')),
      SMALL,
      ['stop main', 'resize', 'start main'],
    ],
    [
      'does not restart for a resource that stays',
      main(restarting('memory')),
      { requests: { ...BIG.requests, cpu: '100m' }, limits: { ...BIG.limits, cpu: '200m' } },
      ['resize main'],
    ],
    [
      'takes the policy NotRequired for what it is',
      main({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
      SMALL,
      ['resize main'],
    ],
  ];
  for (const [name, container, actuated, expected] of table) {
    it(name, () => {
      const { actions } = plan(samplePod({ containers: [container] }), had({ main: actuated }));
      assert.deepEqual(inShort(actions), expected);
    });
  }

  it('says why a container restarts', () => {
    const { actions } = plan(samplePod({ containers: [main(restarting('cpu'))] }), had({ main: SMALL }));
    const [stop] = actions;
    assert.ok(stop?.kind === 'stop-containers');
    assert.equal(stop.stops[0]?.message, 'Container main resize requires restart');
  });

  it('has from and to in the action', () => {
    const [action] = plan(samplePod({ containers: [main()] }), had({ main: SMALL })).actions;
    assert.ok(action?.kind === 'resize-pod');
    assert.equal(action.wholePod, false);
    assert.deepEqual(
      action.resizes.map(({ from, to }) => [from, to]),
      [[SMALL, BIG]],
    );
  });

  it('resizes nothing of a static pod', () => {
    const metadata = { annotations: { [CONFIG_SOURCE_ANNOTATION]: 'file' } };
    const pod = samplePod({ containers: [main()] }, { metadata });
    assert.deepEqual(plan(pod, had({ main: SMALL })).actions, []);
  });

  it('resizes sidecars that have started, and init containers only with the gate', () => {
    const side = sidecar('side', { resources: BIG, startupProbe: {} });
    const pod = samplePod({ initContainers: [side], containers: [main({ resources: SMALL })] });
    const resize = had({ side: SMALL, main: SMALL });
    const probes = probeResults({ 'startup/side-1': 'success' });
    assert.deepEqual(inShort(plan(pod, resize, { probes }).actions), ['resize side']);
    assert.deepEqual(inShort(plan(pod, resize).actions), []);
    const init = samplePod({ initContainers: [{ name: 'init', image: 'i', resources: BIG }] });
    const observed = observe([instance('init', 'running')]);
    const facts = podFacts({ pod: init, observed, resize: had({ init: SMALL }) });
    assert.deepEqual(inShort(decidePod(facts).actions), ['resize init']);
    const without = { ...had({ init: SMALL }), gates: { podLevel: true, initContainers: false } };
    assert.deepEqual(inShort(decidePod({ ...facts, resize: without }).actions), []);
  });

  it('a container that starts with other resources updates the cgroup of the pod too', () => {
    const pod = samplePod({ containers: [main(), { name: 'other', image: 'app:1' }] });
    const [first, second] = pod.spec.containers;
    assert.ok(first && second);
    const observed = observe([instanceOf(second, 'running')]);
    const resize = had({ main: SMALL, other: {} });
    assert.deepEqual(inShort(decidePod(podFacts({ pod, observed, resize })).actions), [
      'resize',
      'start main',
    ]);
    const cpuOnly = had({ main: { ...BIG, requests: { cpu: '100m', memory: '128Mi' } }, other: {} });
    assert.deepEqual(inShort(decidePod(podFacts({ pod, observed, resize: cpuOnly })).actions)[0], 'resize');
    const unrecorded = had({ other: {} });
    assert.deepEqual(inShort(decidePod(podFacts({ pod, observed, resize: unrecorded })).actions), [
      'start main',
    ]);
    const same = had({ main: BIG, other: {} });
    assert.deepEqual(inShort(decidePod(podFacts({ pod, observed, resize: same })).actions), ['start main']);
  });

  it('other limits of the pod reach the containers that have none of their own', () => {
    const pod = samplePod({
      containers: [main({ resources: {} }), main({ name: 'own', resources: SMALL })],
      resources: BIG,
    });
    const [action] = plan(pod, had({ main: { limits: SMALL.limits ?? {} }, own: SMALL }, SMALL)).actions;
    assert.ok(action?.kind === 'resize-pod' && action.wholePod);
    assert.deepEqual(
      action.resizes.map(({ container, to }) => [container.name, to]),
      [['main', { limits: BIG.limits }]],
    );
    const half = samplePod({
      containers: [main({ resources: { limits: { cpu: '1' } } })],
      resources: { limits: { memory: '1Gi' } },
    });
    const [other] = plan(
      half,
      had({ main: { limits: { cpu: '1' } } }, { limits: { memory: '2Gi' } }),
    ).actions;
    assert.ok(other?.kind === 'resize-pod' && other.wholePod);
    assert.deepEqual(
      other.resizes.map(({ to }) => to.limits),
      [{ cpu: '1', memory: '1Gi' }],
    );
  });

  it('a failed resize waits for its retry and delays nothing else', () => {
    const failing = { resizeFailure: podFailure('resize-pod', NOW_MS - 1_000) };
    const pod = samplePod({ containers: [main()] });
    const waiting = plan(pod, had({ main: SMALL }), failing);
    assert.deepEqual([waiting.actions, waiting.wakeAtMs], [[], NOW_MS + 9_000]);
    const due = { resizeFailure: podFailure('resize-pod', NOW_MS - 10_000) };
    assert.deepEqual(inShort(plan(pod, had({ main: SMALL }), due).actions), ['resize main']);
  });

  it('without a record the report of the runtime counts, and nothing restarts for it', () => {
    const pod = samplePod({ containers: [main(restarting('cpu'))] });
    const [container] = pod.spec.containers;
    assert.ok(container);
    const running = (resources?: LinuxResources) =>
      observe([instanceOf(container, 'running', { details: resources === undefined ? {} : { resources } })]);
    const none: ResizeFacts = { actuated: undefined, gates };
    const same = { cpuShares: 204, cpuQuota: 40_000, cpuPeriod: 100_000, memoryLimitBytes: 268_435_456 };
    const decide = (resources?: LinuxResources) =>
      inShort(decidePod(podFacts({ pod, observed: running(resources), resize: none })).actions);
    assert.deepEqual(decide(), []);
    assert.deepEqual(decide(same), []);
    assert.deepEqual(decide({ ...same, cpuQuota: 20_000 }), ['resize main']);
  });
});

describe('isResizeInProgress', () => {
  const pod = samplePod({ containers: [main()], resources: BIG });
  const running = observe([instance('main', 'running')]);
  const cases: readonly (readonly [string, boolean, ResizeFacts, typeof running])[] = [
    ['a running container has less', true, had({ main: SMALL }, BIG), running],
    ['all is in force', false, had({ main: BIG }, BIG), running],
    ['a container that does not run has less', false, had({ main: SMALL }, BIG), observe([])],
    ['the pod has less', true, had({ main: BIG }, SMALL), running],
  ];
  for (const [name, expected, facts, observed] of cases) {
    it(`${expected ? 'true' : 'false'} when ${name}`, () => {
      assert.equal(isResizeInProgress(pod, observed, facts), expected);
    });
  }
});

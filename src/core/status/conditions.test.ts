import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ended,
  exited,
  instance,
  NOW,
  NOW_MS,
  observe,
  published,
  RUNNING,
  samplePod,
  sandbox,
  sidecar,
  WAITING,
} from '../../../test/samples/sample-pods.ts';
import type { Container } from '../api/pod.ts';
import type { PodCondition, PodStatus } from '../api/pod-status.ts';
import { type ConditionFacts, computeConditions, withTransitionTime } from './conditions.ts';

const EARLIER = '2026-01-01T00:00:00Z';
const ready = published('main', RUNNING, { ready: true, started: true });
const unready = published('main', RUNNING, { started: true });

function compute(more: Partial<ConditionFacts> = {}): PodCondition[] {
  return computeConditions({
    pod: samplePod(),
    observed: observe([instance('main', 'running')]),
    old: undefined,
    phase: 'Running',
    statuses: { init: [], regular: [ready] },
    restartingAll: false,
    ended: false,
    nowMs: NOW_MS,
    ...more,
  });
}

function finding(type: string, more: Partial<ConditionFacts> = {}) {
  const condition = compute(more).find((candidate) => candidate.type === type);
  if (condition === undefined) return undefined;
  const { status, reason, message } = condition;
  return {
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

const TRUE = { status: 'True' };
const no = (reason?: string, message?: string) => ({
  status: 'False',
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
});

describe('computeConditions', () => {
  it('publishes the own conditions in order, with generation and time', () => {
    const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
    assert.deepEqual(
      compute({ pod: samplePod({}, { metadata: { generation: 3 } }) }),
      types.map((type) => ({ type, status: 'True', observedGeneration: 3, lastTransitionTime: NOW })),
    );
  });

  it('conditions of others come first and untouched, own ones of the API are recomputed', () => {
    const foreign: PodCondition = { type: 'example.com/x', status: 'False', lastTransitionTime: EARLIER };
    const pod = samplePod({}, { status: { conditions: [foreign, { type: 'Ready', status: 'False' }] } });
    const conditions = compute({ pod });
    assert.deepEqual(conditions[0], foreign);
    assert.equal(conditions.filter(({ type }) => type === 'Ready').length, 1);
    assert.equal(finding('Ready', { pod })?.status, 'True');
  });

  it('DisruptionTarget is carried over and beats that of the API', () => {
    const pod = samplePod(
      {},
      { status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'Other' }] } },
    );
    const old: PodStatus = {
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
    };
    assert.equal(finding('DisruptionTarget', { pod, old })?.reason, 'TerminationByKubelet');
    assert.equal(finding('DisruptionTarget', { pod })?.reason, 'Other');
  });

  it('a condition brought by an early end is added with the time of its first appearance', () => {
    const added: PodCondition[] = [
      { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' },
    ];
    const first = compute({ added });
    assert.equal(first[0]?.lastTransitionTime, NOW);
    const second = compute({ added, old: { conditions: first }, nowMs: NOW_MS + 60_000 });
    assert.deepEqual(second[0], first[0]);
  });

  it('resize conditions are shown until everything has ended', () => {
    const resize: PodCondition[] = [{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }];
    assert.deepEqual(finding('PodResizePending', { resize }), { status: 'True', reason: 'Deferred' });
    assert.equal(finding('PodResizePending', { resize, ended: true }), undefined);
  });
});

describe('PodReadyToStartContainers', () => {
  it('is true exactly while the sandbox can be kept', () => {
    assert.deepEqual(finding('PodReadyToStartContainers'), TRUE);
    assert.deepEqual(finding('PodReadyToStartContainers', { observed: observe([], []) }), no());
    const stopped = observe([], [sandbox({ ready: false })]);
    assert.deepEqual(finding('PodReadyToStartContainers', { observed: stopped }), no());
  });
});

describe('Initialized', () => {
  const names = ['a', 'b', 'side'];
  const pod = samplePod({ initContainers: [{ name: 'a' }, { name: 'b' }, sidecar('side')] });
  const done = [
    published('a', ended(0), { ready: true }),
    published('b', ended(0), { ready: true }),
    published('side', RUNNING, { started: true }),
  ];
  const waiting = [published('main', WAITING)];
  const open = names.map((name) => published(name, WAITING));
  const notInitialized = (message: string) => no('ContainersNotInitialized', message);
  const cases: readonly (readonly [string, Partial<ConditionFacts>, object])[] = [
    ['no init containers', { pod: samplePod(), statuses: { init: [], regular: waiting } }, TRUE],
    [
      'no init containers in a pod that succeeded',
      { pod: samplePod(), phase: 'Succeeded', statuses: { init: [], regular: waiting } },
      { status: 'True', reason: 'PodCompleted' },
    ],
    ['no init containers and nothing known', { pod: samplePod(), statuses: undefined }, TRUE],
    ['all done', { statuses: { init: done, regular: waiting } }, TRUE],
    [
      'some incomplete',
      { statuses: { init: open, regular: waiting } },
      notInitialized('containers with incomplete status: [a b side]'),
    ],
    [
      'some unknown, some incomplete',
      { statuses: { init: open.slice(2), regular: waiting } },
      notInitialized('containers with unknown status: [a b], containers with incomplete status: [side]'),
    ],
    ['a regular container runs', { statuses: { init: open, regular: [ready] } }, TRUE],
    [
      'a regular container has run',
      { statuses: { init: open, regular: [published('main', ended(1))] } },
      TRUE,
    ],
    [
      'succeeded',
      { phase: 'Succeeded', statuses: { init: open, regular: waiting } },
      { status: 'True', reason: 'PodCompleted' },
    ],
    [
      'it was before',
      {
        old: { conditions: [{ type: 'Initialized', status: 'True' }] },
        statuses: { init: open, regular: waiting },
      },
      TRUE,
    ],
    [
      'it was not before, though something else was',
      {
        old: {
          conditions: [
            { type: 'Initialized', status: 'False' },
            { type: 'Ready', status: 'True' },
          ],
        },
        statuses: { init: open, regular: waiting },
      },
      notInitialized('containers with incomplete status: [a b side]'),
    ],
    ['nothing is known', { statuses: undefined }, no('UnknownContainerStatuses')],
  ];
  for (const [name, facts, expected] of cases) {
    it(name, () => assert.deepEqual(finding('Initialized', { pod, phase: 'Pending', ...facts }), expected));
  }
});

describe('ContainersReady', () => {
  const pod = samplePod({ initContainers: [{ name: 'init' }, sidecar('side')] });
  const init = [published('init', RUNNING), published('side', RUNNING, { ready: true })];
  const cases: readonly (readonly [string, Partial<ConditionFacts>, object])[] = [
    ['all regular containers and sidecars ready', { statuses: { init, regular: [ready] } }, TRUE],
    [
      'an unready sidecar and an unready container',
      { statuses: { init: [published('side', RUNNING)], regular: [unready] } },
      no('ContainersNotReady', 'containers with unready status: [side main]'),
    ],
    [
      'a container without status',
      { statuses: { init, regular: [] } },
      no('ContainersNotReady', 'containers with unknown status: [main]'),
    ],
    ['succeeded', { phase: 'Succeeded', statuses: { init, regular: [unready] } }, no('PodCompleted')],
    ['failed', { phase: 'Failed', statuses: { init, regular: [ready] } }, no('PodFailed')],
    ['nothing is known', { statuses: undefined }, no('UnknownContainerStatuses')],
  ];
  for (const [name, facts, expected] of cases) {
    it(name, () => {
      assert.deepEqual(finding('ContainersReady', { pod, ...facts }), expected);
      assert.deepEqual(finding('Ready', { pod, ...facts }), expected);
    });
  }
});

describe('Ready with readiness gates', () => {
  const gates = ['x', 'y'].map((conditionType) => ({ conditionType }));
  const withConditions = (...conditions: PodCondition[]) =>
    samplePod({ readinessGates: gates }, { status: { conditions } });

  it('every gate must be true', () => {
    const pod = withConditions({ type: 'x', status: 'True' }, { type: 'y', status: 'True' });
    assert.deepEqual(finding('Ready', { pod }), TRUE);
  });

  it('names each gate that is missing or not true', () => {
    const pod = withConditions({ type: 'y', status: 'Unknown' });
    assert.deepEqual(
      finding('Ready', { pod }),
      no(
        'ReadinessGatesNotReady',
        'corresponding condition of pod readiness gate "x" does not exist., the status of pod readiness gate "y" is not "True", but Unknown',
      ),
    );
    assert.deepEqual(finding('ContainersReady', { pod }), TRUE);
  });

  it('unready containers take precedence as the reason', () => {
    const statuses = { init: [], regular: [unready] };
    assert.equal(finding('Ready', { pod: withConditions(), statuses })?.reason, 'ContainersNotReady');
  });
});

describe('AllContainersRestarting', () => {
  const rule: Container = {
    name: 'main',
    restartPolicy: 'Never',
    restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
  };
  const pod = samplePod({ containers: [rule] });
  const observed = observe([exited('main', 42)]);

  it('is absent without such a rule', () => assert.equal(finding('AllContainersRestarting'), undefined));

  it('is true while instances are left, without generation', () => {
    const condition = compute({ pod, observed, restartingAll: true }).at(-1);
    assert.deepEqual(condition, {
      type: 'AllContainersRestarting',
      status: 'True',
      reason: 'RestartAllContainersStarted',
      message: 'container exited with restart policy rule',
      lastTransitionTime: NOW,
    });
  });

  const cases: readonly (readonly [string, Partial<ConditionFacts>, object])[] = [
    ['false when nothing asks for it', {}, no()],
    ['false once every instance is gone', { restartingAll: true, observed: observe([]) }, no()],
    ['false in a pod that succeeded', { restartingAll: true, phase: 'Succeeded' }, no('PodCompleted')],
    ['false in a pod that failed', { restartingAll: true, phase: 'Failed' }, no('PodFailed')],
  ];
  for (const [name, facts, expected] of cases) {
    it(name, () =>
      assert.deepEqual(finding('AllContainersRestarting', { pod, observed, ...facts }), expected),
    );
  }
});

describe('withTransitionTime', () => {
  const old: PodStatus = {
    conditions: [
      { type: 'Ready', status: 'False', reason: 'ContainersNotReady', lastTransitionTime: EARLIER },
      { type: 'PodResizePending', status: 'True', reason: 'Deferred', lastTransitionTime: EARLIER },
      { type: 'PodResizeInProgress', status: 'True', lastTransitionTime: EARLIER },
    ],
  };
  const cases: readonly (readonly [string, PodCondition, string])[] = [
    [
      'the same status keeps the time although the reason changed',
      { type: 'Ready', status: 'False', reason: 'PodFailed' },
      EARLIER,
    ],
    ['a new status is a transition', { type: 'Ready', status: 'True' }, NOW],
    [
      'an error of a resize is a transition',
      { type: 'PodResizeInProgress', status: 'True', reason: 'Error' },
      NOW,
    ],
    ['a resize that goes on is none', { type: 'PodResizeInProgress', status: 'True' }, EARLIER],
    ['a new condition is a transition', { type: 'Initialized', status: 'True' }, NOW],
    [
      'the same resize reason keeps the time',
      { type: 'PodResizePending', status: 'True', reason: 'Deferred' },
      EARLIER,
    ],
    [
      'a new resize reason is a transition',
      { type: 'PodResizePending', status: 'True', reason: 'Infeasible' },
      NOW,
    ],
  ];
  for (const [name, condition, time] of cases) {
    it(name, () => assert.equal(withTransitionTime(condition, old, NOW).lastTransitionTime, time));
  }
});

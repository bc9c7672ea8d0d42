import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ended,
  exited,
  instance,
  NOW_MS,
  probeResults,
  published,
  RUNNING,
  sidecar,
  WAITING,
} from '../../../test/samples/sample-pods.ts';
import type { Container } from '../api/pod.ts';
import type { ContainerStatus, PodStatus } from '../api/pod-status.ts';
import type { ObservedContainer } from '../model/observed-pod.ts';
import type { ProbeOutcome } from '../model/probe-results.ts';
import { type ReadinessSubject, withInitReadiness, withReadiness } from './readiness.ts';

const probe = { periodSeconds: 1 };
const REF = 'containerd://main-1';
const young = instance('main', 'running', { createdAtMs: NOW_MS + 1_000 });
/** Ran eleven seconds before the agent started. */
const aged = instance('main', 'running', { createdAtMs: NOW_MS - 10_001 });

function subject(
  container: Partial<Container>,
  observed: ObservedContainer | undefined,
  old?: Partial<ContainerStatus>,
): ReadinessSubject {
  return {
    container: { name: 'main', ...container },
    instance: observed,
    status: published('main', RUNNING, { containerID: REF }),
    published: old === undefined ? undefined : published('main', RUNNING, { containerID: REF, ...old }),
  };
}

function flags(
  about: ReadinessSubject,
  results: Record<string, ProbeOutcome> = {},
  old?: PodStatus,
): [started: boolean | undefined, ready: boolean] {
  const facts = { probes: probeResults(results), old, agentStartedAtMs: NOW_MS };
  const { started, ready } = withReadiness(facts, about);
  return [started, ready];
}

describe('started', () => {
  const startup = { startupProbe: probe };
  const cases: readonly (readonly [string, ReadinessSubject, Record<string, ProbeOutcome>, boolean])[] = [
    ['a container without instance has not started', subject({}, undefined), {}, false],
    ['an ended container is not started', subject({}, exited('main', 0), { started: true }), {}, false],
    ['without a probe a running container has started', subject({}, young), {}, true],
    ['a start-up success starts it', subject(startup, young), { 'startup/main-1': 'success' }, true],
    [
      'a start-up failure does not',
      subject(startup, young, { started: true }),
      { 'startup/main-1': 'failure' },
      false,
    ],
    ['a result not known yet does not', subject(startup, young), { 'startup/main-1': 'unknown' }, false],
    ['without a result it stays started', subject(startup, young, { started: true }), {}, true],
    ['without a result and past it waits for the probe', subject(startup, young), {}, false],
    [
      'what was published about another instance does not count',
      subject(startup, young, { started: true, containerID: 'containerd://main-0' }),
      {},
      false,
    ],
    [
      'a result of another instance does not count',
      subject(startup, young),
      { 'startup/main-0': 'success' },
      false,
    ],
  ];
  for (const [name, about, results, started] of cases) {
    it(name, () => assert.equal(flags(about, results)[0], started));
  }
});

describe('ready', () => {
  const readiness = { readinessProbe: probe };
  const podReady: PodStatus = { conditions: [{ type: 'Ready', status: 'True' }] };
  const podUnready: PodStatus = { conditions: [{ type: 'Ready', status: 'False' }] };
  const cases: readonly (readonly [
    string,
    ReadinessSubject,
    Record<string, ProbeOutcome>,
    PodStatus | undefined,
    boolean,
  ])[] = [
    ['without a probe a started container is ready', subject({}, young), {}, undefined, true],
    ['a container that does not run is not ready', subject({}, exited('main', 0)), {}, podReady, false],
    [
      'a success makes it ready',
      subject(readiness, young),
      { 'readiness/main-1': 'success' },
      undefined,
      true,
    ],
    [
      'a failure makes it unready',
      subject(readiness, aged, { ready: true }),
      { 'readiness/main-1': 'failure' },
      podReady,
      false,
    ],
    [
      'an unknown result is no readiness',
      subject(readiness, aged, { ready: true }),
      { 'readiness/main-1': 'unknown' },
      podReady,
      false,
    ],
    [
      'with a probe and no result it is not ready',
      subject(readiness, young, { ready: true }),
      {},
      podReady,
      false,
    ],
    [
      'a container that has not started is not ready',
      subject({ ...readiness, startupProbe: probe }, young),
      { 'readiness/main-1': 'success' },
      undefined,
      false,
    ],
    ['one older than the agent stays ready in a ready pod', subject(readiness, aged), {}, podReady, true],
    [
      'one older than the agent stays unready in an unready pod',
      subject(readiness, aged),
      {},
      podUnready,
      false,
    ],
    [
      'one older than the agent of a pod without a past is not ready',
      subject(readiness, aged),
      {},
      undefined,
      false,
    ],
    [
      'its own published readiness comes before that of the pod',
      subject(readiness, aged, { ready: true }),
      {},
      podUnready,
      true,
    ],
    [
      'one started exactly ten seconds before the agent is not older',
      subject(readiness, instance('main', 'running', { createdAtMs: NOW_MS - 10_000 })),
      {},
      podReady,
      false,
    ],
    ['one older than the agent without a probe is ready', subject({}, aged), {}, podUnready, true],
  ];
  for (const [name, about, results, old, ready] of cases) {
    it(name, () => assert.equal(flags(about, results, old)[1], ready));
  }
});

describe('withInitReadiness', () => {
  const facts = { probes: probeResults({}), old: undefined, agentStartedAtMs: NOW_MS };
  const init = (container: Container, status: ContainerStatus, observed?: ObservedContainer) => {
    const { started, ready } = withInitReadiness(facts, {
      container,
      status,
      instance: observed,
      published: undefined,
    });
    return { started, ready };
  };

  it('an init container is ready once it succeeded', () => {
    const container = { name: 'main' };
    assert.deepEqual(init(container, published('main', ended(0))), { started: false, ready: true });
    assert.deepEqual(init(container, published('main', ended(1))), { started: false, ready: false });
    assert.deepEqual(init(container, published('main', WAITING)), { started: false, ready: false });
    assert.deepEqual(init(container, published('main', RUNNING), young), { started: true, ready: false });
  });

  it('a sidecar counts like a regular container', () => {
    assert.deepEqual(init(sidecar('main'), published('main', RUNNING), young), {
      started: true,
      ready: true,
    });
    assert.deepEqual(init(sidecar('main'), published('main', ended(0))), { started: false, ready: false });
  });
});

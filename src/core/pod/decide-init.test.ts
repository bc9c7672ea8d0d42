import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { instanceOf } from '../../../test/samples/sample-facts.ts';
import {
  exited,
  instance,
  observe,
  probeResults,
  samplePod,
  sandbox,
  sidecar,
} from '../../../test/samples/sample-pods.ts';
import type { Container, PodRestartPolicy } from '../api/pod.ts';
import { toSandboxId } from '../model/ids.ts';
import type { ObservedContainer } from '../model/observed-pod.ts';
import type { ProbeOutcome } from '../model/probe-results.ts';
import { decideInit } from './decide-init.ts';

const a: Container = { name: 'a', image: 'a:1' };
const b: Container = { name: 'b', image: 'b:1' };
const side = sidecar('side');
const probed = sidecar('side', {
  startupProbe: { terminationGracePeriodSeconds: 8 },
  livenessProbe: { terminationGracePeriodSeconds: 7 },
});
const main: Container = { name: 'main', image: 'app:1' };
const ok = (name: string) => exited(name, 0);

interface Row {
  readonly when: string;
  readonly init: readonly Container[];
  readonly has: readonly ObservedContainer[];
  readonly policy?: PodRestartPolicy;
  readonly probes?: Record<string, ProbeOutcome>;
  readonly gives: readonly [outcome: string, stops: string, starts: string];
}

const mainRuns = instanceOf(main, 'running');
const rows: Row[] = [
  { when: 'there is none', init: [], has: [], gives: ['initialised', '', ''] },
  { when: 'none has a status', init: [a, b], has: [], gives: ['in-progress', '', 'a'] },
  {
    when: 'the first is half made',
    init: [a, b],
    has: [instance('a', 'created')],
    gives: ['in-progress', '', 'a'],
  },
  { when: 'the first runs', init: [a, b], has: [instance('a', 'running')], gives: ['in-progress', '', ''] },
  { when: 'the first succeeded', init: [a, b], has: [ok('a')], gives: ['in-progress', '', 'b'] },
  { when: 'the last succeeded', init: [a, b], has: [ok('b'), ok('a')], gives: ['initialised', '', ''] },
  {
    when: 'only the last is known to have succeeded',
    init: [a, b],
    has: [ok('b')],
    gives: ['initialised', '', ''],
  },
  { when: 'one failed under Always', init: [a, b], has: [exited('a', 1)], gives: ['in-progress', '', 'a'] },
  {
    when: 'one failed under OnFailure',
    init: [a],
    has: [exited('a', 1)],
    policy: 'OnFailure',
    gives: ['in-progress', '', 'a'],
  },
  {
    when: 'one failed under Never',
    init: [a],
    has: [exited('a', 1)],
    policy: 'Never',
    gives: ['failed', '', ''],
  },
  {
    when: 'one was out of memory though it exited 0',
    init: [a],
    has: [exited('a', 0, { details: { reason: 'OOMKilled' } })],
    gives: ['in-progress', '', 'a'],
  },
  { when: 'one is unknown', init: [a], has: [instance('a', 'unknown')], gives: ['in-progress', 'a', 'a'] },
  {
    when: 'one is unknown under Never',
    init: [a],
    has: [instance('a', 'unknown')],
    policy: 'Never',
    gives: ['failed', '', ''],
  },
  {
    when: 'a main container runs, whatever earlier init containers show',
    init: [a, b],
    has: [mainRuns, exited('a', 1)],
    gives: ['initialised', '', ''],
  },
  {
    when: 'a main container is half made',
    init: [a],
    has: [instanceOf(main, 'created')],
    gives: ['initialised', '', ''],
  },
  { when: 'a main container ended', init: [a], has: [ok('main')], gives: ['in-progress', '', 'a'] },
  {
    when: 'a sidecar is half made',
    init: [side, b],
    has: [instance('side', 'created')],
    gives: ['in-progress', '', 'side'],
  },
  {
    when: 'a sidecar runs',
    init: [side, b],
    has: [instanceOf(side, 'running')],
    gives: ['in-progress', '', 'b'],
  },
  {
    when: 'the last sidecar runs',
    init: [side],
    has: [instanceOf(side, 'running')],
    gives: ['initialised', '', ''],
  },
  {
    when: 'a sidecar was not measured yet',
    init: [probed],
    has: [instanceOf(probed, 'running')],
    gives: ['in-progress', '', ''],
  },
  {
    when: 'nothing is known of how a sidecar starts up',
    init: [probed],
    has: [instanceOf(probed, 'running')],
    probes: { 'startup/side-1': 'unknown' },
    gives: ['in-progress', '', ''],
  },
  {
    when: 'a sidecar started up',
    init: [probed],
    has: [instanceOf(probed, 'running')],
    probes: { 'startup/side-1': 'success' },
    gives: ['initialised', '', ''],
  },
  {
    when: 'a sidecar did not start up',
    init: [probed, b],
    has: [instanceOf(probed, 'running')],
    probes: { 'startup/side-1': 'failure' },
    gives: ['in-progress', 'side', 'side'],
  },
  {
    when: 'a sidecar is not alive',
    init: [side, b],
    has: [instanceOf(side, 'running')],
    probes: { 'liveness/side-1': 'failure' },
    gives: ['in-progress', 'side', 'side b'],
  },
  {
    when: 'the definition of a sidecar changed',
    init: [side],
    has: [instance('side', 'running')],
    gives: ['initialised', 'side', 'side'],
  },
  {
    when: 'a sidecar ended, even under Never',
    init: [side],
    has: [ok('side')],
    policy: 'Never',
    gives: ['in-progress', '', 'side'],
  },
  {
    when: 'a sidecar is unknown',
    init: [side],
    has: [instance('side', 'unknown')],
    policy: 'Never',
    gives: ['in-progress', 'side', 'side'],
  },
  {
    when: 'a sidecar ended while a main one runs',
    init: [side, b],
    has: [mainRuns, ok('side')],
    gives: ['initialised', '', 'side'],
  },
  {
    when: 'a sidecar is missing while a main one runs',
    init: [side],
    has: [mainRuns],
    gives: ['initialised', '', 'side'],
  },
  { when: 'a later sidecar is missing', init: [a, side], has: [ok('a')], gives: ['in-progress', '', 'side'] },
  {
    when: 'an earlier sidecar is missing',
    init: [side, b],
    has: [instance('b', 'running')],
    gives: ['in-progress', '', 'side'],
  },
  {
    when: 'an earlier sidecar ended while a later container runs',
    init: [side, a, b],
    has: [instance('b', 'running'), ok('a'), exited('side', 1)],
    gives: ['in-progress', '', 'side'],
  },
];

function decide({ init, has, policy = 'Always', probes = {} }: Omit<Row, 'when' | 'gives'>) {
  const pod = samplePod({
    restartPolicy: policy,
    initContainers: init,
    containers: [main],
    terminationGracePeriodSeconds: 30,
  });
  return decideInit(pod, observe(has), probeResults(probes));
}

describe('decideInit', () => {
  for (const row of rows) {
    it(`answers "${row.gives.join('; ')}" when ${row.when}`, () => {
      const { outcome, stops, starts } = decide(row);
      const names = starts.map(({ container }) => container.name);
      assert.deepEqual([outcome, stops.map(({ name }) => name).join(' '), names.join(' ')], row.gives);
    });
  }

  it('starts over when the main container that ran belongs to an earlier sandbox', () => {
    const pod = samplePod({ initContainers: [a], containers: [main] });
    const newest = sandbox({ id: toSandboxId('sandbox-2'), attempt: 1 });
    const observed = observe([mainRuns], [newest, sandbox({ ready: false })]);
    const { outcome, starts } = decideInit(pod, observed, probeResults({}));
    assert.deepEqual([outcome, starts.map(({ container }) => container.name)], ['in-progress', ['a']]);
  });

  it('says why it stops, with the grace of the probe that failed and of no other', () => {
    const running = instanceOf(probed, 'running');
    const stopOf = (facts: Parameters<typeof decide>[0]) =>
      decide(facts).stops.map(({ message, graceSeconds, role }) => [message, graceSeconds, role]);
    const success = { 'startup/side-1': 'success' } as const;
    assert.deepEqual(
      [
        ...stopOf({ init: [probed], has: [running], probes: { 'startup/side-1': 'failure' } }),
        ...stopOf({ init: [probed], has: [running], probes: { ...success, 'liveness/side-1': 'failure' } }),
        ...stopOf({ init: [probed], has: [instance('side', 'running')], probes: success }),
        ...stopOf({ init: [a], has: [instance('a', 'unknown')] }),
        ...stopOf({ init: [probed], has: [instance('side', 'unknown')] }),
      ],
      [
        ['Init container side failed startup probe', 8, 'sidecar'],
        ['Init container side failed liveness probe', 7, 'sidecar'],
        ['Init container side definition changed', 30, 'sidecar'],
        ['Init container is in "unknown" state, try killing it before restart', 30, 'init'],
        ['Init container is in "unknown" state, try killing it before restart', 30, 'sidecar'],
      ],
    );
  });
});

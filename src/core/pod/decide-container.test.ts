import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { instanceOf } from '../../../test/samples/sample-facts.ts';
import { exited, instance, probeResults, samplePod } from '../../../test/samples/sample-pods.ts';
import type { Container, PodRestartPolicy } from '../api/pod.ts';
import { toSandboxId } from '../model/ids.ts';
import type { ObservedContainer } from '../model/observed-pod.ts';
import type { ProbeOutcome } from '../model/probe-results.ts';
import { type ContainerDecision, decideContainer } from './decide-container.ts';

const main: Container = {
  name: 'main',
  image: 'app:1',
  livenessProbe: { terminationGracePeriodSeconds: 7 },
  startupProbe: { terminationGracePeriodSeconds: 8 },
};

function decide(
  newest: ObservedContainer | undefined,
  restartPolicy: PodRestartPolicy = 'Always',
  probes: Record<string, ProbeOutcome> = {},
  own: Partial<Container> = {},
): ContainerDecision {
  const pod = samplePod({ restartPolicy, terminationGracePeriodSeconds: 30 });
  const member = { container: { ...main, ...own }, role: 'regular' } as const;
  return decideContainer(pod, member, newest, toSandboxId('sandbox-1'), probeResults(probes));
}

type Row = [string, ContainerDecision['kind'], ...Parameters<typeof decide>];
const elsewhere = { sandbox: 'sandbox-0' };
const once: Partial<Container> = { restartPolicy: 'Never' };
const rule = (action: 'Restart' | 'RestartAllContainers'): Partial<Container> => ({
  restartPolicy: 'Never',
  restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [3] } }],
});

const rows: Row[] = [
  ['that was never made', 'start', undefined, 'Never'],
  ['that is half made', 'start', instance('main', 'created'), 'Never'],
  ['that runs', 'keep', instanceOf(main, 'running')],
  ['of unknown state', 'restart', instance('main', 'unknown'), 'Never'],
  ['that succeeded under Always', 'start', exited('main', 0), 'Always'],
  ['that succeeded under OnFailure', 'leave', exited('main', 0), 'OnFailure'],
  ['that succeeded under Never', 'leave', exited('main', 0), 'Never'],
  ['that failed under Always', 'start', exited('main', 1), 'Always'],
  ['that failed under OnFailure', 'start', exited('main', 1), 'OnFailure'],
  ['that failed under Never', 'leave', exited('main', 1), 'Never'],
  ['whose own policy is Never', 'leave', exited('main', 1), 'Always', {}, once],
  ['whose rule says restart', 'start', exited('main', 3), 'Never', {}, rule('Restart')],
  ['whose rule does not match', 'leave', exited('main', 4), 'Always', {}, rule('Restart')],
  ['whose definition changed', 'restart', instance('main', 'running'), 'Never'],
  [
    'that is not alive',
    'restart',
    instanceOf(main, 'running'),
    'OnFailure',
    { 'liveness/main-1': 'failure' },
  ],
  [
    'that is not alive under Never',
    'stop',
    instanceOf(main, 'running'),
    'Never',
    { 'liveness/main-1': 'failure' },
  ],
  [
    'that did not start up',
    'restart',
    instanceOf(main, 'running'),
    'Always',
    { 'startup/main-1': 'failure' },
  ],
  [
    'that did not start up under Never',
    'stop',
    instanceOf(main, 'running'),
    'Never',
    { 'startup/main-1': 'failure' },
  ],
  [
    'that is not alive, whatever its exit rules say',
    'stop',
    instanceOf(main, 'running'),
    'Always',
    { 'liveness/main-1': 'failure' },
    rule('Restart'),
  ],
  ['that is not ready', 'keep', instanceOf(main, 'running'), 'Always', { 'readiness/main-1': 'failure' }],
  [
    'of which another instance was not alive',
    'keep',
    instanceOf(main, 'running'),
    'Always',
    { 'liveness/main-0': 'failure' },
  ],
  ['that ended with its sandbox', 'start', exited('main', 137, elsewhere), 'OnFailure'],
  [
    'that ended with its sandbox, own policy Never',
    'start',
    exited('main', 137, elsewhere),
    'Always',
    {},
    once,
  ],
  [
    'that succeeded in an earlier sandbox under OnFailure',
    'leave',
    exited('main', 0, elsewhere),
    'OnFailure',
  ],
  [
    'that succeeded in an earlier sandbox, own policy Never',
    'start',
    exited('main', 0, elsewhere),
    'Always',
    {},
    once,
  ],
  ['that ended in an earlier sandbox under Never', 'leave', exited('main', 1, elsewhere), 'Never'],
  ['that runs in an earlier sandbox', 'restart', instanceOf(main, 'running', elsewhere)],
  ['that runs in an earlier sandbox under Never', 'stop', instanceOf(main, 'running', elsewhere), 'Never'],
];

describe('decideContainer', () => {
  for (const [criterion, kind, ...facts] of rows) {
    it(`answers ${kind} for a container ${criterion}`, () => assert.equal(decide(...facts).kind, kind));
  }

  const stopOf = (decision: ContainerDecision): [string | undefined, number] => {
    assert.ok(decision.kind === 'restart' || decision.kind === 'stop');
    return [decision.stop.message, decision.stop.graceSeconds];
  };

  it('says why it stops a container, with the grace of the probe that failed', () => {
    const running = instanceOf(main, 'running');
    assert.deepEqual(
      [
        decide(instance('main', 'unknown')),
        decide(instance('main', 'running')),
        decide(running, 'Always', { 'liveness/main-1': 'failure' }),
        decide(running, 'Never', { 'liveness/main-1': 'failure' }),
        decide(running, 'Always', { 'startup/main-1': 'failure' }),
        decide(running, 'Never', { 'startup/main-1': 'failure' }),
        decide(instanceOf(main, 'running', elsewhere)),
      ].map(stopOf),
      [
        ['Container is in "unknown" state, try killing it before restart', 30],
        ['Container main definition changed, will be restarted', 30],
        ['Container main failed liveness probe, will be restarted', 7],
        ['Container main failed liveness probe', 7],
        ['Container main failed startup probe, will be restarted', 8],
        ['Container main failed startup probe', 8],
        ['Stopping container main', 30],
      ],
    );
  });
});

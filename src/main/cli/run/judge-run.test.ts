import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerStatus } from '../../../core/api/pod-status.ts';
import type { ApiEvent } from '../../../core/events/api-event.ts';
import type { PodExplanation } from '../../../server/pods/explain-route.ts';
import type { CliPod } from '../ask/choose-pod.ts';
import { judgeRun, type RunFacts, toPodLines, toShortName } from './judge-run.ts';

const NOW = Date.UTC(2026, 0, 2);

function container(name: string, state: ContainerStatus['state']): ContainerStatus {
  return { name, state, lastState: {}, ready: false, restartCount: 0, image: '', imageID: '' };
}

const ended = (exitCode: number, finishedAt: string, reason = 'Error'): ContainerStatus['state'] => ({
  terminated: { exitCode, finishedAt, reason } as NonNullable<ContainerStatus['state']['terminated']>,
});

function pod(
  name: string,
  phase: string,
  statuses: readonly ContainerStatus[] = [],
  more: object = {},
): CliPod {
  return {
    metadata: { name: `${name}-n1`, namespace: 'default', uid: `uid-${name}` },
    spec: { nodeName: 'n1', containers: statuses.map((status) => ({ name: status.name })) },
    status: { phase, containerStatuses: statuses, ...more },
  } as unknown as CliPod;
}

function facts(pods: readonly CliPod[], more: Partial<RunFacts> = {}): RunFacts {
  return { pods, explanations: new Map(), events: [], ...more };
}

const sandboxFailed = (count: number): ApiEvent =>
  ({
    involvedObject: { uid: 'uid-a' },
    reason: 'FailedCreatePodSandBox',
    message: 'no network',
    count,
  }) as ApiEvent;

describe('judgeRun', () => {
  const late = '2026-01-01T00:00:09Z';
  const early = '2026-01-01T00:00:01Z';
  const waiting = (reason: string) => [container('main', { waiting: { reason, message: 'why' } })];
  const cases: readonly (readonly [string, RunFacts, number | undefined, RegExp?])[] = [
    ['goes on while a pod that is wanted was not seen', facts([]), undefined],
    ['goes on while a pod runs', facts([pod('a', 'Running')]), undefined],
    ['ends with 0 when all have succeeded', facts([pod('a', 'Succeeded')]), 0],
    [
      'ends with the code of the container that failed first',
      facts([pod('a', 'Failed', [container('x', ended(3, late)), container('y', ended(4, early))])]),
      4,
      /^a: container "y" ended with exit code 4$/,
    ],
    [
      'names a reason that says more than the code',
      facts([pod('a', 'Failed', [container('x', ended(137, early, 'OOMKilled'))])]),
      137,
      /OOMKilled/,
    ],
    [
      'ends with 1 for a pod that was refused',
      facts([pod('a', 'Failed', [], { reason: 'OutOfcpu', message: 'wants 9' })]),
      1,
      /^a: OutOfcpu: wants 9$/,
    ],
    [
      'does not wait for an image forever',
      facts([pod('a', 'Pending', waiting('ErrImagePull'))]),
      1,
      /registry/,
    ],
    ['a crash loop may end well', facts([pod('a', 'Running', waiting('CrashLoopBackOff'))]), undefined],
    ['tries a sandbox again', facts([pod('a', 'Pending')], { events: [sandboxFailed(2)] }), undefined],
    [
      'gives a sandbox up after the third time',
      facts([pod('a', 'Pending')], { events: [sandboxFailed(3)] }),
      1,
      /3 times: no network/,
    ],
    [
      'a reason of the language itself is none',
      facts([pod('a', 'Pending', waiting('constructor'))]),
      undefined,
    ],
  ];
  for (const [what, known, exitCode, problem] of cases)
    it(what, () => {
      const end = judgeRun(known, 1);
      assert.equal(end?.exitCode, exitCode);
      if (problem !== undefined) assert.match(end?.problem ?? '', problem);
    });
});

describe('toPodLines', () => {
  const explained = (more: Partial<PodExplanation>): RunFacts['explanations'] =>
    new Map([
      ['uid-a', { state: 'waiting', sentence: 'Waiting for it (for 4s).', ...more } as PodExplanation],
    ]);

  it('a ready pod is good and has its address', () => {
    const [line] = toPodLines(
      facts([pod('a', 'Running', [], { podIP: '10.0.0.1' })], {
        explanations: explained({ state: 'ready' }),
      }),
      NOW,
    );
    assert.deepEqual([line?.mood, line?.text], ['good', 'ready at 10.0.0.1']);
  });

  it('a step that failed is trouble, with its sentence; its key does not change with the time', () => {
    const of = (sentence: string) =>
      toPodLines(
        facts([pod('a', 'Pending')], { explanations: explained({ nextTryAt: 'later', sentence }) }),
        NOW,
      )[0];
    assert.equal(of('for 4s')?.mood, 'bad');
    assert.match(of('for 4s')?.text ?? '', /for 4s/);
    assert.equal(of('for 4s')?.key, of('for 5s')?.key);
  });

  it('names pods as their manifests do', () => {
    assert.equal(toShortName(pod('a', 'Running')), 'a');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Container, PodSpec } from '../api/pod.ts';
import type { ContainerState, ContainerStatus, PodStatus } from '../api/pod-status.ts';
import { type RowPod, toPodRow } from './pod-row.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();
const RUNS: ContainerState = { running: { startedAt: ago(60) } };
const waits = (reason: string): ContainerState => ({ waiting: { reason } });
const ended = (exitCode: number, more: object = {}): ContainerState => ({
  terminated: { exitCode, ...more },
});

function container(
  name: string,
  state: ContainerState,
  more: Partial<ContainerStatus> = {},
): ContainerStatus {
  return { name, state, lastState: {}, ready: false, restartCount: 0, image: '', imageID: '', ...more };
}
const MAIN: Container = { name: 'main' };

function row(
  status: PodStatus,
  spec: Partial<PodSpec> = {},
  metadata: object = {},
  isEnding = false,
): string {
  const pod: RowPod = {
    metadata: { name: 'web', namespace: 'default', uid: 'u', creationTimestamp: ago(125), ...metadata },
    spec: { containers: [MAIN], ...spec },
    status,
  };
  const { ready, status: state, restarts, age } = toPodRow(pod, NOW, isEnding);
  return [ready, state, restarts, age].join(' | ');
}
const ready = { ready: true, started: true };
const setup = { initContainers: [{ name: 'a' }, { name: 'b' }] };

describe('toPodRow', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['a pod without a status', row({}), '0/1 | Pending | 0 | 2m5s'],
    [
      'a pod that runs',
      row({ phase: 'Running', containerStatuses: [container('main', RUNS, ready)] }),
      '1/1 | Running | 0 | 2m5s',
    ],
    [
      'a crash loop with its last restart',
      row({
        phase: 'Running',
        containerStatuses: [
          container('main', waits('CrashLoopBackOff'), {
            restartCount: 3,
            lastState: ended(1, { finishedAt: ago(12) }),
          }),
        ],
      }),
      '0/1 | CrashLoopBackOff | 3 (12s ago) | 2m5s',
    ],
    [
      'an init container under way',
      row(
        { phase: 'Pending', initContainerStatuses: [container('a', ended(0)), container('b', RUNS)] },
        setup,
      ),
      '0/1 | Init:1/2 | 0 | 2m5s',
    ],
    [
      'an init container that failed',
      row(
        { initContainerStatuses: [container('a', ended(2, { reason: 'Error' }), { restartCount: 2 })] },
        setup,
      ),
      '0/1 | Init:Error | 2 | 2m5s',
    ],
    [
      'an init container that waits',
      row({ initContainerStatuses: [container('a', waits('ErrImagePull'))] }, setup),
      '0/1 | Init:ErrImagePull | 0 | 2m5s',
    ],
    [
      'a sidecar, which counts',
      row(
        {
          phase: 'Running',
          initContainerStatuses: [container('s', RUNS, ready)],
          containerStatuses: [container('main', RUNS, ready)],
        },
        { initContainers: [{ name: 's', restartPolicy: 'Always' }] },
      ),
      '2/2 | Running | 0 | 2m5s',
    ],
    [
      'an exit without a reason',
      row({ phase: 'Failed', containerStatuses: [container('main', ended(7))] }),
      '0/1 | ExitCode:7 | 0 | 2m5s',
    ],
    [
      'an exit by a signal',
      row({ phase: 'Failed', containerStatuses: [container('main', ended(137, { signal: 9 }))] }),
      '0/1 | Signal:9 | 0 | 2m5s',
    ],
    [
      'one of two that completed',
      row(
        {
          phase: 'Running',
          containerStatuses: [
            container('b', RUNS, ready),
            container('main', ended(0, { reason: 'Completed' })),
          ],
        },
        { containers: [MAIN, { name: 'b' }] },
      ),
      '1/2 | NotReady | 0 | 2m5s',
    ],
    [
      'the reason of a pod that was evicted',
      row({ phase: 'Failed', reason: 'Evicted' }),
      '0/1 | Evicted | 0 | 2m5s',
    ],
    [
      'a pod that is being deleted',
      row({ phase: 'Running' }, {}, { deletionTimestamp: ago(1) }),
      '0/1 | Terminating | 0 | 2m5s',
    ],
    [
      'a static pod, which is as old as the first that is known of it',
      row(
        { phase: 'Running', startTime: ago(3) },
        {},
        {
          creationTimestamp: undefined,
          annotations: { 'kubernetes.io/config.seen': ago(5) },
        },
      ),
      '0/1 | Running | 0 | 5s',
    ],
    [
      'a static pod that another run of the agent has seen again',
      row(
        { phase: 'Running', startTime: ago(90) },
        {},
        {
          creationTimestamp: undefined,
          annotations: { 'kubernetes.io/config.seen': ago(5) },
        },
      ),
      '0/1 | Running | 0 | 90s',
    ],
    ['a pod that the agent ends', row({ phase: 'Running' }, {}, {}, true), '0/1 | Terminating | 0 | 2m5s'],
    ['a pod that has ended', row({ phase: 'Succeeded' }, {}, {}, true), '0/1 | Succeeded | 0 | 2m5s'],
    [
      'a static pod, as old as it is known',
      row(
        { phase: 'Running' },
        {},
        { creationTimestamp: undefined, annotations: { 'kubernetes.io/config.seen': ago(7) } },
      ),
      '0/1 | Running | 0 | 7s',
    ],
  ];
  for (const [what, actual, expected] of rows) it(`shows ${what}`, () => assert.equal(actual, expected));
});

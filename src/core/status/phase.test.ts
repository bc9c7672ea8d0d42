import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ended,
  exited,
  instance,
  observe,
  published,
  RUNNING,
  samplePod,
  sandbox,
  sidecar,
  WAITING,
} from '../../../test/samples/sample-pods.ts';
import type { Container, Pod, PodSpec } from '../api/pod.ts';
import type { ContainerState, ContainerStatus, PodPhase } from '../api/pod-status.ts';
import { computePhase, hasActiveRegular } from './phase.ts';

type Shown = ContainerState | 'none' | { readonly now: ContainerState; readonly last: ContainerState };

interface Row {
  readonly name: string;
  readonly policy?: PodSpec['restartPolicy'];
  readonly init?: readonly (readonly [Container, Shown, started?: boolean])[];
  readonly regular: readonly Shown[];
  readonly containers?: readonly Container[];
  readonly active?: boolean;
  readonly ended?: boolean;
  readonly static?: boolean;
  readonly phase: PodPhase;
}

const crashed = (last: ContainerState): Shown => ({ now: { waiting: { reason: 'CrashLoopBackOff' } }, last });
const init: Container = { name: 'init' };
const side = sidecar('side');

const rows: readonly Row[] = [
  {
    name: 'a failed init container that is not restarted',
    policy: 'Never',
    init: [[init, ended(1)]],
    regular: [WAITING],
    phase: 'Failed',
  },
  {
    name: 'the same, shown as last state',
    policy: 'Never',
    init: [[init, crashed(ended(1))]],
    regular: [WAITING],
    phase: 'Failed',
  },
  {
    name: 'a failed init container even beside a running sidecar',
    policy: 'Never',
    init: [
      [side, RUNNING, true],
      [init, ended(1)],
    ],
    regular: [WAITING],
    phase: 'Failed',
  },
  {
    name: 'a finished pod whose sidecar was never started again',
    policy: 'Never',
    init: [[side, WAITING]],
    regular: [ended(0)],
    phase: 'Succeeded',
  },
  {
    name: 'a pod whose sidecar waits while a main container is to run again',
    policy: 'OnFailure',
    init: [[side, WAITING]],
    regular: [ended(1)],
    phase: 'Pending',
  },
  {
    name: 'a failed init container that is restarted',
    policy: 'OnFailure',
    init: [[init, crashed(ended(1))]],
    regular: [WAITING],
    phase: 'Pending',
  },
  {
    name: 'an init container its own policy restarts',
    policy: 'Never',
    init: [[{ name: 'init', restartPolicy: 'OnFailure' }, ended(1)]],
    regular: [WAITING],
    phase: 'Pending',
  },
  {
    name: 'an init container removed to restart the whole pod',
    policy: 'Never',
    init: [[init, crashed(ended(137, 'RestartingAllContainers'))]],
    regular: [WAITING],
    phase: 'Pending',
  },
  {
    name: 'a running init container',
    init: [[init, RUNNING]],
    regular: [ended(0)],
    policy: 'Never',
    phase: 'Pending',
  },
  { name: 'an init container without status', init: [[init, 'none']], regular: [RUNNING], phase: 'Pending' },
  { name: 'an init container that waits', init: [[init, WAITING]], regular: [RUNNING], phase: 'Pending' },
  {
    name: 'a sidecar that has not started, no regular container yet',
    init: [[side, RUNNING, false]],
    regular: [crashed(ended(1))],
    phase: 'Pending',
  },
  {
    name: 'a sidecar that has not started beside a regular container',
    init: [[side, RUNNING, false]],
    regular: [RUNNING],
    active: true,
    phase: 'Running',
  },
  { name: 'a waiting sidecar', init: [[side, WAITING]], regular: [RUNNING], active: true, phase: 'Pending' },
  {
    name: 'an ended sidecar does not count',
    init: [[side, ended(1)]],
    regular: [ended(0)],
    policy: 'Never',
    phase: 'Succeeded',
  },
  {
    name: 'a crashed sidecar does not count',
    init: [[side, crashed(ended(1))]],
    regular: [RUNNING],
    phase: 'Running',
  },
  { name: 'a sidecar without status', init: [[side, 'none']], regular: [RUNNING], phase: 'Pending' },
  {
    name: 'a running sidecar keeps the pod running',
    policy: 'Never',
    init: [[side, RUNNING, true]],
    regular: [ended(0)],
    phase: 'Running',
  },
  { name: 'a regular container that waits', regular: [RUNNING, WAITING], phase: 'Pending' },
  { name: 'a state without a key is waiting', regular: [{}], phase: 'Pending' },
  { name: 'running containers', regular: [RUNNING, RUNNING], phase: 'Running' },
  { name: 'one running, one ended', policy: 'Never', regular: [RUNNING, ended(1)], phase: 'Running' },
  { name: 'one running, one without status', regular: [RUNNING, 'none'], phase: 'Pending' },
  {
    name: 'ended for good with success although the policy restarts',
    ended: true,
    regular: [ended(0)],
    phase: 'Succeeded',
  },
  { name: 'ended for good with a failure', ended: true, regular: [ended(0), ended(1)], phase: 'Failed' },
  {
    name: 'ended for good while waiting for a restart',
    ended: true,
    regular: [crashed(ended(0))],
    phase: 'Failed',
  },
  {
    name: 'a static pod that stopped continues',
    ended: true,
    static: true,
    regular: [ended(0)],
    phase: 'Running',
  },
  {
    name: 'some container is restarted',
    policy: 'OnFailure',
    regular: [ended(0), ended(1)],
    phase: 'Running',
  },
  { name: 'a crash loop', regular: [crashed(ended(1))], phase: 'Running' },
  {
    name: 'a rule restarts it',
    policy: 'Never',
    containers: [
      {
        name: 'c0',
        restartPolicy: 'Never',
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
      },
    ],
    regular: [ended(42)],
    phase: 'Running',
  },
  {
    name: 'removed to restart the whole pod',
    policy: 'Never',
    regular: [crashed(ended(137, 'RestartingAllContainers'))],
    phase: 'Running',
  },
  { name: 'all succeeded', policy: 'OnFailure', regular: [ended(0), ended(0)], phase: 'Succeeded' },
  { name: 'all ended, one failed', policy: 'Never', regular: [ended(0), ended(1)], phase: 'Failed' },
  {
    name: 'ended but shown as waiting and not restarted',
    policy: 'Never',
    regular: [crashed(ended(0))],
    phase: 'Failed',
  },
  { name: 'nothing is known', regular: ['none'], phase: 'Pending' },
];

function toStatus(name: string, shown: Shown, started?: boolean): ContainerStatus[] {
  if (shown === 'none') return [];
  const flag = started === undefined ? {} : { started };
  if ('now' in shown) return [published(name, shown.now, { lastState: shown.last, ...flag })];
  return [published(name, shown, flag)];
}

describe('computePhase', () => {
  for (const row of rows) {
    it(`${row.name}: ${row.phase}`, () => {
      const pod: Pod = samplePod(
        {
          restartPolicy: row.policy ?? 'Always',
          initContainers: (row.init ?? []).map(([container]) => container),
          containers: row.containers ?? row.regular.map((_, i) => ({ name: `c${i}` })),
        },
        { metadata: { annotations: row.static === true ? { 'kubernetes.io/config.source': 'file' } : {} } },
      );
      const statuses = {
        init: (row.init ?? []).flatMap(([{ name }, shown, started]) => toStatus(name, shown, started)),
        regular: row.regular.flatMap((shown, i) => toStatus(`c${i}`, shown)),
      };
      const facts = { pod, statuses, hasActiveRegular: row.active ?? false, ended: row.ended ?? false };
      assert.equal(computePhase(facts), row.phase);
    });
  }
});

describe('hasActiveRegular', () => {
  const pod = samplePod({ initContainers: [side] });
  const cases: readonly (readonly [string, ReturnType<typeof observe>, boolean])[] = [
    ['a container of the newest ready sandbox counts in any state', observe([exited('main', 0)]), true],
    ['an init container does not count', observe([instance('side', 'running')]), false],
    [
      'a container of another sandbox does not count',
      observe([instance('main', 'running', { sandbox: 'old' })]),
      false,
    ],
    [
      'a stopped sandbox has no active containers',
      observe([instance('main', 'running')], [sandbox({ ready: false })]),
      false,
    ],
    ['no sandbox, no active containers', observe([instance('main', 'running')], []), false],
  ];
  for (const [name, observed, active] of cases) {
    it(name, () => assert.equal(hasActiveRegular(pod, observed), active));
  }
});

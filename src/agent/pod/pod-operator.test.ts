import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textLogger } from '../../../test/fakes/text-logger.ts';
import { podFacts, podFailure } from '../../../test/samples/sample-facts.ts';
import { exited, instance, NOW_MS, observe, samplePod } from '../../../test/samples/sample-pods.ts';
import { Store } from '../../base/store.ts';
import type { PodSpec } from '../../core/api/pod.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type ContainerId, type PodUid, toContainerId, toPodUid } from '../../core/model/ids.ts';
import type { ObservedContainer } from '../../core/model/observed-pod.ts';
import type { WaitingReason } from '../../core/model/start-failure.ts';
import { computeBackOffKey } from '../../core/pod/back-off-key.ts';
import type { PodFacts, PodPlan } from '../../core/pod/pod-facts.ts';
import { PodOperator } from './pod-operator.ts';
import { RestartRequests } from './restart-requests.ts';

const uid = toPodUid('uid-1');
const containers = [{ name: 'main' }, { name: 'other' }];

interface Given {
  readonly spec?: Partial<PodSpec>;
  readonly record?: Partial<DesiredPod>;
  readonly observed?: readonly ObservedContainer[];
  readonly waiting?: readonly string[];
  readonly facts?: Partial<PodFacts>;
}

function setUp({ spec = {}, record = {}, observed = [], waiting = [], facts = {} }: Given) {
  const pod = samplePod({ containers, ...spec });
  const records = new Store<PodUid, DesiredPod>();
  records.set(uid, { uid, pod, source: 'file', order: 1, ...record });
  const calls: string[] = [];
  const requests = new RestartRequests();
  const reason: WaitingReason = { reason: 'CrashLoopBackOff', message: '' };
  const plan = { waiting: new Map(waiting.map((name) => [name, reason])) } as unknown as PodPlan;
  const last = { facts: podFacts({ pod, observed: observe([...observed]), ...facts }), plan };
  const lines: string[] = [];
  const logger = textLogger((line) => lines.push(line));
  const operator = new PodOperator({
    logger,
    desired: { records },
    supervisor: {
      worker: () => ({ last, activity: undefined, setback: undefined }),
      retry: () => calls.push('retry'),
    },
    crashLoops: { forget: (key) => calls.push(`forget ${key}`) },
    puller: { forgetWaits: () => calls.push('pulls') },
    requests,
  });
  const asked = (): readonly ContainerId[] => [
    ...(requests.facts({ uid }, { containers: observe([...observed]).containers }) ?? []),
  ];
  const keys = pod.spec.containers.map((container) => `forget ${computeBackOffKey(pod, container)}`);
  return { operator, calls, asked, keys, lines };
}

describe('PodOperator', () => {
  it('ends every back-off and names what waited', () => {
    const { operator, calls, keys } = setUp({
      waiting: ['main'],
      facts: { podFailure: podFailure('create-sandbox', NOW_MS) },
    });
    assert.deepEqual(operator.retry(uid), { ok: true, subjects: ['main', 'create sandbox'] });
    assert.deepEqual(calls, [...keys, 'pulls', 'retry']);
  });

  it('restarts what runs, all or one', () => {
    const observed = [instance('main', 'running', { id: 'm' }), exited('other', 1, { id: 'o' })];
    const all = setUp({ observed });
    assert.deepEqual(all.operator.restart(uid, undefined), { ok: true, subjects: ['main'] });
    assert.deepEqual(all.asked(), [toContainerId('m')]);
    assert.deepEqual(all.calls.at(-1), 'retry');
    const one = setUp({ observed });
    assert.match(JSON.stringify(one.operator.restart(uid, 'other')), /"ok":false.*kubelet retry/);
    assert.deepEqual([one.asked(), one.calls], [[], []]);
  });

  it('refuses what might not come back, what is unknown and what ends', () => {
    const observed = [instance('main', 'running')];
    const problem = (given: Given, container?: string): string =>
      JSON.stringify(setUp({ observed, ...given }).operator.restart(uid, container));
    for (const restartPolicy of ['Never', 'OnFailure'] as const)
      assert.match(problem({ spec: { restartPolicy } }), /"ok":false.*restart policy is not Always/);
    const own = [{ name: 'main', restartPolicy: 'Always' } as const, { name: 'other' }];
    assert.match(problem({ spec: { restartPolicy: 'OnFailure', containers: own } }), /"ok":true.*main/);
    assert.match(problem({}, 'nope'), /no container \\"nope\\"/);
    const termination = { cause: 'removed', requestedAtMs: 0 } as const;
    assert.match(problem({ record: { termination } }), /"ok":false.*ending \(removed\)/);
    assert.equal(setUp({ observed }).operator.retry(toPodUid('other')).ok, false);
  });

  it('logs every request', () => {
    const { operator, lines } = setUp({ observed: [instance('main', 'running')] });
    operator.retry(uid);
    operator.restart(uid, 'main');
    assert.match(lines[0] ?? '', /retry requested over the local socket/);
    assert.match(lines[1] ?? '', /restart requested over the local socket.*containers="?main/);
  });
});

describe('RestartRequests', () => {
  it('keeps a request as long as its instance runs', () => {
    const requests = new RestartRequests();
    const facts = (state: ObservedContainer['state']) =>
      requests.facts({ uid }, { containers: [instance('main', state, { id: 'm' })] });
    requests.ask(uid, [toContainerId('m')]);
    assert.equal(facts('running')?.size, 1);
    assert.equal(facts('exited')?.size, 0);
    assert.equal(facts('running'), undefined);
    requests.ask(uid, [toContainerId('m')]);
    requests.podGone({ uid });
    assert.equal(facts('running'), undefined);
  });
});

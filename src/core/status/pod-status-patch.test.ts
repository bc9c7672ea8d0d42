import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { applyPatch, type Json } from '../../../test/fakes/fake-api-patch.ts';
import { NOW_MS, published, RUNNING, WAITING } from '../../../test/samples/sample-pods.ts';
import type { PodCondition, PodPhase, PodStatus } from '../api/pod-status.ts';
import { computePodStatusPatch, mergeApiStatus } from './pod-status-patch.ts';

const condition = (type: string, status: PodCondition['status'] = 'True'): PodCondition => ({ type, status });
const types = ({ conditions }: PodStatus): string[] => (conditions ?? []).map(({ type }) => type).sort();

describe('mergeApiStatus', () => {
  it('keeps the conditions of others and takes its own from what was published', () => {
    const api: PodStatus = {
      conditions: [
        condition('Ready', 'False'),
        condition('gate.example.org/open'),
        condition('PodResizePending'),
      ],
    };
    const merged = mergeApiStatus(
      api,
      { phase: 'Running', conditions: [condition('Ready'), condition('old.example.org/stale')] },
      true,
      NOW_MS,
    );
    assert.deepEqual(types(merged), ['Ready', 'gate.example.org/open']);
    assert.equal(merged.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
  });

  for (const [mayRun, phase] of [
    [true, 'Running'],
    [false, 'Failed'],
  ] as const) {
    it(`a phase that turns terminal is written as ${phase} when mayRun is ${mayRun}`, () => {
      const api: PodStatus = { phase: 'Running', reason: 'api', message: 'api text' };
      const next: PodStatus = {
        phase: 'Failed',
        reason: 'Evicted',
        message: 'why',
        conditions: [condition('DisruptionTarget'), condition('Ready')],
      };
      const merged = mergeApiStatus(api, next, mayRun, NOW_MS);
      assert.deepEqual(
        [merged.phase, merged.reason, merged.message],
        mayRun ? ['Running', 'api', 'api text'] : ['Failed', 'Evicted', 'why'],
      );
      assert.deepEqual(types(merged), mayRun ? ['Ready'] : ['DisruptionTarget', 'Ready']);
      const ready = merged.conditions?.find(({ type }) => type === 'Ready');
      assert.deepEqual([ready?.status, ready?.reason], mayRun ? ['True', undefined] : ['False', 'PodFailed']);
    });
  }

  it('the disruption condition of others stays until the pod has ended, then ours replaces it', () => {
    const theirs = { ...condition('DisruptionTarget'), reason: 'PreemptionByScheduler' };
    const ours = { ...condition('DisruptionTarget'), reason: 'TerminationByKubelet' };
    const api: PodStatus = { phase: 'Running', conditions: [theirs] };
    const reasonIn = (published: PodStatus, mayRun: boolean): string | undefined =>
      mergeApiStatus(api, published, mayRun, NOW_MS).conditions?.find(({ type }) => type === theirs.type)
        ?.reason;
    assert.equal(reasonIn({ phase: 'Running' }, true), 'PreemptionByScheduler');
    assert.equal(reasonIn({ phase: 'Failed', conditions: [ours] }, true), 'PreemptionByScheduler');
    assert.equal(reasonIn({ phase: 'Failed' }, false), 'PreemptionByScheduler');
    assert.equal(reasonIn({ phase: 'Failed', conditions: [ours] }, false), 'TerminationByKubelet');
  });

  it('any other phase is written unchanged, with its reason', () => {
    const api: PodStatus = { phase: 'Pending', reason: 'api' };
    for (const mayRun of [true, false]) {
      const merged = mergeApiStatus(api, { phase: 'Running', reason: 'ours' }, mayRun, NOW_MS);
      assert.deepEqual([merged.phase, merged.reason], ['Running', 'ours']);
      const over = mergeApiStatus(
        { phase: 'Failed', reason: 'api' },
        { phase: 'Failed', reason: 'ours' },
        mayRun,
        NOW_MS,
      );
      assert.deepEqual([over.phase, over.reason], ['Failed', 'ours']);
    }
  });

  it('a terminal phase is withheld also when the API server knows no phase yet', () => {
    assert.equal(mergeApiStatus({}, { phase: 'Succeeded' }, true, NOW_MS).phase, 'Pending');
  });

  it('a reason of its own does not survive the phase it belongs to', () => {
    const merged = mergeApiStatus({ phase: 'Running' }, { phase: 'Failed', reason: 'Evicted' }, true, NOW_MS);
    assert.equal('reason' in merged, false);
  });

  it('a terminal phase of the API server is never left, and is not ready', () => {
    const api: PodStatus = { phase: 'Failed', reason: 'NodeLost' };
    const merged = mergeApiStatus(api, { phase: 'Running', conditions: [condition('Ready')] }, true, NOW_MS);
    assert.deepEqual([merged.phase, merged.reason], ['Failed', 'NodeLost']);
    assert.equal(merged.conditions?.[0]?.status, 'False');
  });

  it('the terminal phase of a mirror is left with the static pod, which runs again', () => {
    const api: PodStatus = { phase: 'Failed', reason: 'Terminated', message: 'shutdown' };
    const running: PodStatus = { phase: 'Running', conditions: [condition('Ready')] };
    const merged = mergeApiStatus(api, running, true, NOW_MS, true);
    assert.deepEqual([merged.phase, merged.reason, merged.message], ['Running', undefined, undefined]);
    assert.equal(merged.conditions?.[0]?.status, 'True');
  });
});

describe('computePodStatusPatch', () => {
  it('is undefined when nothing changed, regardless of what the API server leaves out or adds', () => {
    const api = {
      phase: 'Running',
      resourceClaimStatuses: [{ name: 'c' }],
      conditions: [condition('Ready')],
    } as PodStatus;
    const next: PodStatus = {
      phase: 'Running',
      message: '',
      containerStatuses: [],
      podIPs: [],
      conditions: [condition('Ready')],
    };
    assert.equal(computePodStatusPatch('u', api, next), undefined);
  });

  it('names the UID and only what changed; a list of containers goes as a whole', () => {
    const api: PodStatus = { phase: 'Running', reason: 'x', containerStatuses: [published('a', WAITING)] };
    const next: PodStatus = { phase: 'Running', containerStatuses: [published('a', RUNNING)] };
    assert.deepEqual(computePodStatusPatch('u', api, next), {
      metadata: { uid: 'u' },
      status: { reason: null, containerStatuses: [published('a', RUNNING)] },
    });
  });

  const fields: PodStatus = {
    observedGeneration: 2,
    phase: 'Running',
    message: 'm',
    reason: 'r',
    hostIP: '192.0.2.1',
    podIP: '10.0.0.7',
    startTime: '2026-01-01T00:00:00Z',
    qosClass: 'Burstable',
    initContainerStatuses: [published('init', RUNNING)],
    containerStatuses: [published('a', RUNNING)],
    ephemeralContainerStatuses: [published('debug', RUNNING)],
    resources: { limits: { cpu: '1' } },
    allocatedResources: { cpu: '1' },
  };
  for (const [field, value] of Object.entries(fields))
    it(`writes ${field}`, () => {
      assert.deepEqual(computePodStatusPatch('u', {}, { [field]: value })?.['status'], { [field]: value });
      assert.equal(computePodStatusPatch('u', fields, fields), undefined);
    });

  it('removes the nomination: the pod is bound', () => {
    const patch = computePodStatusPatch(
      'u',
      { phase: 'Pending', nominatedNodeName: 'n' },
      { phase: 'Pending' },
    );
    assert.deepEqual(patch?.['status'], { nominatedNodeName: null });
  });

  it('patches conditions and addresses by their keys and sets their order', () => {
    const api: PodStatus = { conditions: [condition('A'), condition('B')], podIPs: [{ ip: '1' }] };
    const next: PodStatus = {
      conditions: [condition('A'), condition('C')],
      podIPs: [{ ip: '2' }],
      hostIPs: [{ ip: '3' }],
    };
    assert.deepEqual(computePodStatusPatch('u', api, next)?.['status'], {
      conditions: [condition('C'), { type: 'B', $patch: 'delete' }],
      '$setElementOrder/conditions': [{ type: 'A' }, { type: 'C' }],
      podIPs: [{ ip: '2' }, { ip: '1', $patch: 'delete' }],
      '$setElementOrder/podIPs': [{ ip: '2' }],
      hostIPs: [{ ip: '3' }],
      '$setElementOrder/hostIPs': [{ ip: '3' }],
    });
  });

  it('removes reason and message of a condition together with their cause', () => {
    const why = { reason: 'ContainersNotReady', message: 'containers with unready status: [a]' };
    const api: PodStatus = { conditions: [{ ...condition('Ready', 'False'), ...why }] };
    const next: PodStatus = { conditions: [condition('Ready')] };
    assert.deepEqual(computePodStatusPatch('u', api, next)?.['status'], {
      conditions: [{ type: 'Ready', status: 'True', reason: null, message: null }],
      '$setElementOrder/conditions': [{ type: 'Ready' }],
    });
  });

  const phase = fc.constantFrom<PodPhase>('Pending', 'Running', 'Succeeded', 'Failed');
  const conditions = fc.uniqueArray(
    fc.record({
      type: fc.constantFrom('Ready', 'Initialized', 'gate.example.org/a', 'DisruptionTarget'),
      status: fc.constantFrom<PodCondition['status']>('True', 'False'),
      reason: fc.constantFrom('', 'ContainersNotReady', 'PodCompleted'),
      message: fc.constantFrom('', 'containers with unready status: [a]'),
    }),
    { selector: ({ type }) => type },
  );
  const ips = fc.uniqueArray(fc.record({ ip: fc.constantFrom('1', '2', '3') }), { selector: ({ ip }) => ip });
  const containers = fc.array(fc.constantFrom(published('a', RUNNING), published('b', WAITING)), {
    maxLength: 2,
  });
  const status: fc.Arbitrary<PodStatus> = fc.record({
    phase,
    conditions,
    podIPs: ips,
    hostIPs: ips,
    containerStatuses: containers,
    reason: fc.constantFrom('', 'Evicted'),
  });

  it('applied, it leaves nothing to write: the echo of a write is no change', () => {
    fc.assert(
      fc.property(status, status, fc.boolean(), (api, published, mayRun) => {
        const merged = mergeApiStatus(api, published, mayRun, NOW_MS);
        const patch = computePodStatusPatch('u', api, merged);
        const patched = applyPatch({ status: api } as unknown as Json, (patch ?? {}) as Json, 'strategic');
        const echo = (patched as unknown as { status: PodStatus }).status;
        const again = mergeApiStatus(echo, published, mayRun, NOW_MS + 5_000);
        assert.deepEqual(types(echo), types(merged));
        // The server keeps the order of elements; a fake that appends shows those of others there.
        const withoutOrder = (s: PodStatus): PodStatus => ({ ...s, podIPs: [], hostIPs: [] });
        assert.equal(computePodStatusPatch('u', withoutOrder(echo), withoutOrder(again)), undefined);
      }),
    );
  });
});

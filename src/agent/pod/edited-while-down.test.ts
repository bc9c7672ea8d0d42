/** A static pod with CPUs of its own that is edited while no agent runs: the next life, in the order of a start. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AssignmentHarness, type HarnessSettings } from '../../../test/fakes/assignment-harness.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { NO_TOPOLOGY_POLICY } from '../../../test/samples/no-topology.ts';
import { sampleMachine } from '../../../test/samples/sample-machines.ts';
import { sandbox } from '../../../test/samples/sample-pods.ts';
import type { Pod } from '../../core/api/pod.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../../core/api/pod-identity.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import type { PodSourceName } from '../../core/model/pod-source-name.ts';
import { DesiredPods } from '../desired/desired-pods.ts';
import { PodSupervisor } from './pod-supervisor.ts';
import type { PodWorker } from './pod-worker.ts';

const settings: HarnessSettings = {
  machine: sampleMachine('laptop'),
  topology: NO_TOPOLOGY_POLICY,
  cpu: {
    options: {
      fullCores: false,
      strictReservation: false,
      byCache: false,
      acrossNodes: false,
      acrossCores: false,
      bySocket: false,
    },
    reservation: { count: 1, cpus: undefined },
  },
  memory: undefined,
};

/** Asks for all CPUs that are free. */
function web(uid: string, cpu = '7'): Pod {
  const limits = { cpu, memory: '1Gi' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', uid },
    spec: { containers: [{ name: 'main', image: 'i', resources: { limits, requests: limits } }] },
  };
}

function listed(uid: string, ready: boolean): Map<PodUid, ObservedPod> {
  const podUid = toPodUid(uid);
  const annotations = { [CONFIG_SOURCE_ANNOTATION]: 'file' };
  const one = sandbox({ podUid, podName: 'web', podNamespace: 'default', annotations, ready });
  return new Map([[podUid, { uid: podUid, sandboxes: [one], containers: [] }]]);
}

/** The life after one in which `old` had the CPUs; the pod after it is `new`. */
async function secondLife(sources: readonly PodSourceName[]) {
  const before = await AssignmentHarness.start(settings);
  assert.equal(await before.add(web('old')), undefined);
  const { assigner } = await AssignmentHarness.start(settings, before.files);
  const clock = new FakeClock();
  const events = new RecordingEvents();
  const admit = ({ spec }: Pod, others: readonly Pod[]) =>
    others.length > 0 || spec.containers[0]?.resources?.requests?.['cpu'] === '9'
      ? ({ ok: false, reason: 'OutOfcpu', message: 'full' } as const)
      : ({ ok: true, victims: [] } as const);
  const desired = new DesiredPods({ clock, events, sources, assigner, admit });
  desired.onAllSourcesSeen(() => assigner.retain((uid) => desired.records.has(uid)));
  const world: { listed: Map<PodUid, ObservedPod> | undefined } = { listed: undefined };
  const ends = new Map<string, (end: 'gone') => void>();
  const supervisor = new PodSupervisor({
    desired,
    logger: new RecordingLogger(),
    createWorker: (uid) => {
      const run = (): Promise<'gone'> => new Promise((resolve) => ends.set(uid, resolve));
      return { uid, run, wake: () => {}, interrupt: () => {} } as unknown as PodWorker;
    },
    readListed: () => world.listed,
    readLeftOvers: async () => ({ pods: [], complete: true }),
  });
  supervisor.onGone((record) => {
    world.listed?.delete(record.uid);
    assigner.podGone(record);
  });
  void supervisor.run(new AbortController().signal);
  const relist = (found: Map<PodUid, ObservedPod>): void => {
    world.listed = found;
    supervisor.review();
  };
  const finish = async (uid: string): Promise<void> => {
    ends.get(uid)?.('gone');
    await clock.settle();
  };
  const next = () => {
    const { undecided, termination } = desired.records.get(toPodUid('new')) ?? {};
    return { undecided: undecided === true, rejected: termination?.verdict?.message };
  };
  return { desired, supervisor, relist, finish, next, started: () => [...ends.keys()] };
}

const WAITS = { undecided: true, rejected: undefined };
const TAKEN = { undecided: false, rejected: undefined };

describe('A static pod with CPUs of its own that was edited while no agent ran', () => {
  for (const sources of [['file'], ['file', 'api']] as const) {
    it(`waits for the runtime and then for its predecessor, sources ${sources}`, async () => {
      const t = await secondLife(sources);
      t.desired.deliver('file', [web('new')]);
      assert.deepEqual([t.next(), t.started()], [WAITS, []]);
      const record = t.desired.records.get(toPodUid('new'));
      assert.ok(record);
      assert.equal(t.supervisor.heldBy(record), 'runtime-unread');
      t.relist(listed('old', true));
      assert.deepEqual([t.next(), t.started()], [WAITS, ['old']]);
      assert.equal(t.supervisor.heldBy(record), 'predecessor');
      await t.finish('old');
      assert.deepEqual([t.next(), t.started()], [TAKEN, ['old', 'new']]);
    });

    for (const ready of [true, false])
      it(`waits where the runtime was read first, sources ${sources}, predecessor ready: ${ready}`, async () => {
        const t = await secondLife(sources);
        t.relist(listed('old', ready));
        t.desired.deliver('file', [web('new')]);
        assert.deepEqual([t.next(), t.started()], [WAITS, ['old']]);
        await t.finish('old');
        assert.deepEqual([t.next(), t.started()], [TAKEN, ['old', 'new']]);
      });
  }

  it('is taken at once where nothing is left of the one before', async () => {
    const t = await secondLife(['file']);
    t.relist(new Map());
    t.desired.deliver('file', [web('new')]);
    assert.deepEqual([t.next(), t.started()], [TAKEN, ['new']]);
  });

  it('is refused at once where it has no place, and keeps none from others', async () => {
    const t = await secondLife(['file', 'api']);
    t.desired.deliver('file', [web('new', '9')]);
    assert.equal(t.next().undecided, false);
    assert.match(t.next().rejected ?? '', /requested=9/);
    t.desired.deliver('api', [web('old')]);
    assert.equal(t.desired.records.get(toPodUid('old'))?.termination, undefined);
  });
});

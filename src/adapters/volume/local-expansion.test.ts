import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { claimRequest } from '../../../test/samples/sample-request.ts';
import { AgentError } from '../../base/errors.ts';
import type { PersistentVolumeClaim } from '../../core/api/persistent-volume.ts';
import type { VolumeRequest } from '../../ports/storage/volume-driver.ts';
import { LocalExpansion } from './local-expansion.ts';

interface Sample {
  readonly status?: PersistentVolumeClaim['status'];
  readonly size?: string;
  readonly readOnly?: boolean;
  readonly isRemount?: boolean;
}

function setUp() {
  const patches: object[] = [];
  const events: string[] = [];
  const world = { grown: 0, failure: undefined as Error | undefined, refusesPatch: false };
  const clock = new FakeClock();
  const expansion = new LocalExpansion({
    api: {
      patch: async (_ref, change) => {
        if (world.refusesPatch) throw new AgentError('unavailable', 'no API server');
        patches.push(change);
        return { metadata: { name: 'disk', namespace: 'ns' }, spec: {} } as never;
      },
    },
    clock,
    random: () => 0.5,
    nodeName: 'node-1',
  });
  const toRequest = ({
    status,
    size = '2Gi',
    readOnly = false,
    isRemount = false,
  }: Sample): VolumeRequest => {
    const spec = { local: { path: '/d' }, capacity: { storage: size } };
    const request = claimRequest({ rootDir: '/r', plugin: 'p', readOnly, spec, warnings: events });
    const { persistent } = request;
    assert.ok(persistent);
    const claim = { ...persistent.claim, ...(status && { status }) };
    return {
      ...request,
      isRemount,
      persistent: { ...persistent, claim },
      inform: (reason) => void events.push(`pod ${reason}`),
      informClaim: (type, reason) => void events.push(`claim ${type} ${reason}`),
    };
  };
  const perform = (sample: Sample) =>
    expansion.perform(toRequest(sample), async () => {
      world.grown++;
      if (world.failure !== undefined) throw world.failure;
    });
  return { clock, expansion, toRequest, perform, patches, events, world };
}

const SMALL = { capacity: { storage: '1Gi' } };

describe('LocalExpansion', () => {
  it('grows a volume that is larger than its claim shows, and then the claim shows it', async () => {
    const t = setUp();
    assert.deepEqual(await t.perform({ status: SMALL }), { ok: true, value: undefined });
    assert.equal(t.world.grown, 1);
    assert.deepEqual(t.patches, [{ status: { capacity: { storage: '2Gi' }, conditions: [] } }]);
    assert.deepEqual(t.events, ['pod FileSystemResizeSuccessful', 'claim Normal FileSystemResizeSuccessful']);
  });

  it('leaves alone what has its size, and claims without one', async () => {
    const t = setUp();
    for (const status of [{ capacity: { storage: '2Gi' } }, { capacity: { storage: '3Gi' } }, undefined])
      assert.ok((await t.perform(status === undefined ? {} : { status })).ok);
    assert.deepEqual([t.world.grown, t.patches], [0, []]);
  });

  it('records the steps on a claim that has them', async () => {
    const t = setUp();
    const status = {
      ...SMALL,
      allocatedResources: { storage: '2Gi' },
      allocatedResourceStatuses: { storage: 'NodeResizePending' },
    };
    await t.perform({ status });
    assert.deepEqual(
      t.patches.map((patch) => JSON.stringify(patch)),
      [
        '{"status":{"allocatedResourceStatuses":{"storage":"NodeResizeInProgress"}}}',
        '{"status":{"capacity":{"storage":"2Gi"},"allocatedResourceStatuses":{"storage":null},"conditions":[]}}',
      ],
    );
  });

  it('grows a volume in use once for each size', async () => {
    const t = setUp();
    await t.perform({ status: { capacity: { storage: '2Gi' } } });
    await t.perform({ status: { capacity: { storage: '2Gi' } }, size: '3Gi', isRemount: true });
    await t.perform({ status: { capacity: { storage: '3Gi' } }, size: '3Gi', isRemount: true });
    assert.equal(t.world.grown, 1);
  });

  it('a failure keeps a pod from starting, but is only reported for one that runs', async () => {
    const t = setUp();
    t.world.failure = new AgentError('unknown', 'cannot resize "/dev/x": no room');
    const refused = await t.perform({ status: SMALL });
    assert.deepEqual(refused, { ok: false, message: 'cannot resize "/dev/x": no room' });
    assert.ok((await t.perform({ status: SMALL, isRemount: true })).ok);
    assert.deepEqual(t.events, [
      'VolumeResizeFailed: NodeExpandVolume.NodeExpandVolume failed for volume "pv-1" : cannot resize "/dev/x": no room',
    ]);
    assert.deepEqual(t.patches, []);
  });

  it('a claim that cannot be written is tried again', async () => {
    const t = setUp();
    t.world.refusesPatch = true;
    const refused = await t.perform({ status: SMALL });
    assert.match(refused.ok ? '' : refused.message, /update pvc status failed: no API server/);
    t.world.refusesPatch = false;
    assert.ok((await t.perform({ status: SMALL })).ok);
    assert.equal(t.patches.length, 1);
  });

  it('warns of a mount that is only to be read, and does not look at it again', async () => {
    const t = setUp();
    assert.ok((await t.perform({ status: SMALL, readOnly: true })).ok);
    assert.equal(t.world.grown, 0);
    assert.match(t.events.join('\n'), /FileSystemResizeFailed.*requested read-only file system/);
    assert.equal(t.expansion.lookAgainAt(t.toRequest({ readOnly: true })), undefined);
    assert.equal(t.expansion.lookAgainAt(t.toRequest({})), t.clock.now() + 75_000);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type { MountResult, VolumeReconciler } from '../volume/volume-reconciler.ts';
import { mountVolumesPerformer } from './mount-volumes.ts';

async function mount(result: MountResult) {
  const rejected: string[] = [];
  const perform = mountVolumesPerformer({
    volumes: { mount: async () => result } as unknown as VolumeReconciler,
    reject: (uid, { reason, message }) => void rejected.push(`${uid} ${reason} ${message}`),
  });
  const record = { uid: toPodUid('uid-1'), pod: samplePod({}), source: 'api' as const, order: 0 };
  const { signal } = new AbortController();
  const outcome = await perform({ kind: 'mount-volumes' }, { record, signal } as never);
  return { outcome, rejected };
}

describe('mountVolumesPerformer', () => {
  it('ends the pass with the reason and tries again later', async () => {
    const { outcome, rejected } = await mount({ ok: false, message: 'not bound', retryAtMs: 7 });
    assert.deepEqual(outcome, {
      kind: 'failed',
      reason: 'FailedMount',
      message: 'not bound',
      retryAtMs: 7,
      endsPass: true,
    });
    assert.deepEqual(rejected, []);
  });

  it('rejects a pod whose volumes the node cannot have', async () => {
    const rejection = { reason: 'VolumeAttachmentLimitExceeded', message: 'full' };
    const { outcome, rejected } = await mount({ ok: false, message: 'm', retryAtMs: 7, rejection });
    assert.equal(outcome.kind === 'failed' && outcome.reason, 'VolumeAttachmentLimitExceeded');
    assert.deepEqual(rejected, ['uid-1 VolumeAttachmentLimitExceeded full']);
  });
});

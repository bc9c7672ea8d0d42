import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { samplePod, UID } from '../../../test/samples/sample-pods.ts';
import { Store } from '../../base/store.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import { toSandboxId } from '../../core/model/ids.ts';
import { PodExplainer } from './pod-explainer.ts';
import type { PodWorker } from './pod-worker.ts';
import type { PublishedStatus } from './status-board.ts';

const MAIN = { name: 'main', image: 'app:1' };

function explain(parts: {
  worker?: Pick<PodWorker, 'activity' | 'last' | 'setback'>;
  before?: number;
  pulling?: string;
  pull?: 'queued';
}): string | undefined {
  const records = new Store<PodUid, DesiredPod>();
  records.set(UID, { uid: UID, pod: samplePod(), source: 'api', order: 3 });
  const explainer = new PodExplainer({
    desired: { records: records.view },
    board: { published: new Store<PodUid, PublishedStatus>().view },
    supervisor: { worker: () => parts.worker, heldBy: () => 'predecessor' },
    gate: { waitingBefore: (rank) => (rank === 2 ** 40 + 3 ? parts.before : undefined) },
    puller: { pullState: (image) => (image === parts.pulling ? (parts.pull ?? 'pulling') : undefined) },
    monitor: { absence: undefined },
    clock: new FakeClock({ startMs: 100_000 }),
  });
  return explainer.explain(UID, [])?.sentence;
}

const starting = {
  last: undefined,
  setback: undefined,
  activity: {
    pod: 'default/web',
    step: 'start container main',
    sinceMs: 60_000,
    action: {
      kind: 'start-container' as const,
      container: MAIN,
      role: 'regular' as const,
      sandboxId: toSandboxId('s'),
      sandboxAttempt: 0,
    },
  },
};

describe('PodExplainer', () => {
  it('knows why a pod has no worker', () => {
    assert.match(explain({}) ?? '', /^Waiting for the pod of the same name before it/);
  });

  it('asks the gate with the rank of the pod, and the puller for its image', () => {
    assert.match(
      explain({ worker: starting, before: 4 }) ?? '',
      /its turn to start container main .*4 before it/,
    );
    assert.match(explain({ worker: starting, pulling: 'app:1' }) ?? '', /the pull of image "app:1"/);
    assert.match(
      explain({ worker: starting, pulling: 'app:1', pull: 'queued' }) ?? '',
      /the pull of image "app:1".*others came first/,
    );
    assert.match(explain({ worker: starting, pulling: 'other:1' }) ?? '', /the step "start container main"/);
  });

  it('shows a pass that changed nothing', () => {
    const setback = { message: 'refused', atMs: 99_000, retryAtMs: 103_000 };
    const worker = { last: undefined, activity: undefined, setback };
    assert.match(explain({ worker }) ?? '', /container runtime: .*failed 1s ago: refused; next try in 3s\.$/);
  });
});

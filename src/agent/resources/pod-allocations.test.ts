import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod, UID } from '../../../test/samples/sample-pods.ts';
import { hasCode } from '../../base/errors.ts';
import { PodAllocations } from './pod-allocations.ts';

const ROOT = '/root';
const GRANTED = '/root/allocated_pods_state';
const ACTUATED = '/root/actuated_pods_state';
const cpu = (amount: string) => ({ requests: { cpu: amount } });
const pod = samplePod({
  containers: [{ name: 'main', image: 'i', resources: cpu('1') }],
  resources: { limits: { cpu: '4' } },
});

async function setUp(files = new FakeFiles()) {
  await files.makeDirectory(ROOT, 0o755);
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const gates = { podLevel: true, initContainers: true };
  const allocations = new PodAllocations({ files, clock, logger, rootDir: ROOT, gates });
  return { files, clock, logger, allocations };
}

describe('PodAllocations', () => {
  it('writes many changes in one go a moment later, and nothing when nothing changes', async () => {
    const { files, clock, allocations } = await setUp();
    allocations.grant(pod);
    allocations.notePodCgroup(pod);
    assert.equal(await files.readFile(GRANTED), undefined);
    await clock.advance(1_000);
    const written = await files.readFile(GRANTED);
    assert.ok(written?.includes(UID));
    allocations.grant(pod);
    using _full = files.faults.add({ errno: 'ENOSPC', under: ROOT });
    await allocations.stored();
    assert.equal(clock.pendingTimers, 0);
  });

  it('a pod starts with what its cgroup was made for, limits of the pod included', async () => {
    const { allocations } = await setUp();
    allocations.notePodCgroup(pod);
    assert.deepEqual(allocations.actuated(UID), {
      containers: { main: { ...cpu('1'), limits: { cpu: '4' } } },
      pod: { limits: { cpu: '4' } },
    });
    await allocations.stored();
  });

  it('noteContainer returns whether the container had something else', async () => {
    const { allocations } = await setUp();
    assert.equal(allocations.noteContainer(pod, { name: 'main', resources: cpu('1') }), false);
    assert.equal(allocations.noteContainer(pod, { name: 'main', resources: cpu('1000m') }), false);
    assert.equal(allocations.noteContainer(pod, { name: 'main', resources: cpu('2') }), true);
    await allocations.stored();
  });

  it('is what it was in the next life, without pods that are gone', async () => {
    const first = await setUp();
    first.allocations.grant(pod);
    first.allocations.notePodCgroup(pod);
    await first.allocations.stored();
    const { allocations } = await setUp(first.files);
    await allocations.load();
    const bigger = {
      ...pod,
      spec: { ...pod.spec, containers: [{ name: 'main', image: 'i', resources: cpu('2') }] },
    };
    assert.deepEqual(allocations.apply(bigger).spec.containers, pod.spec.containers);
    assert.ok(allocations.actuated(UID));
    allocations.retain(() => false);
    assert.equal(allocations.actuated(UID), undefined);
    assert.equal(allocations.apply(bigger), bigger);
  });

  it('refuses to go on with a damaged file, and says what to do', async () => {
    const { files, allocations } = await setUp();
    await files.writeFile(ACTUATED, '{"data":"{}","checksum":1}', 0o600);
    await assert.rejects(allocations.load(), (error) => {
      assert.ok(hasCode(error, 'failed-precondition'));
      assert.match(
        error.message,
        /^could not restore state from checkpoint: checkpoint is corrupted, please drain this node and delete pod resource information checkpoint file "\/root\/actuated_pods_state" before restarting Kubelet$/,
      );
      return true;
    });
  });

  it('a failed write is logged and made up for by the next', async () => {
    const { files, clock, logger, allocations } = await setUp();
    const full = files.faults.add({ errno: 'ENOSPC', under: GRANTED });
    allocations.grant(pod);
    await clock.advance(1_000);
    assert.ok(logger.lines.some(({ message }) => message.startsWith('cannot write allocations')));
    await assert.rejects(allocations.stored());
    full[Symbol.dispose]();
    await allocations.stored();
    assert.ok((await files.readFile(GRANTED))?.includes(UID));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeCgroups } from '../../../test/fakes/fake-cgroups.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { noPins } from '../../../test/fakes/no-pins.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { sampleNode } from '../../../test/samples/sample-pod.ts';
import { observe, samplePod, UID } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import type { Container, Pod, ResourceRequirements } from '../../core/api/pod.ts';
import type { ResizePod } from '../../core/model/actions.ts';
import { toContainerId, toSandboxId } from '../../core/model/ids.ts';
import type { LinuxResources } from '../../core/model/observed-pod.ts';
import { toCgroupParent } from '../../core/spec/to-sandbox-config.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import { PodAllocations } from '../resources/pod-allocations.ts';
import { resizePodPerformer } from './resize-pod.ts';

const need = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});
const SMALL = need('1', '100Mi');
const BIG = need('2', '200Mi');
const MI = 1024 * 1024;
const node = sampleNode();
const id = toContainerId('main-1');
const containerOf = (resources: ResourceRequirements): Container => ({ name: 'main', image: 'i', resources });
const podOf = (resources: ResourceRequirements): Pod => samplePod({ containers: [containerOf(resources)] });

async function setUp(from: ResourceRequirements, to: ResourceRequirements) {
  const clock = new FakeClock();
  const files = new FakeFiles();
  await files.makeDirectory('/root', 0o755);
  const gates = { podLevel: true, initContainers: true };
  const allocations = new PodAllocations({
    files,
    clock,
    logger: new RecordingLogger(),
    rootDir: '/root',
    gates,
  });
  const cgroups = new FakeCgroups();
  const path = toCgroupParent(podOf(to), node);
  await cgroups.ensure(`${path}/${id}`);
  await cgroups.ensure(path);
  const log: string[] = [];
  const failures: string[] = [];
  const refusing: { sandbox?: AgentError; container?: AgentError } = {};
  const inMi = (bytes = 0): string => `${bytes / MI}Mi`;
  const runtime = {
    updateSandbox: async (_id: unknown, { memoryLimitBytes, cpuShares }: LinuxResources) => {
      log.push(`sandbox ${cpuShares} ${inMi(memoryLimitBytes)}`);
      if (refusing.sandbox) throw refusing.sandbox;
    },
    updateContainer: async (which: string, { cpuShares, memoryLimitBytes }: LinuxResources) => {
      log.push(`${which} ${cpuShares} ${inMi(memoryLimitBytes)}`);
      if (refusing.container) throw refusing.container;
    },
  } as unknown as ContainerRuntime;
  const spied = {
    children: (at: string) => cgroups.children(at),
    read: (at: string) => cgroups.read(at),
    apply: async (at: string, values: Parameters<FakeCgroups['apply']>[1]) => {
      log.push(
        `cgroup ${Object.entries(values)
          .map(([key, value]) => `${key}=${value}`)
          .join(' ')}`,
      );
      return cgroups.apply(at, values);
    },
  } as unknown as FakeCgroups;
  const before = podOf(from);
  allocations.notePodCgroup(before);
  const bytes = from.limits?.['memory'] === '100Mi' ? 100 * MI : 200 * MI;
  const cores = Number(from.limits?.['cpu']);
  await cgroups.apply(path, {
    cpuShares: 1024 * cores,
    cpuQuotaUs: 100_000 * cores,
    cpuPeriodUs: 100_000,
    memoryLimitBytes: bytes,
  });
  let inspections = 0;
  const perform = resizePodPerformer({
    kit: { clock, random: () => 0, meter: { resized: () => {} } },
    runtime,
    cgroups: spied,
    allocations,
    resizer: { noteFailure: (_record, message) => void failures.push(message) },
    node,
    pins: noPins,
    reinspect: () => inspections++,
  });
  const action: ResizePod = {
    kind: 'resize-pod',
    sandboxId: toSandboxId('sandbox-1'),
    resizes: [{ id, container: containerOf(to), role: 'regular', from, to }],
    wholePod: false,
  };
  const stop = new AbortController();
  const { signal: callSignal } = new AbortController();
  const record = { uid: UID, pod: podOf(to), source: 'api' as const, order: 0 };
  const run = () =>
    perform(action, { record, observed: observe([]), signal: stop.signal, callSignal, label: 'p' });
  const inForce = () => allocations.actuated(UID)?.containers['main'];
  return {
    run,
    stop,
    log,
    failures,
    refusing,
    cgroups,
    path,
    clock,
    inForce,
    files,
    inspections: () => inspections,
  };
}

describe('resizePodPerformer', () => {
  it('begins no step once the pass was cut short', async () => {
    const { run, stop, log } = await setUp(SMALL, BIG);
    stop.abort(new Error('the agent stops'));
    await assert.rejects(run(), /the agent stops/);
    assert.deepEqual(log, []);
  });

  it('updates the runtime, raises the pod, then the container, and records what is in force', async () => {
    const { run, log, inForce, files, inspections } = await setUp(SMALL, BIG);
    assert.equal((await run()).kind, 'done');
    assert.deepEqual(log, [
      'sandbox 1024 200Mi',
      `cgroup memoryLimitBytes=${200 * MI}`,
      'main-1 1024 200Mi',
      'sandbox 1024 200Mi',
      'cgroup cpuQuotaUs=200000 cpuPeriodUs=100000',
      'sandbox 2048 200Mi',
      'cgroup cpuShares=2048',
      'main-1 2048 200Mi',
    ]);
    assert.deepEqual(inForce(), BIG);
    assert.match((await files.readFile('/root/actuated_pods_state')) ?? '', /200Mi/);
    assert.equal(inspections(), 1);
  });

  it('lowers the container before the pod', async () => {
    const { run, log } = await setUp(BIG, SMALL);
    assert.equal((await run()).kind, 'done');
    assert.deepEqual(
      log.filter((line) => !line.startsWith('sandbox')),
      [
        'main-1 2048 100Mi',
        `cgroup memoryLimitBytes=${100 * MI}`,
        'main-1 1024 100Mi',
        'cgroup cpuShares=1024',
        'cgroup cpuQuotaUs=100000 cpuPeriodUs=100000',
      ],
    );
  });

  it('takes no memory away that is in use, and changes nothing then', async () => {
    const { run, log, failures, cgroups, path, clock, inForce } = await setUp(BIG, SMALL);
    cgroups.usages.set(`${path}/${id}`, 150 * MI);
    const result = await run();
    const message = `cannot decrease memory limits: attempting to set container "main" memory limit (${100 * MI}) below current usage (${150 * MI})`;
    assert.deepEqual(result, {
      kind: 'failed',
      reason: 'ResizePodInPlaceError',
      message,
      retryAtMs: clock.now() + 10_000,
      endsPass: false,
    });
    assert.deepEqual([log, failures], [[], [message]]);
    assert.deepEqual(inForce(), BIG);
  });

  it('a runtime that refuses ends it before anything is changed', async () => {
    const { run, log, failures, refusing } = await setUp(SMALL, BIG);
    refusing.sandbox = new AgentError('invalid-argument', 'no', { cause: new Error('too much') });
    assert.equal((await run()).kind, 'failed');
    assert.deepEqual(failures, [
      'failed to notify runtime for UpdatePodSandboxResources (resource=memory); resize rejected: too much',
    ]);
    assert.deepEqual(log, ['sandbox 1024 200Mi']);
  });

  it('a kernel that refuses makes the runtime go back', async () => {
    const { run, log, failures, cgroups, path } = await setUp(SMALL, BIG);
    cgroups.refusals.set(path, [{ control: 'memory.max', message: 'busy', retryable: true }]);
    assert.equal((await run()).kind, 'failed');
    assert.deepEqual(failures, ['busy']);
    assert.deepEqual(
      log.filter((line) => line.startsWith('sandbox')),
      ['sandbox 1024 200Mi', 'sandbox 1024 100Mi'],
    );
  });

  it('what was done before a failure is known', async () => {
    const { run, inForce, refusing, failures, inspections } = await setUp(SMALL, BIG);
    refusing.container = new AgentError('unknown', 'cannot update', { cause: new Error('boom') });
    assert.equal((await run()).kind, 'failed');
    assert.deepEqual([inForce(), failures], [SMALL, ['boom']]);
    assert.equal(inspections(), 1);
  });
});

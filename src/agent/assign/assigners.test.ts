import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AssignmentHarness, type HarnessSettings } from '../../../test/fakes/assignment-harness.ts';
import { NO_TOPOLOGY_POLICY } from '../../../test/samples/no-topology.ts';
import { sampleMachine } from '../../../test/samples/sample-machines.ts';
import { emptyPod } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import type { Container, Pod } from '../../core/api/pod.ts';
import { parseCpuSet } from '../../core/cpus/cpu-set.ts';
import { toContainerId, toPodUid } from '../../core/model/ids.ts';

const OPTIONS = {
  fullCores: false,
  strictReservation: false,
  byCache: false,
  acrossNodes: false,
  acrossCores: false,
  bySocket: false,
};
const GI = '1Gi';

function settings(more: Partial<HarnessSettings> = {}): HarnessSettings {
  return {
    machine: sampleMachine('laptop'),
    topology: NO_TOPOLOGY_POLICY,
    cpu: { options: OPTIONS, reservation: { count: 1, cpus: undefined } },
    memory: { reserved: [{ numaNode: 0, limits: { memory: GI } }], kept: { memory: GI } },
    ...more,
  };
}

function container(name: string, cpu: string, memory = GI): Container {
  return { name, resources: { limits: { cpu, memory }, requests: { cpu, memory } } };
}

function pod(uid: string, containers: readonly Container[], initContainers: readonly Container[] = []): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: uid, namespace: 'default', uid },
    spec: { containers, initContainers },
  };
}

const cpusOf = ({ pins }: AssignmentHarness, uid: string, name = 'main') =>
  pins.of(toPodUid(uid), name).cpusetCpus;

describe('CpuAssigner', () => {
  it('gives whole CPUs to one container alone and leaves the rest to all others', async () => {
    const harness = await AssignmentHarness.start(settings());
    assert.equal(await harness.add(pod('a', [container('main', '2'), container('side', '500m')])), undefined);
    // Threads of the first core are 0 and 4; CPU 0 is reserved.
    assert.deepEqual(harness.pins.of(toPodUid('a'), 'main'), {
      exclusiveCpus: true,
      cpusetCpus: '1,5',
      cpusetMems: '0',
    });
    assert.deepEqual(harness.pins.of(toPodUid('a'), 'side'), {
      exclusiveCpus: false,
      cpusetCpus: '0,2-4,6-7',
      cpusetMems: '0',
    });
    assert.ok(harness.pins.hasExclusiveCpus(toPodUid('a')));
  });

  it('says when other CPUs are shared, and only then', async () => {
    const harness = await AssignmentHarness.start(settings());
    let changes = 0;
    harness.cpus.onShared(() => changes++);
    await harness.add(pod('shared', [container('main', '500m')]));
    assert.equal(changes, 0);
    await harness.add(pod('own', [container('main', '2')]));
    assert.equal(changes, 1);
    await harness.remove('own');
    await harness.remove('shared');
    assert.equal(changes, 2);
  });

  it('lets main containers use the CPUs of init containers again, but not those of sidecars', async () => {
    const harness = await AssignmentHarness.start(settings());
    const sidecar = { ...container('sidecar', '1'), restartPolicy: 'Always' as const };
    await harness.add(pod('a', [container('main', '2')], [container('init', '2'), sidecar]));
    const set = (name: string) => parseCpuSet(cpusOf(harness, 'a', name) ?? '') ?? new Set<number>();
    assert.ok(set('main').isDisjointFrom(set('sidecar')));
    assert.ok(!set('main').isDisjointFrom(set('init')));
    assert.equal(
      harness.cpus.state.shared.size,
      8 - new Set([...set('init'), ...set('main'), ...set('sidecar')]).size,
    );
  });

  it('refuses in upstream’s words', async () => {
    const harness = await AssignmentHarness.start(
      settings({
        cpu: { options: { ...OPTIONS, fullCores: true }, reservation: { count: 1, cpus: undefined } },
      }),
    );
    const refusal = async (cpu: string) => harness.add(pod('a', [container('main', cpu)]));
    assert.deepEqual(await refusal('3'), {
      reason: 'SMTAlignmentError',
      message: 'SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2',
    });
    assert.deepEqual(await refusal('8'), {
      reason: 'SMTAlignmentError',
      message:
        'SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 6, requested CPUs = 8, CPUs per core = 2',
    });
    const plain = await AssignmentHarness.start(settings());
    assert.deepEqual(await plain.add(pod('a', [container('main', '8')])), {
      reason: 'UnexpectedAdmissionError',
      message:
        'Allocate failed due to not enough cpus available to satisfy request: requested=8, available=7, which is unexpected',
    });
  });

  it('finds after a restart what it gave before, and a pod that runs is admitted with it', async () => {
    const full = settings({
      cpu: { options: { ...OPTIONS, fullCores: true }, reservation: { count: 1, cpus: undefined } },
    });
    const before = await AssignmentHarness.start(full);
    const big = pod('big', [container('main', '6')]);
    await before.add(big);
    const after = await AssignmentHarness.start(full, before.files);
    assert.equal(cpusOf(after, 'big'), cpusOf(before, 'big'));
    assert.equal(await after.add(big), undefined);
    assert.equal(cpusOf(after, 'big'), cpusOf(before, 'big'));
  });

  it('does not start with a file that is damaged or of another machine', async () => {
    const before = await AssignmentHarness.start(settings());
    await before.add(pod('a', [container('main', '2')]));
    const isRefused = (wanted: RegExp) => (error: unknown) =>
      error instanceof AgentError &&
      wanted.test(error.message) &&
      /please drain this node and delete the CPU manager checkpoint file "\/var\/lib\/kubelet\/cpu_manager_state"/.test(
        error.message,
      );
    const other = settings({ machine: sampleMachine('single core'), memory: undefined });
    await assert.rejects(
      AssignmentHarness.start(other, new Map(before.files)),
      isRefused(/current set of available CPUs "0-1" doesn't match with CPUs in state "0-7"/),
    );
    const text = before.file('cpu_manager_state').replace('"defaultCpuSet":"', '"defaultCpuSet":"9,');
    await assert.rejects(
      AssignmentHarness.start(settings(), new Map([['/var/lib/kubelet/cpu_manager_state', text]])),
      isRefused(/checkpoint is corrupted/),
    );
    await assert.rejects(
      AssignmentHarness.start(settings({ cpu: undefined }), before.files),
      isRefused(/configured policy "none" differs from state checkpoint policy "static"/),
    );
  });

  it('binds no container without the policy, and writes the file that says so', async () => {
    const harness = await AssignmentHarness.start(settings({ cpu: undefined, memory: undefined }));
    await harness.add(pod('a', [container('main', '2')]));
    await harness.cpus.flush();
    assert.deepEqual(harness.pins.of(toPodUid('a'), 'main'), { exclusiveCpus: false });
    assert.match(harness.file('cpu_manager_state'), /"policyName":"none".*"checksum":1353318690/);
  });
});

describe('MemoryAssigner', () => {
  it('gives back what init containers had when a later one starts', async () => {
    const harness = await AssignmentHarness.start(settings());
    await harness.add(pod('a', [container('main', '1', '2Gi')], [container('init', '1', '6Gi')]));
    const free = () => harness.memory.state.nodes.get(0)?.tables.get('memory')?.free;
    assert.equal(free(), 9 * 2 ** 30);
    harness.pins.created(
      pod('a', [container('main', '1', '2Gi')], [container('init', '1', '6Gi')]),
      'main',
      toContainerId('c'),
      {},
    );
    assert.equal(free(), 13 * 2 ** 30);
    await harness.remove('a');
    assert.equal(free(), 15 * 2 ** 30);
  });

  it('refuses in upstream’s words', async () => {
    const harness = await AssignmentHarness.start(settings());
    assert.equal(
      (await harness.add(pod('a', [container('main', '1', '99Gi')])))?.message,
      'Allocate failed due to [memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available, which is unexpected',
    );
  });
});

describe('ContainerPins', () => {
  it('knows what a container was last given, until it is gone', async () => {
    const harness = await AssignmentHarness.start(settings());
    const [uid, id] = [toPodUid('a'), toContainerId('c1')];
    harness.pins.created(pod('a', []), 'main', id, { cpusetCpus: '0-7' });
    const observed = { ...emptyPod(uid), containers: [{ id }] } as unknown as ReturnType<typeof emptyPod>;
    assert.equal(harness.pins.facts({ uid }, observed)?.applied(id), '0-7');
    harness.pins.failed(uid, 5_000);
    assert.equal(harness.pins.facts({ uid }, observed)?.retryAtMs, 15_000);
    harness.pins.applied(uid, id, '0-3');
    assert.equal(harness.pins.facts({ uid }, observed)?.retryAtMs, undefined);
    assert.equal(harness.pins.facts({ uid }, emptyPod(uid))?.applied(id), undefined);
  });

  it('leaves CPUs to the kernel when none is left to share', async () => {
    const strict = {
      options: { ...OPTIONS, strictReservation: true },
      reservation: { count: 2, cpus: undefined },
    };
    const harness = await AssignmentHarness.start(settings({ cpu: strict }));
    await harness.add(pod('a', [container('main', '6'), container('side', '500m')]));
    assert.equal(cpusOf(harness, 'a', 'side'), undefined);
    const after = await AssignmentHarness.start(settings({ cpu: strict }), harness.files);
    assert.equal(cpusOf(after, 'a'), cpusOf(harness, 'a'));
  });
});

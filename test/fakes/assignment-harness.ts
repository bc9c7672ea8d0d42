/** The real assigners on a machine that is given as data, with files in memory: pods come, and go. */
import { ContainerPins } from '../../src/agent/assign/container-pins.ts';
import { CpuAssigner } from '../../src/agent/assign/cpu-assigner.ts';
import { MemoryAssigner } from '../../src/agent/assign/memory-assigner.ts';
import { PodAssigner } from '../../src/agent/assign/pod-assigner.ts';
import type { Pod, ResourceList } from '../../src/core/api/pod.ts';
import {
  type CpuPolicyOptions,
  type CpuReservation,
  createCpuPolicy,
} from '../../src/core/cpus/cpu-policy.ts';
import { toCpuTopology } from '../../src/core/cpus/cpu-topology.ts';
import { type MachineLayout, toNumaLayout } from '../../src/core/cpus/machine-layout.ts';
import { toPodUid } from '../../src/core/model/ids.ts';
import type { AdmissionRefusal } from '../../src/core/node/admission-facts.ts';
import { createMemoryState, type MemoryReservation } from '../../src/core/numa-memory/memory-policy.ts';
import type { TopologyPolicy } from '../../src/core/topology/topology-policy.ts';
import { noMeter } from '../../src/ports/agent-meter.ts';
import { FakeClock } from './fake-clock.ts';
import { RecordingLogger } from './recording-logger.ts';

export interface HarnessSettings {
  readonly machine: MachineLayout;
  readonly topology: TopologyPolicy;
  /** Undefined: policy `none`. */
  readonly cpu: { readonly options: CpuPolicyOptions; readonly reservation: CpuReservation } | undefined;
  /** Undefined: policy `None`. */
  readonly memory:
    | { readonly reserved: readonly MemoryReservation[]; readonly kept: ResourceList }
    | undefined;
}

export class AssignmentHarness {
  readonly #files: Map<string, string>;
  readonly cpus: CpuAssigner;
  readonly memory: MemoryAssigner;
  readonly assigner: PodAssigner;
  readonly pins: ContainerPins;

  /** Rejects when the agent would not start so. `files` are those of an earlier life. */
  static async start(
    settings: HarnessSettings,
    files = new Map<string, string>(),
  ): Promise<AssignmentHarness> {
    const harness = new AssignmentHarness(settings, files);
    await harness.cpus.load();
    await harness.memory.load();
    return harness;
  }

  private constructor({ machine, topology, cpu, memory }: HarnessSettings, files: Map<string, string>) {
    this.#files = files;
    const policy =
      cpu && createCpuPolicy(toCpuTopology(machine.cpus), cpu.reservation, cpu.options, topology.name);
    const fresh = memory && createMemoryState(machine, memory.reserved, memory.kept);
    if (policy !== undefined && 'problem' in policy) throw new Error(policy.problem);
    if (fresh !== undefined && 'problem' in fresh) throw new Error(fresh.problem);
    const parts = {
      meter: noMeter,
      clock: new FakeClock(),
      logger: new RecordingLogger(),
      rootDir: '/var/lib/kubelet',
      files: {
        makeDirectory: async () => {},
        readFile: async (path: string) => files.get(path),
        writeFile: async (path: string, content: string) => void files.set(path, content),
      },
    };
    this.cpus = new CpuAssigner({ ...parts, policy });
    this.memory = new MemoryAssigner({ ...parts, fresh });
    const providers = [this.cpus, this.memory];
    const numa = toNumaLayout(machine);
    this.assigner = new PodAssigner({
      clock: new FakeClock(),
      meter: noMeter,
      providers,
      policy: topology,
      numa,
    });
    this.pins = new ContainerPins({ cpus: this.cpus, memory: this.memory, retryMs: 10_000 });
  }

  get files(): Map<string, string> {
    return this.#files;
  }

  async add(pod: Pod): Promise<AdmissionRefusal | undefined> {
    const refusal = await this.assigner.assign(pod);
    await this.#store();
    return refusal;
  }

  async remove(uid: string): Promise<void> {
    this.assigner.release(toPodUid(uid));
    await this.#store();
  }

  async #store(): Promise<void> {
    await Promise.all([this.cpus.stored(), this.memory.stored()]);
  }

  /** The text of `cpu_manager_state` or `memory_manager_state`. */
  file(name: string): string {
    return this.#files.get(`/var/lib/kubelet/${name}`) ?? '';
  }
}

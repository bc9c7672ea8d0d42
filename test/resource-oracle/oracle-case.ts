/** One comparison: settings and a machine, for ours and in the words of the upstream program. */

import type { CpuPolicyOptions } from '../../src/core/cpus/cpu-policy.ts';
import type { MachineLayout } from '../../src/core/cpus/machine-layout.ts';
import type {
  TopologyPolicy,
  TopologyPolicyName,
  TopologyScope,
} from '../../src/core/topology/topology-policy.ts';
import { AssignmentHarness } from '../fakes/assignment-harness.ts';
import type { Draw, Step } from './random-steps.ts';

export interface OracleCase {
  readonly machine: MachineLayout;
  readonly topology: TopologyPolicy;
  readonly options: CpuPolicyOptions;
  readonly reservedCount: number;
  /** Undefined leaves the choice to the policy. */
  readonly reservedCpus: ReadonlySet<number> | undefined;
  readonly steps: readonly Step[];
}

const OPTION_NAMES = {
  fullCores: 'full-pcpus-only',
  strictReservation: 'strict-cpu-reservation',
  byCache: 'prefer-align-cpus-by-uncorecache',
  acrossNodes: 'distribute-cpus-across-numa',
  acrossCores: 'distribute-cpus-across-cores',
  bySocket: 'align-by-socket',
} as const;

const POLICIES: readonly TopologyPolicyName[] = ['none', 'best-effort', 'restricted', 'single-numa-node'];
const SCOPES: readonly TopologyScope[] = ['container', 'pod'];
/** Of the memory of each node. */
const RESERVED_BYTES = 256 * 2 ** 20;

/** Options that go together. */
export function drawOptions(draw: Draw, topology: TopologyPolicyName): CpuPolicyOptions {
  const sometimes = (): boolean => draw(3) === 0;
  const acrossCores = sometimes();
  const acrossNodes = !acrossCores && sometimes();
  return {
    acrossCores,
    acrossNodes,
    fullCores: !acrossCores && sometimes(),
    byCache: !acrossCores && !acrossNodes && sometimes(),
    strictReservation: sometimes(),
    // Refused without a policy for lack of its name, which upstream asks for.
    bySocket: topology !== 'single-numa-node' && topology !== 'none' && sometimes(),
  };
}

export function drawCase(draw: Draw, machine: MachineLayout, steps: readonly Step[]): OracleCase {
  const name = POLICIES[draw(POLICIES.length)] ?? 'none';
  const scope = SCOPES[draw(SCOPES.length)] ?? 'container';
  const reservedCount = 1 + draw(Math.min(3, machine.cpus.length));
  const named = machine.cpus.map(({ cpu }) => cpu).slice(0, reservedCount);
  return {
    machine,
    topology: { name, scope, preferClosest: draw(2) === 0 },
    options: drawOptions(draw, name),
    reservedCount,
    reservedCpus: draw(3) === 0 ? new Set(named) : undefined,
    steps,
  };
}

/** As the upstream program reads it. */
export function toUpstream(one: OracleCase): unknown {
  const { machine, topology, options, reservedCount, reservedCpus, steps } = one;
  const memory = `${(RESERVED_BYTES * machine.nodes.length) / 2 ** 20}Mi`;
  return {
    machine: toMachineInfo(machine),
    topology: {
      policy: topology.name,
      scope: topology.scope,
      options: { 'prefer-closest-numa-nodes': String(topology.preferClosest) },
    },
    cpu: {
      policy: 'static',
      options: Object.fromEntries(
        Object.entries(OPTION_NAMES).map(([key, name]) => [
          name,
          String(options[key as keyof CpuPolicyOptions]),
        ]),
      ),
      reservedCpus: [...(reservedCpus ?? [])].join(','),
    },
    memory: {
      policy: 'Static',
      reserved: machine.nodes.map(({ id }) => ({
        NumaNode: id,
        Limits: { memory: `${RESERVED_BYTES / 2 ** 20}Mi` },
      })),
    },
    reservation: { cpu: String(reservedCount), memory },
    steps,
  };
}

function toMachineInfo({ cpus, nodes }: MachineLayout): unknown {
  const topology = nodes.map(({ id, memoryBytes, hugepages, distances }) => {
    const own = cpus.filter(({ node }) => node === id);
    const cores = [...new Set(own.map(({ core }) => core))].map((core) => {
      const threads = own.filter((one) => one.core === core);
      const [first] = threads;
      return {
        core_id: core,
        thread_ids: threads.map(({ cpu }) => cpu),
        socket_id: first?.socket ?? 0,
        uncore_caches: [{ id: first?.cache ?? 0, size: 1, type: 'Unified', level: 3 }],
      };
    });
    return {
      node_id: id,
      memory: memoryBytes,
      hugepages: hugepages.map(({ pageBytes, count }) => ({ page_size: pageBytes / 1024, num_pages: count })),
      cores,
      distances,
    };
  });
  const sockets = new Set(cpus.map(({ socket }) => socket)).size;
  return { num_cores: cpus.length, num_sockets: sockets, topology };
}

/** Ours, ready for its first step. */
export async function toHarness(one: OracleCase): Promise<AssignmentHarness> {
  const { machine, topology, options, reservedCount, reservedCpus } = one;
  const limits = { memory: `${RESERVED_BYTES / 2 ** 20}Mi` };
  return AssignmentHarness.start({
    machine,
    topology,
    cpu: { options, reservation: { count: reservedCount, cpus: reservedCpus } },
    memory: {
      reserved: machine.nodes.map(({ id }) => ({ numaNode: id, limits })),
      kept: { memory: `${(RESERVED_BYTES * machine.nodes.length) / 2 ** 20}Mi` },
    },
  });
}

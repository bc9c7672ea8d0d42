/**
 * Devices that plugins offer, and what of them a container was given. A plugin
 * speaks for one extended resource; a device is its id, its health and the
 * memory nodes it is near to.
 */
import type { StringMap } from '../api/meta.ts';
import type { EnvironmentVariable } from '../model/container-config.ts';
import type { PodUid } from '../model/ids.ts';

export interface Device {
  readonly id: string;
  readonly isHealthy: boolean;
  /** Memory nodes it is near to; empty when the plugin names none. */
  readonly numaNodes: readonly number[];
}

/** In the order of the plugin. */
export type DeviceMap = ReadonlyMap<string, Device>;

/** Under this node stand devices without one. */
export const NO_NUMA_NODE = -1;

/** Ids by memory node. */
export type DevicesPerNuma = ReadonlyMap<number, readonly string[]>;

/** What a container gets with its devices. */
export interface DeviceGrant {
  readonly env: readonly EnvironmentVariable[];
  readonly mounts: readonly {
    readonly containerPath: string;
    readonly hostPath: string;
    readonly readOnly: boolean;
  }[];
  readonly devices: readonly {
    readonly containerPath: string;
    readonly hostPath: string;
    readonly permissions: string;
  }[];
  readonly annotations: StringMap;
  readonly cdiDevices: readonly string[];
}

/** The answer of a plugin to an allocation. */
export interface DeviceResponse {
  /** As the checkpoint keeps it: its protobuf form in base64. */
  readonly encoded: string;
  readonly grant: DeviceGrant;
}

/** Devices of one resource that one container of a pod has. */
export interface DeviceAssignment {
  readonly podUid: PodUid;
  readonly container: string;
  readonly resource: string;
  readonly ids: DevicesPerNuma;
  /** Undefined until the plugin has answered. */
  readonly response: DeviceResponse | undefined;
}

/** Each id once, in order. */
export function idsOf({ ids }: Pick<DeviceAssignment, 'ids'>): string[] {
  return [...new Set([...ids.values()].flat())];
}

/** Ids under each memory node of their device. */
export function groupByNuma(ids: readonly string[], devices: DeviceMap): DevicesPerNuma {
  const groups = new Map<number, string[]>();
  for (const id of ids) {
    const nodes = devices.get(id)?.numaNodes ?? [];
    for (const node of nodes.length === 0 ? [NO_NUMA_NODE] : nodes) {
      const group = groups.get(node);
      if (group === undefined) groups.set(node, [id]);
      else group.push(id);
    }
  }
  return groups;
}

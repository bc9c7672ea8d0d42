/**
 * Calls of a storage driver's node service, in our words. Each call has a
 * connection of its own and two minutes. Rejects with AgentError; isFinal says
 * whether the driver may still be at work after one.
 */
import type { Clock } from '../../base/async/clock.ts';
import { AgentError } from '../../base/errors.ts';
import type { StringMap } from '../../core/api/meta.ts';
import type { CsiAccessMode, CsiCapability } from '../../core/volume/csi/csi-access.ts';
import type { VolumeCondition, VolumeUsage } from '../../core/volume/volume-usage.ts';
import {
  NodeServiceCapability_RPC_Type as Capability,
  VolumeCapability_AccessMode_Mode as Mode,
  Node,
  PACKAGE,
  VolumeUsage_Unit as Unit,
  type VolumeCapability,
} from '../../gen/csi.ts';
import type { Init, Method } from '../../gen/wire.ts';
import { callOnce } from '../grpc/call-once.ts';
import { toAgentError, toCodeName } from '../grpc/grpc-errors.ts';
import { GrpcCode, GrpcError } from '../grpc/grpc-status.ts';

const TIMEOUT_MS = 120_000;

const CAPABILITIES: Readonly<Record<number, CsiCapability>> = {
  [Capability.STAGE_UNSTAGE_VOLUME]: 'stage-unstage',
  [Capability.GET_VOLUME_STATS]: 'volume-stats',
  [Capability.EXPAND_VOLUME]: 'expand',
  [Capability.VOLUME_CONDITION]: 'volume-condition',
  [Capability.SINGLE_NODE_MULTI_WRITER]: 'single-node-multi-writer',
  [Capability.VOLUME_MOUNT_GROUP]: 'volume-mount-group',
};

const MODES: Readonly<Record<CsiAccessMode, number>> = {
  'single-node-writer': Mode.SINGLE_NODE_WRITER,
  'single-node-single-writer': Mode.SINGLE_NODE_SINGLE_WRITER,
  'single-node-multi-writer': Mode.SINGLE_NODE_MULTI_WRITER,
  'multi-node-reader-only': Mode.MULTI_NODE_READER_ONLY,
  'multi-node-multi-writer': Mode.MULTI_NODE_MULTI_WRITER,
};

/** How a volume is used. */
export type CsiUse = { readonly accessMode: CsiAccessMode } & (
  | { readonly kind: 'block' }
  | {
      readonly kind: 'mount';
      readonly fsType: string;
      readonly flags: readonly string[];
      /** Set when the driver is to give the files to this group. */
      readonly group?: number;
    }
);

export interface CsiStage {
  readonly volumeId: string;
  readonly stagingPath: string;
  readonly use: CsiUse;
  readonly publishContext: StringMap;
  readonly volumeContext: StringMap;
  readonly secrets: StringMap;
}

export interface CsiPublish extends Omit<CsiStage, 'stagingPath'> {
  /** Absent for a volume that was not staged. */
  readonly stagingPath?: string;
  readonly targetPath: string;
  readonly readOnly: boolean;
}

export interface CsiExpand {
  readonly volumeId: string;
  readonly volumePath: string;
  readonly stagingPath?: string;
  readonly requiredBytes: number;
  readonly use: CsiUse;
  readonly secrets: StringMap;
}

export interface CsiStats {
  /** Only the numbers the driver reports; absent when it reports none. */
  readonly usage?: Partial<VolumeUsage>;
  /** Absent when the driver says nothing about it. */
  readonly condition?: VolumeCondition;
}

export interface CsiNodeFacts {
  readonly nodeId: string;
  readonly maxVolumes: number;
  readonly topology: StringMap;
}

/** A call that has ended. */
export interface CsiCall {
  /** Such as `/csi.v1.Node/NodeStageVolume`. */
  readonly method: string;
  /** Such as `OK`. */
  readonly code: string;
  readonly durationMs: number;
}

export class CsiClient {
  readonly #socketPath: string;
  readonly #clock: Clock;
  readonly #onCall: (call: CsiCall) => void;

  constructor(socketPath: string, clock: Clock, onCall: (call: CsiCall) => void = () => {}) {
    this.#socketPath = socketPath;
    this.#clock = clock;
    this.#onCall = onCall;
  }

  async nodeInfo(signal?: AbortSignal): Promise<CsiNodeFacts> {
    const answer = await this.#call(Node.NodeGetInfo, {}, signal);
    const { nodeId, maxVolumesPerNode: maxVolumes, accessibleTopology } = answer;
    return { nodeId, maxVolumes, topology: accessibleTopology?.segments ?? {} };
  }

  async capabilities(signal?: AbortSignal): Promise<ReadonlySet<CsiCapability>> {
    const { capabilities } = await this.#call(Node.NodeGetCapabilities, {}, signal);
    return new Set(capabilities.flatMap(({ rpc }) => CAPABILITIES[rpc?.type ?? 0] ?? []));
  }

  async stage(request: CsiStage, signal?: AbortSignal): Promise<void> {
    const { volumeId, stagingPath: stagingTargetPath, publishContext, volumeContext, secrets } = request;
    const volumeCapability = toCapability(request.use);
    const message = { volumeId, stagingTargetPath, publishContext, volumeContext, secrets, volumeCapability };
    await this.#call(Node.NodeStageVolume, message, signal);
  }

  async unstage(volumeId: string, stagingTargetPath: string, signal?: AbortSignal): Promise<void> {
    await this.#call(Node.NodeUnstageVolume, { volumeId, stagingTargetPath }, signal);
  }

  async publish(request: CsiPublish, signal?: AbortSignal): Promise<void> {
    const { volumeId, targetPath, publishContext, volumeContext, secrets } = request;
    const message = {
      volumeId,
      targetPath,
      publishContext,
      volumeContext,
      secrets,
      stagingTargetPath: request.stagingPath ?? '',
      volumeCapability: toCapability(request.use),
      readonly: request.readOnly,
    };
    await this.#call(Node.NodePublishVolume, message, signal);
  }

  async unpublish(volumeId: string, targetPath: string, signal?: AbortSignal): Promise<void> {
    await this.#call(Node.NodeUnpublishVolume, { volumeId, targetPath }, signal);
  }

  async expand(request: CsiExpand, signal?: AbortSignal): Promise<void> {
    const { volumeId, volumePath, secrets } = request;
    const message = {
      volumeId,
      volumePath,
      secrets,
      stagingTargetPath: request.stagingPath ?? '',
      capacityRange: { requiredBytes: request.requiredBytes },
      volumeCapability: toCapability(request.use),
    };
    await this.#call(Node.NodeExpandVolume, message, signal);
  }

  async stats(volumeId: string, volumePath: string, signal?: AbortSignal): Promise<CsiStats> {
    const message = { volumeId, volumePath };
    const { usage, volumeCondition } = await this.#call(Node.NodeGetVolumeStats, message, signal);
    const bytes = usage.find(({ unit }) => unit === Unit.BYTES);
    const inodes = usage.find(({ unit }) => unit === Unit.INODES);
    const measured = {
      ...(bytes === undefined
        ? {}
        : { availableBytes: bytes.available, capacityBytes: bytes.total, usedBytes: bytes.used }),
      ...(inodes === undefined
        ? {}
        : { inodesFree: inodes.available, inodes: inodes.total, inodesUsed: inodes.used }),
    };
    return {
      ...(usage.length === 0 ? {} : { usage: measured }),
      ...(volumeCondition === undefined ? {} : { condition: volumeCondition }),
    };
  }

  async #call<Request, Response>(
    method: Method<Request, Response>,
    request: Init<Request>,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const startedAtMs = this.#clock.steady();
    const end = (code: string): void =>
      this.#onCall({
        method: `/${PACKAGE}.${method.service}/${method.name}`,
        code,
        durationMs: this.#clock.steady() - startedAtMs,
      });
    try {
      const call = { socketPath: this.#socketPath, packageName: PACKAGE, clock: this.#clock };
      const answer = await callOnce({ ...call, method, request, timeoutMs: TIMEOUT_MS, signal });
      end(toCodeName(GrpcCode.OK));
      return answer;
    } catch (error) {
      end(error instanceof GrpcError ? toCodeName(error.code) : 'unknown-non-grpc');
      throw toAgentError(error, signal);
    }
  }
}

/** The driver may still be at work after these, or may succeed when asked again. */
const NOT_FINAL: ReadonlySet<number> = new Set([
  GrpcCode.CANCELLED,
  GrpcCode.DEADLINE_EXCEEDED,
  GrpcCode.UNAVAILABLE,
  GrpcCode.RESOURCE_EXHAUSTED,
  GrpcCode.ABORTED,
]);

/** True when the driver's answer is final: nothing of the call is left on its side. */
export function isFinal(error: unknown): boolean {
  const code = grpcCodeOf(error);
  return code !== undefined && !NOT_FINAL.has(code);
}

/** The code of the driver's answer; undefined when there was none. */
export function grpcCodeOf(error: unknown): number | undefined {
  const cause = error instanceof AgentError ? error.cause : error;
  return cause instanceof GrpcError ? cause.code : undefined;
}

function toCapability(use: CsiUse): Init<VolumeCapability> {
  const accessMode = { mode: MODES[use.accessMode] };
  if (use.kind === 'block') return { block: {}, accessMode };
  const { fsType, flags: mountFlags, group } = use;
  const volumeMountGroup = group === undefined ? '' : String(group);
  return { mount: { fsType, mountFlags, volumeMountGroup }, accessMode };
}

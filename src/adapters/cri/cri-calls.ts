/**
 * Every call of the runtime interface in one table: the RPC, the name its
 * metrics carry, how long it may take and what its answer must contain.
 */
import { AgentError } from '../../base/errors.ts';
import { ImageService, RuntimeService } from '../../gen/cri.ts';
import type { Init, Method } from '../../gen/wire.ts';
import * as checks from './response-checks.ts';

export interface CriCall<Request, Response> {
  readonly service: string;
  readonly name: string;
  readonly encode: (request: Request) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => Response;
  /** The `operation_type` of metrics. */
  readonly operation: string;
  /** From the request timeout T of the configuration; undefined means no deadline. */
  readonly timeoutMs: (requestTimeoutMs: number, request: Request) => number | undefined;
  /** Throws when the answer is not valid. */
  readonly check: (response: Response, request: Request) => void;
}

const WHOLE = (requestTimeoutMs: number): number => requestTimeoutMs;
const NEVER = (): undefined => undefined;

function define<Request, Response>(
  method: Method<Request, Response>,
  operation: string,
  rules: Partial<Pick<CriCall<Init<Request>, Response>, 'timeoutMs' | 'check'>> = {},
): CriCall<Init<Request>, Response> {
  const { service, name, encodeRequest: encode, decodeResponse: decode } = method;
  const { timeoutMs = WHOLE, check = () => {} } = rules;
  return { service, name, encode, decode, operation, timeoutMs, check };
}

export const CRI_CALLS = {
  version: define(RuntimeService.Version, 'version', { check: checks.checkVersion }),
  runPodSandbox: define(RuntimeService.RunPodSandbox, 'run_podsandbox', {
    timeoutMs: (t) => 2 * t,
    check: checks.checkRunPodSandbox,
  }),
  stopPodSandbox: define(RuntimeService.StopPodSandbox, 'stop_podsandbox'),
  removePodSandbox: define(RuntimeService.RemovePodSandbox, 'remove_podsandbox'),
  podSandboxStatus: define(RuntimeService.PodSandboxStatus, 'podsandbox_status', {
    check: checks.checkPodSandboxStatus,
  }),
  listPodSandbox: define(RuntimeService.ListPodSandbox, 'list_podsandbox'),
  streamPodSandboxes: define(RuntimeService.StreamPodSandboxes, 'list_podsandbox'),
  createContainer: define(RuntimeService.CreateContainer, 'create_container', {
    check: checks.checkCreateContainer,
  }),
  startContainer: define(RuntimeService.StartContainer, 'start_container'),
  stopContainer: define(RuntimeService.StopContainer, 'stop_container', {
    timeoutMs: (t, request) => t + (request.timeout ?? 0) * 1000,
  }),
  removeContainer: define(RuntimeService.RemoveContainer, 'remove_container'),
  listContainers: define(RuntimeService.ListContainers, 'list_containers'),
  streamContainers: define(RuntimeService.StreamContainers, 'list_containers'),
  containerStatus: define(RuntimeService.ContainerStatus, 'container_status', {
    check: checks.checkContainerStatus,
  }),
  updateContainerResources: define(RuntimeService.UpdateContainerResources, 'update_container'),
  reopenContainerLog: define(RuntimeService.ReopenContainerLog, 'reopen_container_log'),
  execSync: define(RuntimeService.ExecSync, 'exec_sync', {
    timeoutMs: (t, request) => (request.timeout ? t + request.timeout * 1000 : undefined),
  }),
  exec: define(RuntimeService.Exec, 'exec', { check: checks.checkUrl }),
  attach: define(RuntimeService.Attach, 'attach', { check: checks.checkUrl }),
  portForward: define(RuntimeService.PortForward, 'port_forward', { check: checks.checkUrl }),
  containerStats: define(RuntimeService.ContainerStats, 'container_stats'),
  listContainerStats: define(RuntimeService.ListContainerStats, 'list_container_stats'),
  streamContainerStats: define(RuntimeService.StreamContainerStats, 'list_container_stats'),
  podSandboxStats: define(RuntimeService.PodSandboxStats, 'podsandbox_stats'),
  listPodSandboxStats: define(RuntimeService.ListPodSandboxStats, 'list_podsandbox_stats'),
  streamPodSandboxStats: define(RuntimeService.StreamPodSandboxStats, 'list_podsandbox_stats'),
  updateRuntimeConfig: define(RuntimeService.UpdateRuntimeConfig, 'update_runtime_config'),
  status: define(RuntimeService.Status, 'status', { check: checks.checkStatus }),
  checkpointContainer: define(RuntimeService.CheckpointContainer, 'checkpoint_container', {
    timeoutMs: (t, request) => Math.max(t, (request.timeout ?? 0) * 1000),
  }),
  getContainerEvents: define(RuntimeService.GetContainerEvents, 'get_container_events', { timeoutMs: NEVER }),
  listMetricDescriptors: define(RuntimeService.ListMetricDescriptors, 'list_metric_descriptors'),
  listPodSandboxMetrics: define(RuntimeService.ListPodSandboxMetrics, 'list_podsandbox_metrics'),
  streamPodSandboxMetrics: define(RuntimeService.StreamPodSandboxMetrics, 'list_podsandbox_metrics'),
  runtimeConfig: define(RuntimeService.RuntimeConfig, 'runtime_config'),
  updatePodSandboxResources: define(RuntimeService.UpdatePodSandboxResources, 'update_podsandbox_resources'),
  listImages: define(ImageService.ListImages, 'list_images'),
  streamImages: define(ImageService.StreamImages, 'list_images'),
  imageStatus: define(ImageService.ImageStatus, 'image_status', { check: checks.checkImageStatus }),
  pullImage: define(ImageService.PullImage, 'pull_image', {
    timeoutMs: NEVER,
    check: checks.checkPullImage,
  }),
  removeImage: define(ImageService.RemoveImage, 'remove_image'),
  imageFsInfo: define(ImageService.ImageFsInfo, 'image_fs_info'),
} as const;

export type CriCallName = keyof typeof CRI_CALLS;
export type CriRequest<Name extends CriCallName> =
  (typeof CRI_CALLS)[Name] extends CriCall<infer Request, infer _> ? Request : never;
export type CriResponse<Name extends CriCallName> =
  (typeof CRI_CALLS)[Name] extends CriCall<infer _, infer Response> ? Response : never;

/**
 * The `timeout` of a checkpoint request: at least the request timeout, in
 * whole seconds. Throws `invalid-argument` when `timeoutSeconds` is negative.
 */
export function toCheckpointTimeout(requestTimeoutMs: number, timeoutSeconds: number): number {
  if (timeoutSeconds < 0)
    throw new AgentError('invalid-argument', 'CheckpointContainer requires the timeout value to be > 0');
  return Math.max(timeoutSeconds, Math.trunc(requestTimeoutMs / 1000));
}

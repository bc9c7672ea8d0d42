/**
 * What a runtime's answer must contain before it is believed. Each check
 * throws `unknown` with the text other kubelets use.
 */
import { AgentError } from '../../base/errors.ts';
import type {
  ContainerMetadata,
  ContainerStatusResponse,
  CreateContainerRequest,
  CreateContainerResponse,
  ImageStatusRequest,
  ImageStatusResponse,
  PodSandboxMetadata,
  PodSandboxStatusResponse,
  PullImageRequest,
  PullImageResponse,
  RunPodSandboxRequest,
  RunPodSandboxResponse,
  StatusResponse,
  VersionResponse,
} from '../../gen/cri.ts';
import type { Init } from '../../gen/wire.ts';

export function checkVersion(response: VersionResponse): void {
  const missing = [
    ['Version', response.version],
    ['RuntimeName', response.runtimeName],
    ['RuntimeApiVersion', response.runtimeApiVersion],
    ['RuntimeVersion', response.runtimeVersion],
  ].flatMap(([name, value]) => (value === '' ? [name] : []));
  refuse(missing.length > 0, `not all fields are set in VersionResponse (missing ${missing.join(', ')})`);
}

export function checkRunPodSandbox(
  response: RunPodSandboxResponse,
  request: Init<RunPodSandboxRequest>,
): void {
  const name = renderSandboxMetadata(request.config?.metadata);
  refuse(response.podSandboxId === '', `PodSandboxId is not set for sandbox "${name}"`);
}

export function checkPodSandboxStatus({ status }: PodSandboxStatusResponse): void {
  if (status === undefined) return;
  refuse(status.id === '', 'status.Id is not set');
  const metadata = present(status.metadata, 'status.Metadata is not set');
  refuse(
    metadata.name === '' || metadata.namespace === '' || metadata.uid === '',
    `metadata.Name, metadata.Namespace or metadata.Uid is not in metadata "${renderSandboxMetadata(metadata)}"`,
  );
  refuse(status.createdAt === 0, 'status.CreatedAt is not set');
}

export function checkCreateContainer(
  response: CreateContainerResponse,
  request: Init<CreateContainerRequest>,
): void {
  const name = renderContainerMetadata(request.config?.metadata);
  refuse(response.containerId === '', `ContainerId is not set for container "${name}"`);
}

export function checkContainerStatus({ status }: ContainerStatusResponse): void {
  if (status === undefined) return;
  refuse(status.id === '', 'status.Id is not set');
  const metadata = present(status.metadata, 'status.Metadata is not set');
  refuse(metadata.name === '', `metadata.Name is not in metadata "${renderContainerMetadata(metadata)}"`);
  refuse(status.createdAt === 0, 'status.CreatedAt is not set');
  refuse((status.image?.image ?? '') === '', 'status.Image is not set');
  refuse(status.imageRef === '', 'status.ImageRef is not set');
}

export function checkUrl(response: { readonly url: string }): void {
  refuse(response.url === '', 'URL is not set');
}

export function checkStatus({ status }: StatusResponse): void {
  refuse((status?.conditions.length ?? 0) < 2, 'RuntimeReady or NetworkReady condition are not set');
}

export function checkImageStatus({ image }: ImageStatusResponse, request: Init<ImageStatusRequest>): void {
  if (image === undefined) return;
  const name = request.image?.image ?? '';
  refuse(image.id === '' || image.size === 0, `Id or size of image "${name}" is not set`);
}

export function checkPullImage(response: PullImageResponse, request: Init<PullImageRequest>): void {
  refuse(response.imageRef === '', `imageRef of image "${request.image?.image ?? ''}" is not set`);
}

function refuse(wrong: boolean, message: string): void {
  if (wrong) throw new AgentError('unknown', message);
}

function present<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new AgentError('unknown', message);
  return value;
}

function renderSandboxMetadata(m: Init<PodSandboxMetadata> | undefined): string {
  return `name:${m?.name ?? ''} uid:${m?.uid ?? ''} namespace:${m?.namespace ?? ''} attempt:${m?.attempt ?? 0}`;
}

function renderContainerMetadata(m: Init<ContainerMetadata> | undefined): string {
  return `name:${m?.name ?? ''} attempt:${m?.attempt ?? 0}`;
}

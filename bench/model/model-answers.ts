/**
 * What a runtime that runs nothing answers to each call of the interface, as
 * bytes: behind a socket (model-runtime.ts), or for tests without one.
 */
import * as cri from '../../src/gen/cri.ts';
import { IMAGE, IMAGE_ID, type ModelPods, type OnEvent } from './model-pods.ts';

export type Answer = (body: Uint8Array) => Uint8Array | Promise<Uint8Array>;

export interface ModelAnswersParts {
  readonly pods: ModelPods;
  /** What making a sandbox, a start and a stop take. */
  readonly work: () => Promise<void>;
}

const image = {
  id: IMAGE_ID,
  repoTags: [IMAGE],
  repoDigests: [`localhost/busybox@${IMAGE_ID}`],
  size: 1_000_000,
};
const condition = (type: string) => ({ type, status: true, reason: '', message: '' });

/** By method. They throw for what the runtime does not have. */
export function createModelAnswers({ pods, work }: ModelAnswersParts): Readonly<Record<string, Answer>> {
  return {
    Version: () =>
      cri.encodeVersionResponse({
        version: '0.1.0',
        runtimeName: 'model',
        runtimeVersion: 'v1',
        runtimeApiVersion: 'v1',
      }),
    Status: () =>
      cri.encodeStatusResponse({
        status: { conditions: [condition('RuntimeReady'), condition('NetworkReady')] },
        info: {},
        runtimeHandlers: [{ name: '' }],
      }),
    RuntimeConfig: () => cri.encodeRuntimeConfigResponse({ linux: { cgroupDriver: 1 } }),
    UpdateRuntimeConfig: () => new Uint8Array(),
    ImageFsInfo: () =>
      cri.encodeImageFsInfoResponse({
        imageFilesystems: [
          {
            timestamp: Date.now() * 1e6,
            fsId: { mountpoint: '/' },
            usedBytes: { value: 1e6 },
            inodesUsed: { value: 10 },
          },
        ],
      }),
    ListImages: () => cri.encodeListImagesResponse({ images: [image] }),
    ImageStatus: () => cri.encodeImageStatusResponse({ image, info: {} }),
    PullImage: () => cri.encodePullImageResponse({ imageRef: IMAGE_ID }),
    RunPodSandbox: async (body) => {
      const { config } = cri.decodeRunPodSandboxRequest(body);
      if (config === undefined) throw new Error('no config');
      await work();
      return cri.encodeRunPodSandboxResponse({ podSandboxId: pods.runSandbox(config) });
    },
    StopPodSandbox: async (body) => {
      await work();
      pods.stopSandbox(cri.decodeStopPodSandboxRequest(body).podSandboxId);
      return new Uint8Array();
    },
    RemovePodSandbox: (body) => {
      pods.removeSandbox(cri.decodeRemovePodSandboxRequest(body).podSandboxId);
      return new Uint8Array();
    },
    PodSandboxStatus: (body) =>
      cri.encodePodSandboxStatusResponse({
        status: pods.sandboxStatus(cri.decodePodSandboxStatusRequest(body).podSandboxId),
      }),
    ListPodSandbox: (body) =>
      cri.encodeListPodSandboxResponse({
        items: pods.listSandboxes(cri.decodeListPodSandboxRequest(body).filter),
      }),
    CreateContainer: (body) => {
      const { podSandboxId, config } = cri.decodeCreateContainerRequest(body);
      if (config === undefined) throw new Error('no config');
      return cri.encodeCreateContainerResponse({ containerId: pods.createContainer(podSandboxId, config) });
    },
    StartContainer: async (body) => {
      await work();
      pods.startContainer(cri.decodeStartContainerRequest(body).containerId);
      return new Uint8Array();
    },
    StopContainer: async (body) => {
      await work();
      pods.stopContainer(cri.decodeStopContainerRequest(body).containerId);
      return new Uint8Array();
    },
    RemoveContainer: (body) => {
      pods.removeContainer(cri.decodeRemoveContainerRequest(body).containerId);
      return new Uint8Array();
    },
    ListContainers: (body) =>
      cri.encodeListContainersResponse({
        containers: pods.listContainers(cri.decodeListContainersRequest(body).filter),
      }),
    ContainerStatus: (body) =>
      cri.encodeContainerStatusResponse({
        status: pods.containerStatus(cri.decodeContainerStatusRequest(body).containerId),
        info: {},
      }),
  };
}

/** Field 5 of an event, which our own schema leaves out. */
const STATUSES_TAG = (5 << 3) | 2;

/** With the statuses of all containers of the pod, as real ones have them. */
export function encodeModelEvent(...[id, type, sandbox, containers]: Parameters<OnEvent>): Uint8Array {
  const createdAt = Date.now() * 1e6;
  const event = { containerId: id, containerEventType: type, createdAt, podSandboxStatus: sandbox };
  const statuses = containers.map(cri.encodeContainerStatus).map((status) => {
    return [STATUSES_TAG, (status.length & 127) | 128, status.length >> 7, ...status];
  });
  return Buffer.concat([
    cri.encodeContainerEventResponse(event),
    ...statuses.map((bytes) => Buffer.from(bytes)),
  ]);
}

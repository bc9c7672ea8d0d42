/**
 * A runtime that runs nothing, behind the real wire protocol, as a process of
 * its own: what a kubelet costs beside it is the kubelet's alone.
 *
 * usage: node bench/model/model-runtime.ts SOCKET [DELAY_MS]
 * Sandboxes and starts take DELAY_MS each. Prints `ready`, and on SIGUSR2 the calls so far as one line of JSON.
 */
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { frameGrpcMessage, GrpcMessages } from '../../src/adapters/grpc/grpc-messages.ts';
import * as cri from '../../src/gen/cri.ts';
import { IMAGE, IMAGE_ID, ModelPods } from './model-pods.ts';

type Answer = (body: Uint8Array) => Uint8Array | Promise<Uint8Array>;

const [socketPath = '', delayText = '20'] = process.argv.slice(2);
const delayMs = Number(delayText);
const followers = new Set<ServerHttp2Stream>();
const calls = new Map<string, { count: number; bytes: number }>();
const pods = new ModelPods((containerId, containerEventType, podSandboxStatus, containersStatuses) => {
  const createdAt = Date.now() * 1e6;
  const event = { containerId, containerEventType, createdAt, podSandboxStatus, containersStatuses };
  const bytes = frameGrpcMessage(cri.encodeContainerEventResponse(event));
  for (const stream of followers) stream.write(bytes);
});

const image = {
  id: IMAGE_ID,
  repoTags: [IMAGE],
  repoDigests: [`localhost/busybox@${IMAGE_ID}`],
  size: 1_000_000,
};
const condition = (type: string) => ({ type, status: true, reason: '', message: '' });

const ANSWERS: Readonly<Record<string, Answer>> = {
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
    await delay(delayMs);
    return cri.encodeRunPodSandboxResponse({ podSandboxId: pods.runSandbox(config) });
  },
  StopPodSandbox: async (body) => {
    await delay(delayMs);
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
    await delay(delayMs);
    pods.startContainer(cri.decodeStartContainerRequest(body).containerId);
    return new Uint8Array();
  },
  StopContainer: async (body) => {
    await delay(delayMs);
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

function count(name: string, bytes: number): void {
  const sum = calls.get(name) ?? { count: 0, bytes: 0 };
  calls.set(name, { count: sum.count + 1, bytes: sum.bytes + bytes });
}

function end(stream: ServerHttp2Stream, code: number, message = ''): void {
  if (stream.destroyed) return;
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(code),
      'grpc-message': message,
    },
    { endStream: true },
  );
}

function follow(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
  followers.add(stream);
  stream.on('close', () => followers.delete(stream));
}

async function answer(stream: ServerHttp2Stream, path: string, body: Uint8Array): Promise<void> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'GetContainerEvents') return follow(stream);
  const make = ANSWERS[name];
  if (make === undefined || !path.startsWith('/runtime.v1.'))
    return end(stream, 12, `unknown method ${name}`);
  try {
    const bytes = await make(body);
    if (stream.destroyed) return;
    count(name, bytes.byteLength);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': '' }));
    stream.end(frameGrpcMessage(bytes));
  } catch (error) {
    end(stream, 5, String(error));
  }
}

const server = createServer({ settings: { maxConcurrentStreams: 2 ** 31 } });
server.on('session', (session) => session.on('error', () => {}));
server.on('stream', (stream, headers) => {
  const messages = new GrpcMessages(2 ** 24);
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => messages.push(chunk));
  stream.on('end', () => void answer(stream, String(headers[':path']), messages.take() ?? new Uint8Array()));
});
process.on('SIGUSR2', () => console.log(JSON.stringify(Object.fromEntries(calls))));
server.listen(socketPath, () => console.log('ready'));

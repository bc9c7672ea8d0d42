/** How the fake machine's things look through the runtime port. */
import { join } from 'node:path';
import type { ObservedContainer, ObservedSandbox } from '../../src/core/model/observed-pod.ts';
import type { FakeContainer, FakeSandbox } from './fake-machine.ts';

/** The list entry of a sandbox, without network. */
export function toListedSandbox(sandbox: FakeSandbox): ObservedSandbox {
  const { config } = sandbox;
  return {
    id: sandbox.id,
    podUid: sandbox.podUid,
    podName: config.name,
    podNamespace: config.namespace,
    attempt: config.attempt,
    ready: sandbox.ready,
    createdAtMs: sandbox.createdAtMs,
    labels: { ...config.labels },
    annotations: { ...config.annotations },
    runtimeHandler: sandbox.runtimeHandler,
  };
}

/** The status of a sandbox, with network. */
export function toSandboxStatus(sandbox: FakeSandbox): ObservedSandbox {
  const mode = sandbox.config.security.namespaces.network;
  return { ...toListedSandbox(sandbox), network: { mode, reported: true, ips: [...sandbox.ips] } };
}

/** The list entry of a container, without details. */
export function toListedContainer(container: FakeContainer): ObservedContainer {
  return {
    id: container.id,
    podUid: container.podUid,
    sandboxId: container.sandbox.id,
    name: container.config.name,
    state: container.state,
    createdAtMs: container.createdAtMs,
    image: container.config.userSpecifiedImage || container.config.image,
    imageId: container.imageId,
    labels: { ...container.config.labels },
    annotations: { ...container.config.annotations },
  };
}

/** The status of a container, with details. */
export function toContainerStatus(container: FakeContainer): ObservedContainer {
  const { config, startedAtMs, finishedAtMs, exitCode } = container;
  return {
    ...toListedContainer(container),
    details: {
      ...(startedAtMs === undefined ? {} : { startedAtMs }),
      ...(finishedAtMs === undefined ? {} : { finishedAtMs }),
      ...(exitCode === undefined ? {} : { exitCode }),
      reason: container.reason,
      message: container.message,
      logPath: join(container.sandbox.config.logDirectory, config.logPath),
      mounts: config.mounts.map(({ containerPath, hostPath, readOnly }) => ({
        containerPath,
        hostPath,
        readOnly,
      })),
      ...(config.stopSignal === undefined ? {} : { stopSignal: config.stopSignal }),
      resources: container.resources,
    },
  };
}

/**
 * One agent's connection to the fake runtime: the runtime ports, bound to one
 * life of the agent. What happens in a call is here; how a call
 * travels and fails is runtime-call.ts; what it changes is fake-machine.ts.
 */

import { onAbort } from '../../src/base/async/on-abort.ts';
import { AgentError } from '../../src/base/errors.ts';
import type { ContainerConfig } from '../../src/core/model/container-config.ts';
import type { ContainerId, PodUid, SandboxId } from '../../src/core/model/ids.ts';
import type {
  LinuxResources,
  ObservedContainer,
  ObservedSandbox,
} from '../../src/core/model/observed-pod.ts';
import type { SandboxConfig } from '../../src/core/model/sandbox-config.ts';
import type {
  ContainerRuntime,
  ExecResult,
  RuntimeCallOptions,
  RuntimeEvent,
  RuntimeReader,
  RuntimeStatus,
  RuntimeVersion,
  UsedImage,
} from '../../src/ports/runtime/container-runtime.ts';
import { never } from './agent-life.ts';
import { toExecResult } from './container-behaviour.ts';
import { FakeImageConnection } from './fake-image-connection.ts';
import { containerName, type FakeContainer, sandboxName } from './fake-machine.ts';
import {
  toContainerStatus,
  toListedContainer,
  toListedSandbox,
  toSandboxStatus,
} from './machine-observations.ts';
import type { CallPlan } from './runtime-call.ts';
import type { RuntimeCall, RuntimeOperation } from './runtime-faults.ts';

export class FakeRuntimeConnection extends FakeImageConnection implements ContainerRuntime, RuntimeReader {
  runSandbox(
    config: SandboxConfig,
    runtimeHandler: string,
    options?: RuntimeCallOptions,
  ): Promise<SandboxId> {
    const { machine } = this.core;
    const name = sandboxName(config);
    const call: RuntimeCall = { op: 'runSandbox', podUid: config.uid as PodUid };
    return this.call(call, options, () => machine.addSandbox(config, runtimeHandler).id, {
      prepare: () => machine.reserveName(name),
      undo: () => machine.releaseName(name),
    });
  }

  stopSandbox(id: SandboxId, options?: RuntimeCallOptions): Promise<void> {
    return this.call(this.#about('stopSandbox', id), options, () => {
      const sandbox = this.core.machine.sandboxes.get(id);
      if (sandbox !== undefined) this.core.machine.stopSandbox(sandbox);
    });
  }

  removeSandbox(id: SandboxId, options?: RuntimeCallOptions): Promise<void> {
    return this.call(this.#about('removeSandbox', id), options, () => {
      const sandbox = this.core.machine.sandboxes.get(id);
      if (sandbox !== undefined) this.core.machine.removeSandbox(sandbox);
    });
  }

  updateSandbox(
    id: SandboxId,
    resources: LinuxResources,
    _overhead: LinuxResources,
    options?: RuntimeCallOptions,
  ): Promise<void> {
    return this.call(this.#about('updateSandbox', id), options, () => {
      const sandbox = this.core.machine.sandboxes.get(id);
      if (sandbox === undefined) throw new AgentError('not-found', `sandbox "${id}" not found`);
      sandbox.resources = { ...sandbox.resources, ...resources };
    });
  }

  createContainer(
    sandbox: SandboxId,
    config: ContainerConfig,
    sandboxConfig: SandboxConfig,
    options?: RuntimeCallOptions,
  ): Promise<ContainerId> {
    const { machine, images } = this.core;
    const name = containerName(config, sandboxConfig);
    const call: RuntimeCall = {
      op: 'createContainer',
      podUid: sandboxConfig.uid as PodUid,
      containerName: config.name,
    };
    const create = (): ContainerId => {
      const image = images.find(config.image);
      if (image === undefined)
        throw new AgentError('not-found', `failed to resolve image "${config.image}": not found`);
      return machine.addContainer(sandbox, config, image.id).id;
    };
    return this.call(call, options, create, {
      prepare: () => machine.reserveName(name),
      undo: () => machine.releaseName(name),
    });
  }

  startContainer(id: ContainerId, options?: RuntimeCallOptions): Promise<void> {
    const { machine } = this.core;
    const mark = (starting: boolean) => (): void => {
      const container = machine.containers.get(id);
      if (container !== undefined) container.starting = starting;
    };
    const start = (): void => {
      mark(false)();
      machine.start(this.#container(id));
    };
    return this.call(this.#about('startContainer', id), options, start, {
      prepare: mark(true),
      undo: mark(false),
    });
  }

  stopContainer(id: ContainerId, graceSeconds: number, options?: RuntimeCallOptions): Promise<void> {
    const { machine } = this.core;
    const stop: CallPlan<void>['effect'] = async (waits) => {
      const container = machine.containers.get(id);
      if (container?.state !== 'running') return;
      if (graceSeconds > 0) {
        machine.terminate(container);
        await waits.until(container.exited.promise, graceSeconds * 1000);
      }
      machine.kill(container);
    };
    const deadlineMs = this.core.callDeadlineMs + graceSeconds * 1000;
    return this.call(this.#about('stopContainer', id), options, stop, { deadlineMs });
  }

  removeContainer(id: ContainerId, options?: RuntimeCallOptions): Promise<void> {
    return this.call(this.#about('removeContainer', id), options, () => {
      const container = this.core.machine.containers.get(id);
      if (container?.starting)
        throw new AgentError('unknown', `container "${id}" is in starting state, can't be removed`);
      if (container !== undefined) this.core.machine.removeContainer(container);
    });
  }

  updateContainer(id: ContainerId, resources: LinuxResources, options?: RuntimeCallOptions): Promise<void> {
    return this.call(this.#about('updateContainer', id), options, () => {
      const container = this.#container(id);
      container.resources = { ...container.resources, ...resources };
    });
  }

  updatePodCidr(cidr: string, options?: RuntimeCallOptions): Promise<void> {
    return this.call({ op: 'updatePodCidr' }, options, () => {
      this.core.podCidr = cidr;
    });
  }

  reopenContainerLog(id: ContainerId, options?: RuntimeCallOptions): Promise<void> {
    return this.call(this.#about('reopenContainerLog', id), options, () => {
      this.#runningContainer(id);
    });
  }

  execSync(
    id: ContainerId,
    command: readonly string[],
    timeoutSeconds: number,
    options?: RuntimeCallOptions,
  ): Promise<ExecResult> {
    const exec: CallPlan<ExecResult>['effect'] = async (waits) => {
      const container = this.#runningContainer(id);
      const behaviour = this.core.exec(command, container.config);
      await waits.until(container.exited.promise, behaviour.afterMs);
      return toExecResult(container.state === 'running' ? behaviour : { ...behaviour, exitCode: 137 });
    };
    const deadlineMs = timeoutSeconds === 0 ? Number.POSITIVE_INFINITY : timeoutSeconds * 1000;
    return this.call(this.#about('execSync', id), options, exec, { deadlineMs });
  }

  version(options?: RuntimeCallOptions): Promise<RuntimeVersion> {
    return this.call({ op: 'version' }, options, () => ({
      runtimeName: 'containerd',
      runtimeVersion: 'v2.1.9-fake',
      runtimeApiVersion: 'v1',
    }));
  }

  status(options?: RuntimeCallOptions): Promise<RuntimeStatus> {
    const condition = (type: string, status: boolean) => ({ type, status, reason: '', message: '' });
    return this.call({ op: 'status' }, options, () => ({
      conditions: [
        condition('RuntimeReady', this.core.runtimeReady),
        condition('NetworkReady', this.core.networkReady),
      ],
      handlers: [{ name: '', recursiveReadOnlyMounts: true, userNamespaces: true }],
      features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
    }));
  }

  cgroupDriver(options?: RuntimeCallOptions): Promise<'systemd' | 'cgroupfs' | undefined> {
    return this.call({ op: 'cgroupDriver' }, options, () => 'systemd' as const);
  }

  listSandboxes(podUid?: PodUid, options?: RuntimeCallOptions): Promise<ObservedSandbox[]> {
    return this.call(listCall('listSandboxes', podUid), options, () =>
      [...this.core.machine.sandboxes.values()]
        .filter((sandbox) => podUid === undefined || sandbox.podUid === podUid)
        .map(toListedSandbox),
    );
  }

  listContainers(podUid?: PodUid, options?: RuntimeCallOptions): Promise<ObservedContainer[]> {
    return this.call(listCall('listContainers', podUid), options, () =>
      [...this.core.machine.containers.values()]
        .filter((container) => podUid === undefined || container.podUid === podUid)
        .map(toListedContainer),
    );
  }

  listUsedImages(options?: RuntimeCallOptions): Promise<UsedImage[]> {
    return this.call(listCall('listContainers', undefined), options, () =>
      [...this.core.machine.containers.values()].map(toListedContainer),
    );
  }

  sandboxStatus(id: SandboxId, options?: RuntimeCallOptions): Promise<ObservedSandbox | undefined> {
    return this.call(this.#about('sandboxStatus', id), options, () => {
      const sandbox = this.core.machine.sandboxes.get(id);
      return sandbox && toSandboxStatus(sandbox);
    });
  }

  containerStatus(id: ContainerId, options?: RuntimeCallOptions): Promise<ObservedContainer | undefined> {
    return this.call(this.#about('containerStatus', id), options, () => {
      const container = this.core.machine.containers.get(id);
      return container && toContainerStatus(container);
    });
  }

  async watchEvents(
    onEvent: (event: RuntimeEvent) => void,
    options: { readonly signal: AbortSignal; readonly onOpen?: () => void },
  ): Promise<void> {
    const { signal } = options;
    const ended = Promise.withResolvers<'aborted' | 'broken'>();
    if (signal.aborted) return;
    using _listening = onAbort(signal, () => ended.resolve('aborted'));
    try {
      await this.call({ op: 'watchEvents' }, { signal }, () => this.#requireEvents());
      using _stream = this.#openStream(onEvent, () => ended.resolve('broken'));
      options.onOpen?.();
      if ((await ended.promise) === 'aborted') return;
    } catch (error) {
      if (!signal.aborted) throw error;
      return;
    }
    if (!this.life.alive) return never();
    throw new AgentError('unavailable', 'cannot read runtime events: the stream broke');
  }

  #openStream(onEvent: (event: RuntimeEvent) => void, onBreak: () => void): Disposable {
    const stream = this.core.streams.subscribe((event) => {
      if (this.life.alive) onEvent(event);
    }, onBreak);
    const onKill = this.life.onKill(() => stream[Symbol.dispose]());
    return {
      [Symbol.dispose]: () => {
        onKill[Symbol.dispose]();
        stream[Symbol.dispose]();
      },
    };
  }

  #requireEvents(): void {
    if (!this.core.hasEvents)
      throw new AgentError('unimplemented', 'cannot read runtime events: the runtime has none');
  }

  /** The call as the log knows it, with what the machine knows about its target. */
  #about(op: RuntimeOperation, id: SandboxId | ContainerId): RuntimeCall {
    const container = this.core.machine.containers.get(id as ContainerId);
    const podUid = container?.podUid ?? this.core.machine.sandboxes.get(id as SandboxId)?.podUid;
    return {
      op,
      id,
      ...(podUid === undefined ? {} : { podUid }),
      ...(container === undefined ? {} : { containerName: container.config.name }),
    };
  }

  #container(id: ContainerId): FakeContainer {
    const container = this.core.machine.containers.get(id);
    if (container === undefined) throw new AgentError('not-found', `cannot find container "${id}"`);
    return container;
  }

  #runningContainer(id: ContainerId): FakeContainer {
    const container = this.#container(id);
    if (container.state !== 'running')
      throw new AgentError('unknown', `container "${id}" is in ${container.state} state`);
    return container;
  }
}

function listCall(op: RuntimeOperation, podUid: PodUid | undefined): RuntimeCall {
  return podUid === undefined ? { op } : { op, podUid };
}

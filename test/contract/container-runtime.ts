/**
 * The contract of the container runtime ports: what every implementation of
 * ContainerRuntime, RuntimeReader and ImageService must do. Run on the fake
 * and on real runtimes, so that tests built on the fake mean something.
 *
 * An implementation without real processes only has to understand the
 * commands in CONTRACT_COMMANDS.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { AgentError, type AgentErrorCode, hasCode } from '../../src/base/errors.ts';
import type { ContainerConfig } from '../../src/core/model/container-config.ts';
import {
  CONTAINER_NAME_LABEL,
  POD_NAME_LABEL,
  POD_NAMESPACE_LABEL,
  POD_UID_LABEL,
} from '../../src/core/model/container-labels.ts';
import {
  type ContainerId,
  type PodUid,
  type SandboxId,
  toContainerId,
  toPodUid,
  toSandboxId,
} from '../../src/core/model/ids.ts';
import type { ObservedContainer } from '../../src/core/model/observed-pod.ts';
import type { NamespaceOptions, SandboxConfig } from '../../src/core/model/sandbox-config.ts';
import type {
  ContainerRuntime,
  RuntimeEvent,
  RuntimeReader,
} from '../../src/ports/runtime/container-runtime.ts';
import type { ImageService } from '../../src/ports/runtime/image-service.ts';

export interface ContractSubject {
  readonly runtime: ContainerRuntime;
  readonly reader: RuntimeReader;
  readonly images: ImageService;
  /** An image on the machine that has `sh` and `sleep`. */
  readonly image: string;
  readonly close: () => Promise<void>;
}

export interface ContractOptions {
  /** False for runtimes without an event stream: watchEvents must then reject with `unimplemented`. */
  readonly events?: boolean;
}

/** Every command the suite runs; all are started as `command` without `args`. */
export const CONTRACT_COMMANDS = {
  /** Runs on, ignores SIGTERM (it is process 1 without a handler); killed it exits with 137. */
  sleep: ['sleep', '3600'],
  /** Ends by itself with exit code 3. */
  exit3: ['sh', '-c', 'exit 3'],
  /** Ends by itself with exit code 0. */
  exit0: ['sh', '-c', 'exit 0'],
  /** Runs on and answers SIGTERM with exit code 5. */
  graceful: ['sh', '-c', 'trap "exit 5" TERM; while :; do sleep 0.05; done'],
  /** For execSync: prints `out\n` and `err\n`, exit code 0. */
  print: ['sh', '-c', 'echo out; echo err >&2'],
  /** For execSync: exit code 7. */
  exit7: ['sh', '-c', 'exit 7'],
} as const;

const LIMIT_MS = 20_000;
const NAMESPACES: NamespaceOptions = { network: 'pod', ipc: 'pod', pid: 'container', user: 'node' };

/** Registers the contract as a `describe` block; `makeSubject` is called once for the block. */
export function containerRuntimeContract(
  name: string,
  makeSubject: () => Promise<ContractSubject>,
  options: ContractOptions = {},
): void {
  describe(`container runtime contract: ${name}`, () => {
    let subject: ContractSubject;
    let pods: PodFixture;

    before(async () => {
      subject = await makeSubject();
      pods = new PodFixture(subject, await mkdtemp(join(tmpdir(), 'runtime-contract-')));
    });
    afterEach(() => pods.removeAll());
    after(async () => {
      await pods?.dispose();
      await subject?.close();
    });

    const fixture = (): PodFixture => pods;
    readerContract(fixture);
    sandboxContract(fixture);
    containerContract(fixture);
    execContract(fixture);
    imageContract(fixture);
    eventContract(fixture, options.events ?? true);
  });
}

function readerContract(fixture: () => PodFixture): void {
  it('version names the runtime and its versions', async () => {
    const version = await fixture().subject.reader.version();
    assert.notEqual(version.runtimeName, '');
    assert.notEqual(version.runtimeVersion, '');
    assert.match(version.runtimeApiVersion, /^v1/);
  });

  it('status reports the runtime and the network as ready', async () => {
    const { conditions } = await fixture().subject.reader.status();
    const ready = Object.fromEntries(conditions.map((condition) => [condition.type, condition.status]));
    assert.equal(ready['RuntimeReady'], true);
    assert.equal(ready['NetworkReady'], true);
  });

  it('cgroupDriver is one of the known drivers or undefined', async () => {
    const driver = await fixture().subject.reader.cgroupDriver();
    assert.ok(driver === undefined || driver === 'cgroupfs' || driver === 'systemd', String(driver));
  });

  it('a call whose signal is aborted already is cancelled', async () => {
    const { reader } = fixture().subject;
    await rejectsWith('cancelled', reader.version({ signal: AbortSignal.abort() }));
  });
}

function sandboxContract(fixture: () => PodFixture): void {
  it('a running sandbox is listed with everything it was made from', async () => {
    const { subject } = fixture();
    const pod = await fixture().runPod({ attempt: 2 });
    const [listed, ...others] = await subject.reader.listSandboxes(pod.uid);
    assert.equal(others.length, 0);
    assert.ok(listed);
    assert.equal(listed.id, pod.sandbox);
    assert.equal(listed.podUid, pod.uid);
    assert.equal(listed.podName, pod.config.name);
    assert.equal(listed.podNamespace, pod.config.namespace);
    assert.equal(listed.attempt, 2);
    assert.equal(listed.ready, true);
    assert.deepEqual({ ...listed.labels }, pod.config.labels);
    assert.deepEqual({ ...listed.annotations }, pod.config.annotations);
    assert.equal(listed.network, undefined);
    assert.ok(
      listed.createdAtMs > 1e12 && listed.createdAtMs < 1e13,
      `${listed.createdAtMs} is not in milliseconds`,
    );
  });

  it('listing all sandboxes includes every pod and listing one pod excludes the others', async () => {
    const { subject } = fixture();
    const one = await fixture().runPod();
    const two = await fixture().runPod();
    const all = (await subject.reader.listSandboxes()).map((sandbox) => sandbox.id);
    assert.ok(all.includes(one.sandbox) && all.includes(two.sandbox));
    assert.deepEqual(
      (await subject.reader.listSandboxes(two.uid)).map((sandbox) => sandbox.id),
      [two.sandbox],
    );
    assert.deepEqual(await subject.reader.listSandboxes(toPodUid(randomUUID())), []);
  });

  it('sandboxStatus of a pod network has an address and keeps labels and annotations', async () => {
    const pod = await fixture().runPod();
    const status = await fixture().subject.reader.sandboxStatus(pod.sandbox);
    assert.ok(status?.network);
    assert.equal(status.network.mode, 'pod');
    assert.equal(status.network.reported, true);
    assert.match(status.network.ips[0] ?? '', /^[0-9a-f.:]+$/);
    assert.deepEqual({ ...status.labels }, pod.config.labels);
    assert.deepEqual({ ...status.annotations }, pod.config.annotations);
  });

  it('sandboxStatus of the host network says so', async () => {
    const pod = await fixture().runPod({ network: 'node' });
    const status = await fixture().subject.reader.sandboxStatus(pod.sandbox);
    assert.equal(status?.network?.mode, 'node');
  });

  it('a stopped sandbox is no longer ready and stopping it again succeeds', async () => {
    const { subject } = fixture();
    const pod = await fixture().runPod();
    await subject.runtime.stopSandbox(pod.sandbox);
    await subject.runtime.stopSandbox(pod.sandbox);
    assert.equal((await subject.reader.sandboxStatus(pod.sandbox))?.ready, false);
    assert.equal((await subject.reader.listSandboxes(pod.uid))[0]?.ready, false);
  });

  it('stopping a sandbox ends its containers', async () => {
    const { subject } = fixture();
    const pod = await fixture().runPod();
    const container = await fixture().startContainer(pod, CONTRACT_COMMANDS.sleep);
    await subject.runtime.stopSandbox(pod.sandbox);
    assert.equal((await fixture().untilExited(container)).state, 'exited');
  });

  it('a removed sandbox is gone with its containers and removing it again succeeds', async () => {
    const { subject } = fixture();
    const pod = await fixture().runPod();
    const container = await fixture().startContainer(pod, CONTRACT_COMMANDS.sleep);
    await subject.runtime.stopSandbox(pod.sandbox);
    await subject.runtime.removeSandbox(pod.sandbox);
    await subject.runtime.removeSandbox(pod.sandbox);
    assert.equal(await subject.reader.sandboxStatus(pod.sandbox), undefined);
    assert.equal(await subject.reader.containerStatus(container), undefined);
    assert.deepEqual(await subject.reader.listSandboxes(pod.uid), []);
    assert.deepEqual(await subject.reader.listContainers(pod.uid), []);
  });

  it('an unknown sandbox has no status, and stopping or removing it succeeds', async () => {
    const { runtime, reader } = fixture().subject;
    const unknown = toSandboxId('0'.repeat(64));
    assert.equal(await reader.sandboxStatus(unknown), undefined);
    await runtime.stopSandbox(unknown);
    await runtime.removeSandbox(unknown);
  });
}

function containerContract(fixture: () => PodFixture): void {
  it('a created container is listed with everything it was made from', async () => {
    const { subject } = fixture();
    const pod = await fixture().runPod();
    const config = fixture().containerConfig(pod, CONTRACT_COMMANDS.sleep);
    const id = await subject.runtime.createContainer(pod.sandbox, config, pod.config);
    const [listed, ...others] = await subject.reader.listContainers(pod.uid);
    assert.equal(others.length, 0);
    assert.ok(listed);
    assert.equal(listed.id, id);
    assert.equal(listed.podUid, pod.uid);
    assert.equal(listed.sandboxId, pod.sandbox);
    assert.equal(listed.name, config.name);
    assert.equal(listed.state, 'created');
    assert.notEqual(listed.imageId, '');
    const used = await subject.reader.listUsedImages();
    assert.ok(used.some(({ imageId }) => imageId === listed.imageId));
    assert.deepEqual({ ...listed.labels }, config.labels);
    assert.deepEqual({ ...listed.annotations }, config.annotations);
    assert.equal(listed.details, undefined);
  });

  it('a started container is running, with a start time and no end', async () => {
    const { subject } = fixture();
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.sleep);
    const status = await subject.reader.containerStatus(id);
    assert.equal(status?.state, 'running');
    assert.equal(status.podUid, pod.uid);
    assert.ok(status.details?.startedAtMs !== undefined);
    assert.ok(status.details.startedAtMs >= status.createdAtMs);
    assert.equal(status.details.finishedAtMs, undefined);
    assert.equal(status.details.exitCode, undefined);
    assert.deepEqual({ ...status.annotations }, { 'example.com/kept': 'yes "quoted" ü' });
    assert.equal(status.details.logPath, join(pod.config.logDirectory, 'main/0.log'));
  });

  it('a container that ended by itself reports code, time and reason', async () => {
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.exit3);
    const { details, createdAtMs } = await fixture().untilExited(id);
    assert.equal(details?.exitCode, 3);
    assert.equal(details.reason, 'Error');
    // Not "after the start": runtimes note the start late, and such a process has ended by then.
    assert.ok(details.startedAtMs !== undefined && details.startedAtMs >= createdAtMs);
    assert.ok(details.finishedAtMs !== undefined && details.finishedAtMs >= createdAtMs);
  });

  it('a container that ended well is Completed', async () => {
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.exit0);
    const { details } = await fixture().untilExited(id);
    assert.equal(details?.exitCode, 0);
    assert.equal(details.reason, 'Completed');
  });

  it('stopContainer with grace lets the process end by itself', async () => {
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.graceful);
    // The shell has set its trap once it can be asked for something.
    await fixture().subject.runtime.execSync(id, CONTRACT_COMMANDS.print, 10);
    await fixture().subject.runtime.stopContainer(id, 15);
    assert.equal((await fixture().untilExited(id)).details?.exitCode, 5);
  });

  it('stopContainer without grace kills at once, and stopping again succeeds', async () => {
    const { runtime } = fixture().subject;
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.sleep);
    await runtime.stopContainer(id, 0);
    await runtime.stopContainer(id, 0);
    assert.equal((await fixture().untilExited(id)).details?.exitCode, 137);
  });

  it('a removed container is gone and removing it again succeeds', async () => {
    const { runtime, reader } = fixture().subject;
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.exit0);
    await fixture().untilExited(id);
    await runtime.removeContainer(id);
    await runtime.removeContainer(id);
    assert.equal(await reader.containerStatus(id), undefined);
    assert.deepEqual(await reader.listContainers(pod.uid), []);
  });

  it('listing containers of one pod excludes those of others', async () => {
    const { reader } = fixture().subject;
    const one = await fixture().runPod();
    const two = await fixture().runPod();
    const first = await fixture().startContainer(one, CONTRACT_COMMANDS.sleep);
    const second = await fixture().startContainer(two, CONTRACT_COMMANDS.sleep);
    assert.deepEqual(
      (await reader.listContainers(one.uid)).map((container) => container.id),
      [first],
    );
    const all = (await reader.listContainers()).map((container) => container.id);
    assert.ok(all.includes(first) && all.includes(second));
  });

  it('an unknown container has no status; stop and remove succeed, start is not-found', async () => {
    const { runtime, reader } = fixture().subject;
    const unknown = toContainerId('0'.repeat(64));
    assert.equal(await reader.containerStatus(unknown), undefined);
    await runtime.stopContainer(unknown, 0);
    await runtime.removeContainer(unknown);
    await rejectsWith('not-found', runtime.startContainer(unknown));
  });

  it('a container cannot be created in a sandbox that does not exist', async () => {
    const { runtime } = fixture().subject;
    const pod = await fixture().runPod();
    const config = fixture().containerConfig(pod, CONTRACT_COMMANDS.sleep);
    const created = runtime.createContainer(toSandboxId('0'.repeat(64)), config, pod.config);
    await assert.rejects(created, (error) => error instanceof AgentError);
  });

  it('updateSandbox is accepted, or not wanted', async () => {
    const { runtime } = fixture().subject;
    const pod = await fixture().runPod();
    await runtime.updateSandbox(pod.sandbox, { cpuShares: 512, memoryLimitBytes: 64 * 1024 * 1024 }, {});
  });

  it('updateContainer changes a running container', async () => {
    const { runtime, reader } = fixture().subject;
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.sleep);
    await runtime.updateContainer(id, { cpuShares: 512 });
    const resources = (await reader.containerStatus(id))?.details?.resources;
    // Reporting resources is optional; reporting wrong ones is not.
    assert.ok(resources === undefined || resources.cpuShares === 512, JSON.stringify(resources));
  });

  it('updatePodCidr takes one range or several', async () => {
    const { runtime } = fixture().subject;
    await runtime.updatePodCidr('10.99.0.0/24');
    await runtime.updatePodCidr('10.99.0.0/24,fd00:99::/64');
  });

  it('reopenContainerLog works on a running container', async () => {
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.sleep);
    await fixture().subject.runtime.reopenContainerLog(id);
  });
}

function execContract(fixture: () => PodFixture): void {
  it('execSync returns both outputs and exit code 0', async () => {
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.sleep);
    const result = await fixture().subject.runtime.execSync(id, CONTRACT_COMMANDS.print, 10);
    assert.equal(Buffer.from(result.stdout).toString(), 'out\n');
    assert.equal(Buffer.from(result.stderr).toString(), 'err\n');
    assert.equal(result.exitCode, 0);
  });

  it('execSync returns the exit code of a failing command as a value', async () => {
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.sleep);
    const result = await fixture().subject.runtime.execSync(id, CONTRACT_COMMANDS.exit7, 10);
    assert.equal(result.exitCode, 7);
  });

  it('execSync that runs into its timeout is deadline-exceeded', async () => {
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.sleep);
    const exec = fixture().subject.runtime.execSync(id, CONTRACT_COMMANDS.sleep, 1);
    await rejectsWith('deadline-exceeded', exec);
  });

  it('execSync in an unknown container is not-found', async () => {
    const { runtime } = fixture().subject;
    await rejectsWith(
      'not-found',
      runtime.execSync(toContainerId('0'.repeat(64)), CONTRACT_COMMANDS.print, 1),
    );
  });

  it('a call under way is cancelled by its signal', async () => {
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.sleep);
    const abort = new AbortController();
    const exec = fixture().subject.runtime.execSync(id, CONTRACT_COMMANDS.sleep, 0, { signal: abort.signal });
    setImmediate(() => abort.abort());
    await rejectsWith('cancelled', exec);
  });
}

function imageContract(fixture: () => PodFixture): void {
  it('imageStatus of a present image has id and size', async () => {
    const { images, image } = fixture().subject;
    const status = await images.imageStatus(image);
    assert.ok(status);
    assert.notEqual(status.id, '');
    assert.ok(status.sizeBytes > 0);
    assert.ok(status.repoTags.includes(image), `${image} is not in ${status.repoTags.join(', ')}`);
  });

  it('imageStatus of a missing image is undefined and removing it succeeds', async () => {
    const { images } = fixture().subject;
    const missing = 'localhost/no-such-image:1';
    assert.equal(await images.imageStatus(missing), undefined);
    await images.removeImage(missing);
  });

  it('listImages includes the present image', async () => {
    const { images, image } = fixture().subject;
    const listed = await images.listImages();
    assert.ok(listed.some((entry) => entry.repoTags.includes(image)));
  });

  it('imageFsInfo names the filesystem of the images', async () => {
    const { images } = await fixture().subject.images.imageFsInfo();
    assert.ok(images.length > 0);
    assert.match(images[0]?.mountpoint ?? '', /^\//);
    assert.ok((images[0]?.timestampMs ?? 0) > 0);
  });
}

function eventContract(fixture: () => PodFixture, events: boolean): void {
  if (!events) {
    it('watchEvents is unimplemented', async () => {
      const abort = new AbortController();
      const watching = fixture().subject.reader.watchEvents(() => {}, { signal: abort.signal });
      await rejectsWith('unimplemented', watching);
    });
    return;
  }

  it('watchEvents reports creation, start, stop and deletion of a pod and ends on abort', async () => {
    const { subject } = fixture();
    const abort = new AbortController();
    const seen = new EventLog();
    const watching = subject.reader.watchEvents((event) => seen.add(event), {
      signal: abort.signal,
      onOpen: () => seen.open(),
    });
    await Promise.race([seen.opened, watching]);
    const pod = await fixture().runPod();
    const id = await fixture().startContainer(pod, CONTRACT_COMMANDS.sleep);
    await subject.runtime.stopContainer(id, 0);
    await seen.until('stopped', id, pod.uid);
    await subject.runtime.removeContainer(id);
    await subject.runtime.stopSandbox(pod.sandbox);
    await subject.runtime.removeSandbox(pod.sandbox);
    for (const kind of ['created', 'started', 'stopped', 'deleted'] as const)
      await seen.until(kind, id, pod.uid);
    for (const kind of ['created', 'started', 'stopped'] as const)
      await seen.until(kind, pod.sandbox, pod.uid);
    // A runtime may not know any more whose sandbox it deleted.
    await seen.until('deleted', pod.sandbox);
    abort.abort();
    await watching;
  });
}

/** Events seen so far, and a way to wait for one. */
class EventLog {
  readonly #events: RuntimeEvent[] = [];
  readonly #open = Promise.withResolvers<void>();
  #wake: () => void = () => {};

  get opened(): Promise<void> {
    return this.#open.promise;
  }

  open(): void {
    this.#open.resolve();
  }

  add(event: RuntimeEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  async until(kind: RuntimeEvent['kind'], id: string, podUid?: PodUid): Promise<void> {
    const matches = (event: RuntimeEvent): boolean =>
      event.kind === kind && event.id === id && (podUid === undefined || event.podUid === podUid);
    const limit = Date.now() + LIMIT_MS;
    while (!this.#events.some(matches)) {
      if (Date.now() > limit)
        assert.fail(`no event "${kind}" of ${id}; seen: ${JSON.stringify(this.#events, undefined, 1)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LIMIT_MS + 1);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

export interface ContractPod {
  readonly uid: PodUid;
  readonly sandbox: SandboxId;
  readonly config: SandboxConfig;
}

/** Makes pods for one test and removes them after it. */
export class PodFixture {
  readonly subject: ContractSubject;
  readonly #logRoot: string;
  #sandboxes: SandboxId[] = [];

  constructor(subject: ContractSubject, logRoot: string) {
    this.subject = subject;
    this.#logRoot = logRoot;
  }

  async runPod(
    options: { attempt?: number; network?: 'pod' | 'node'; sysctls?: Record<string, string> } = {},
  ): Promise<ContractPod> {
    const { attempt = 0, network = 'pod', sysctls = {} } = options;
    const config = { ...this.#sandboxConfig(randomUUID(), attempt, network), sysctls };
    const sandbox = await this.subject.runtime.runSandbox(config, '');
    this.#sandboxes.push(sandbox);
    return { uid: toPodUid(config.uid), sandbox, config };
  }

  async startContainer(
    pod: ContractPod,
    command: readonly string[],
    change: Partial<ContainerConfig> = {},
  ): Promise<ContainerId> {
    const config = { ...this.containerConfig(pod, command), ...change };
    const id = await this.subject.runtime.createContainer(pod.sandbox, config, pod.config);
    await this.subject.runtime.startContainer(id);
    return id;
  }

  async untilExited(id: ContainerId): Promise<ObservedContainer> {
    const limit = Date.now() + LIMIT_MS;
    for (;;) {
      const status = await this.subject.reader.containerStatus(id);
      assert.ok(status, `container ${id} disappeared`);
      if (status.state === 'exited') return status;
      assert.ok(Date.now() < limit, `container ${id} is still ${status.state}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async removeAll(): Promise<void> {
    for (const sandbox of this.#sandboxes.splice(0)) {
      await this.subject.runtime.stopSandbox(sandbox);
      await this.subject.runtime.removeSandbox(sandbox);
    }
  }

  async dispose(): Promise<void> {
    await this.removeAll();
    await rm(this.#logRoot, { recursive: true, force: true });
  }

  containerConfig(pod: ContractPod, command: readonly string[]): ContainerConfig {
    return {
      name: 'main',
      attempt: 0,
      image: this.subject.image,
      userSpecifiedImage: this.subject.image,
      command,
      args: [],
      workingDir: '',
      env: [{ name: 'GREETING', value: 'hello' }],
      mounts: [],
      devices: [],
      cdiDevices: [],
      labels: { ...podLabels(pod.config), [CONTAINER_NAME_LABEL]: 'main' },
      annotations: { 'example.com/kept': 'yes "quoted" ü' },
      logPath: 'main/0.log',
      stdin: false,
      stdinOnce: false,
      tty: false,
      resources: { cpuShares: 100, memoryLimitBytes: 64 * 1024 * 1024 },
      security: {
        privileged: false,
        namespaces: pod.config.security.namespaces,
        readOnlyRootFilesystem: false,
        supplementalGroups: [],
        supplementalGroupsPolicy: 'Merge',
        noNewPrivileges: false,
        maskedPaths: [],
        readonlyPaths: [],
        seccomp: { type: 'Unconfined' },
      },
    };
  }

  #sandboxConfig(uid: string, attempt: number, network: 'pod' | 'node'): SandboxConfig {
    const identity = { name: `contract-${uid.slice(0, 8)}`, namespace: 'contract', uid, attempt };
    return {
      ...identity,
      hostname: network === 'node' ? '' : identity.name,
      logDirectory: join(this.#logRoot, uid),
      dns: { servers: ['192.0.2.1'], searches: ['example.com'], options: ['ndots:5'] },
      portMappings: [],
      labels: podLabels(identity),
      annotations: { 'example.com/long': 'x'.repeat(3000), 'example.com/empty': '' },
      cgroupParent: '',
      sysctls: {},
      overhead: {},
      resources: {},
      security: {
        namespaces: { ...NAMESPACES, network },
        privileged: false,
        supplementalGroups: [],
        supplementalGroupsPolicy: 'Merge',
        seccomp: { type: 'RuntimeDefault' },
      },
    };
  }
}

function podLabels(pod: { name: string; namespace: string; uid: string }): Record<string, string> {
  return {
    app: 'contract',
    [POD_NAME_LABEL]: pod.name,
    [POD_NAMESPACE_LABEL]: pod.namespace,
    [POD_UID_LABEL]: pod.uid,
  };
}

async function rejectsWith(code: AgentErrorCode, call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(hasCode(error, code), `expected "${code}", got ${String(error)}`);
    return true;
  });
}

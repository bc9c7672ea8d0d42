/**
 * A node for the tests: its own kubelet process on a real runtime, with
 * temporary directories and free ports. `withNode` runs a test body and ends
 * every one with the same audit: once the manifests are gone, nothing of the
 * pods is left on the host.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  KubeletProcess,
  type KubeletSettings,
  type ListedPod,
  type LogLine,
} from '../../scripts/demo/kubelet-process.ts';
import { removeCgroupRoot } from '../../scripts/demo/remove-cgroup-root.ts';
import { unmountBelow } from '../../scripts/demo/unmount-below.ts';
import { type CriConnection, connectCri } from '../../src/adapters/cri/connect-cri.ts';
import { SystemClock } from '../../src/adapters/linux/machine/system-clock.ts';
import { silentLogger } from '../fakes/text-logger.ts';
import { findLeftovers, listNetworkTraces } from './leftovers.ts';
import { findStuckContainers, restartContainerd } from './stuck-containers.ts';

export const HOST_DIR = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
const POLL_MS = 25;
const START_DEADLINE_MS = 60_000;
const GONE_DEADLINE_MS = 60_000;
/** For what the runtime refused to remove before it was started again. */
const UNSTUCK_DEADLINE_MS = 60_000;
const SHOWN_LINES = 60;
/** How much longer everything may take here: an emulated machine is slow. */
const PATIENCE = Number(process.env['KUBELET_TS_PATIENCE'] ?? 1);

export type ContainerdVersion = '2.1' | '1.6';

/** The private containerd of that version; fails with what to run when there is none. */
export function containerdEndpoint(version: ContainerdVersion = '2.1'): string {
  const given = process.env[`KUBELET_TS_CONTAINERD_${version.replace('.', '_')}`];
  const endpoint = given ?? `unix://${HOST_DIR}/instances/${version}/containerd.sock`;
  assert.ok(
    existsSync(endpoint.replace('unix://', '')),
    `no containerd ${version} at "${endpoint}": run "scripts/host/containerd.sh up ${version}"`,
  );
  return endpoint;
}

/** Without a name of its own a node gets one that no other has. */
export interface NodeOptions extends Partial<Omit<KubeletSettings, 'directory'>> {
  /** Where the runtime really is, when `endpoint` leads through something else. */
  readonly runtimeEndpoint?: string;
  /** How long what a killed kubelet left half done may take to go. Without it nothing may be left at once. */
  readonly leftoversGoWithinMs?: number;
}

/** Runs `body` on a fresh node. A test that passes also leaves nothing behind; one that fails shows the log. */
export async function withNode(options: NodeOptions, body: (node: TestNode) => Promise<void>): Promise<void> {
  const node = await TestNode.create(options);
  try {
    await node.restart();
    await body(node);
    await node.auditNothingLeft(options.leftoversGoWithinMs ?? 0);
  } catch (error) {
    node.showLog();
    await node.removeAllManifests();
    await node
      .waitFor('the pods to end after a failure', async () => (await node.pods()).length === 0, 30_000)
      .catch(() => {});
    throw error;
  } finally {
    await node.dispose();
  }
}

export class TestNode {
  readonly kubelet: KubeletProcess;
  readonly cri: CriConnection;
  readonly directory: string;
  readonly #endpoint: string;
  readonly #networkBefore: ReadonlySet<string>;
  /** Pods in the runtime that a node before left behind: that one answers for them. */
  #podsBefore: ReadonlySet<string> = new Set();

  private constructor(directory: string, options: NodeOptions, networkBefore: ReadonlySet<string>) {
    const endpoint = options.endpoint ?? containerdEndpoint();
    this.directory = directory;
    this.#endpoint = options.runtimeEndpoint ?? endpoint;
    this.#networkBefore = networkBefore;
    const nodeName = options.nodeName ?? `n${randomBytes(3).toString('hex')}`;
    this.kubelet = new KubeletProcess({ ...options, endpoint, directory, nodeName });
    this.cri = connectCri({
      endpoint: this.#endpoint,
      requestTimeoutMs: 30_000,
      clock: new SystemClock(),
      logger: silentLogger,
    });
  }

  /** A node whose kubelet is not started yet. */
  static async create(options: NodeOptions = {}): Promise<TestNode> {
    const runtime = options.runtimeEndpoint ?? options.endpoint ?? containerdEndpoint();
    const directory = await mkdtemp(join(tmpdir(), 'kubelet-node-'));
    const node = new TestNode(directory, options, await listNetworkTraces(runtime));
    node.#podsBefore = new Set(
      (await node.cri.reader.listSandboxes().catch(() => [])).map(({ podUid }) => podUid),
    );
    return node;
  }

  get name(): string {
    return this.kubelet.nodeName;
  }

  /** The log so far, across restarts. */
  get logs(): readonly LogLine[] {
    return this.kubelet.lines;
  }

  /** The full name the node gives to the pod of a manifest. */
  podName(name: string): string {
    return `${name}-${this.name}`;
  }

  writeManifest(fileName: string, content: string | object, mode?: number): Promise<number> {
    return this.kubelet.writeManifest(fileName, content, mode);
  }

  removeManifest(fileName: string): Promise<number> {
    return this.kubelet.removeManifest(fileName);
  }

  async removeAllManifests(): Promise<void> {
    for (const file of await readdir(this.kubelet.manifestDir)) await this.removeManifest(file);
  }

  pods(): Promise<ListedPod[]> {
    return this.kubelet.pods();
  }

  /** The pod of a manifest as the kubelet lists it. Undefined while it is not there, or the kubelet does not answer. */
  async pod(name: string): Promise<ListedPod | undefined> {
    const pods = await this.pods().catch(() => []);
    return pods.find(({ metadata }) => metadata.name === this.podName(name));
  }

  /** Polls until `probe` answers with something; fails naming `what` after `deadlineMs`. Errors count as not yet. */
  async waitFor<T>(
    what: string,
    probe: () => Promise<T | undefined | false> | T | undefined | false,
    deadlineMs: number,
  ): Promise<T> {
    const limitMs = deadlineMs * PATIENCE;
    const until = performance.now() + limitMs;
    let trouble = '';
    for (;;) {
      try {
        const answer = await probe();
        if (answer !== undefined && answer !== false) return answer;
        trouble = '';
      } catch (error) {
        trouble = `: ${error instanceof Error ? error.message : error}`;
      }
      if (performance.now() > until)
        assert.fail(`timed out after ${limitMs} ms waiting for ${what}${trouble}`);
      await delay(POLL_MS * PATIENCE);
    }
  }

  /** Waits until the pod of a manifest is Running and Ready. */
  waitReady(name: string, deadlineMs = 60_000): Promise<ListedPod> {
    return this.waitFor(
      `pod "${name}" to be ready`,
      async () => {
        const pod = await this.pod(name);
        return pod !== undefined && isReady(pod) ? pod : undefined;
      },
      deadlineMs,
    );
  }

  /** Waits for a line that fits, among those from `from` on. */
  waitForLine(
    what: string,
    fits: (line: LogLine) => boolean,
    deadlineMs: number,
    from = 0,
  ): Promise<LogLine> {
    return this.waitFor(`the log to say ${what}`, () => this.logs.slice(from).find(fits), deadlineMs);
  }

  /** Starts the kubelet, after ending the one before if there is one, and waits until it says that it started. */
  async restart(): Promise<void> {
    await this.kubelet.stop();
    await this.startAgain();
  }

  /** Starts the kubelet whose predecessor has ended. */
  async startAgain(): Promise<void> {
    const from = this.logs.length;
    await this.kubelet.start();
    const started = this.waitForLine(
      'that it started',
      ({ msg }) => msg === 'kubelet started',
      START_DEADLINE_MS,
      from,
    );
    const ended = this.kubelet.ended.then(({ code }) => {
      const why = this.logs.findLast(({ severity }) => severity === 'error') ?? this.logs.at(-1);
      assert.fail(`the kubelet ended with code ${code} instead of starting: ${why?.['err'] ?? why?.msg}`);
    });
    await Promise.race([started, ended]);
  }

  /** Fails with the list when anything of this node is left after its manifests were removed. */
  async auditNothingLeft(leftoversGoWithinMs = 0): Promise<void> {
    await this.removeAllManifests();
    await this.waitFor('all pods to be gone', async () => (await this.pods()).length === 0, GONE_DEADLINE_MS);
    // What a call of a killed kubelet made late has no manifest: it is not listed, but it goes as well.
    const isClean = async (): Promise<boolean> => (await this.#leftovers()).length === 0;
    await this.waitFor('nothing to be left', isClean, leftoversGoWithinMs).catch(() => {});
    const stuck = await findStuckContainers(this.logs, this.cri.reader);
    if (stuck.length > 0) {
      process.stderr.write(`containerd does not let go of ${stuck.join(', ')}: starting it again\n`);
      await restartContainerd(this.#endpoint);
      await this.waitFor('nothing to be left', isClean, UNSTUCK_DEADLINE_MS).catch(() => {});
    }
    assert.deepEqual(await this.#leftovers(), [], 'left behind on the host');
  }

  showLog(): void {
    const lines = this.logs.slice(-SHOWN_LINES).map((line) => JSON.stringify(line));
    process.stderr.write(
      `--- the last lines of the kubelet of node ${this.name}\n${lines.join('\n')}\n---\n`,
    );
  }

  /** Ends the kubelet and removes the node's directories. */
  async dispose(): Promise<void> {
    await this.kubelet.stop();
    await this.cri.close();
    await removeCgroupRoot(this.kubelet.cgroupRoot);
    await unmountBelow(this.kubelet.rootDir);
    await rm(this.directory, { recursive: true, force: true });
  }

  async #leftovers(): Promise<string[]> {
    const { rootDir, podLogsDir } = this.kubelet;
    const added = this.logs.filter(({ msg }) => msg === 'pod added').map(({ podUid }) => String(podUid));
    const podUids = new Set(added).difference(this.#podsBefore);
    const left = await findLeftovers({
      nodeName: this.name,
      rootDir,
      podLogsDir,
      podUids,
      reader: this.cri.reader,
    });
    const network = await listNetworkTraces(this.#endpoint);
    return [...left, ...network.difference(this.#networkBefore)];
  }
}

export function isReady({ status }: Pick<ListedPod, 'status'>): boolean {
  return status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

/** Of the named container, main or init; fails when the status does not have it. */
export function containerStatus(
  { status }: ListedPod,
  name: string,
): NonNullable<ListedPod['status']['containerStatuses']>[number] {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const found = all.find((candidate) => candidate.name === name);
  assert.ok(found, `no status of container "${name}" in ${JSON.stringify(status)}`);
  return found;
}

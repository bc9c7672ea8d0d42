/**
 * The node of the test cluster while one kubelet has its turn: makes and
 * deletes pods, knows when they were ready and gone, and reads what the
 * kubelet has cost. Every scenario works through it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pod } from '../../src/core/api/pod.ts';
import { PODS } from '../../src/ports/cluster/api-resource.ts';
import { type ApiRequest, AuditLog, WRITES } from '../../test/cluster/live/audit-log.ts';
import { type Cluster, requireVariable } from '../../test/cluster/live/cluster.ts';
import type { Daemon } from '../../test/cluster/live/daemon.ts';
import { BUSYBOX, container } from '../../test/integration/sample-pods.ts';
import type { Plan } from '../plan.ts';
import { nowMs, PodTimes } from '../pod-times.ts';
import { readCpuMs, readResidentMiB } from '../process-cost.ts';
import { RuntimeWatch } from '../runtime-watch.ts';
import { KubeletPort } from './kubelet-port.ts';

/** What work leaves to be done (late events, garbage) counts as part of it. */
const SETTLE_MS = 3_000;
/** Before a kubelet is called at rest. */
const CALM_MS = 8_000;
/** Prints a line first: its time in the log is that of the first instruction. Ends at once when asked to. */
const COMMAND = ['/bin/tini', '--', 'sh', '-c', 'echo up; exec sleep infinity'];

export interface PodShape {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly container?: Readonly<Record<string, unknown>>;
}

export class BenchNode implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly kubelet: Daemon;
  readonly plan: Plan;
  readonly times: PodTimes;
  readonly runtime: RuntimeWatch;
  readonly port: KubeletPort;
  readonly #audit: AuditLog;
  #pods = 0;

  constructor(cluster: Cluster, namespace: string, kubelet: Daemon, plan: Plan) {
    const host = requireVariable('KUBELET_TS_HOST_DIR');
    this.cluster = cluster;
    this.namespace = namespace;
    this.kubelet = kubelet;
    this.plan = plan;
    this.times = new PodTimes(cluster, namespace);
    this.runtime = new RuntimeWatch(`unix://${join(host, 'instances/cluster/containerd.sock')}`);
    this.port = new KubeletPort(join(host, 'cluster/pki'));
    this.#audit = new AuditLog(host);
  }

  /** New names, never used before. */
  names(count: number): readonly string[] {
    return Array.from({ length: count }, () => `pod-${++this.#pods}`);
  }

  /** Creates them at once; returns when that began. */
  async create(names: readonly string[], shape: PodShape = {}): Promise<number> {
    const beganMs = nowMs();
    await Promise.all(names.map((name) => this.cluster.api.create(PODS, this.#toPod(name, shape))));
    return beganMs;
  }

  /** Creates them and waits until all are ready. */
  async start(names: readonly string[], shape: PodShape = {}): Promise<void> {
    await this.create(names, shape);
    await this.times.until(names, 'ready');
  }

  /** Deletes them at once and waits until the API server has forgotten them; returns how long each took. */
  async remove(names: readonly string[]): Promise<readonly number[]> {
    const beganMs = nowMs();
    const { namespace } = this;
    await Promise.all(names.map((name) => this.cluster.api.delete({ resource: PODS, namespace, name })));
    return (await this.times.until(names, 'gone')).map((atMs) => atMs - beganMs);
  }

  async pod(name: string): Promise<Pod> {
    const pod = await this.cluster.api.get<Pod>({ resource: PODS, namespace: this.namespace, name });
    if (pod === undefined) throw new Error(`pod "${name}" is gone`);
    return pod;
  }

  /** When the process of its container first wrote something, in milliseconds since the epoch. */
  async firstInstructionMs(pod: Pod, restarts = 0): Promise<number> {
    const { name, uid } = pod.metadata;
    const directory = `${this.namespace}_${name}_${uid}`;
    const root = join(this.kubelet.argument('--root-dir'), '../logs');
    const text = await readFile(join(root, directory, 'main', `${restarts}.log`), 'utf8').catch(() => '');
    return Date.parse(text.split(' ', 1)[0] ?? '');
  }

  /** CPU time of the kubelet in milliseconds while `work` is done and settles. */
  async cpuOf(work: () => Promise<void>): Promise<number> {
    const before = await readCpuMs(this.kubelet.pid);
    await work();
    await delay(SETTLE_MS);
    return (await readCpuMs(this.kubelet.pid)) - before;
  }

  /** Millicores over the plan's window, while `work` is done if there is any. */
  async millicores(work?: (endMs: number) => Promise<void>): Promise<number> {
    const [before, began] = [await readCpuMs(this.kubelet.pid), performance.now()];
    await Promise.all([delay(this.plan.windowMs), work?.(performance.now() + this.plan.windowMs)]);
    return (((await readCpuMs(this.kubelet.pid)) - before) / (performance.now() - began)) * 1000;
  }

  async untilCalm(): Promise<void> {
    await delay(CALM_MS);
  }

  residentMiB(): Promise<number> {
    return readResidentMiB(this.kubelet.pid);
  }

  /** What the kubelet wrote about pods of this benchmark since the last call. */
  readWrites(): readonly ApiRequest[] {
    return this.#audit
      .read()
      .filter(({ verb, namespace }) => WRITES.includes(verb) && namespace === this.namespace);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.times[Symbol.asyncDispose]();
    await this.runtime.close();
  }

  #toPod(name: string, shape: PodShape): object {
    const main = { ...container('main', COMMAND), image: BUSYBOX, ...shape.container };
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: this.namespace },
      spec: {
        nodeName: this.cluster.nodeName,
        terminationGracePeriodSeconds: 5,
        containers: [main],
        ...shape.spec,
      },
    };
  }
}

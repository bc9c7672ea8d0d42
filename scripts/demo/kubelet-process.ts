/**
 * A kubelet process with directories and ports of its own, as the demo, the
 * integration tests and the benchmark start it: standalone, on a given CRI
 * endpoint, with its log as JSON lines. Knows nothing about pods beyond where
 * manifests go and where they can be read.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Pod } from '../../src/core/api/pod.ts';
import type { PodStatus } from '../../src/core/api/pod-status.ts';
import type { CgroupDriver } from '../../src/core/model/node-profile.ts';
import { freePort } from './free-port.ts';
import { makeCgroupRoot } from './make-cgroup-root.ts';

/** A line of the JSON log: milliseconds since the epoch, the message, its fields. */
export interface LogLine {
  readonly ts: number;
  readonly msg: string;
  readonly severity?: 'warning' | 'error';
  readonly [field: string]: unknown;
}

export type ListedPod = Pick<Pod, 'metadata' | 'spec'> & { readonly status: Partial<PodStatus> };

export interface KubeletSettings {
  /** Holds everything of this node; the caller makes and removes it. */
  readonly directory: string;
  /** Holds the root directory and the logs of pods, where that is not the same. */
  readonly dataDirectory?: string;
  readonly endpoint: string;
  readonly nodeName: string;
  /** The executable; by default the one of this repository. */
  readonly program?: string;
  /** Merged over the generated KubeletConfiguration. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What the runtime of the tests was set up for; `make vm-test` tries both. */
export const CGROUP_DRIVER: CgroupDriver =
  process.env['KUBELET_TS_CGROUP_DRIVER'] === 'systemd' ? 'systemd' : 'cgroupfs';

const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'kubelet');
const REQUEST_TIMEOUT_MS = 5_000;

export class KubeletProcess {
  readonly rootDir: string;
  readonly podLogsDir: string;
  readonly manifestDir: string;
  readonly logFile: string;
  readonly nodeName: string;
  /** A kubelet ends what it does not know below its cgroup, and there may be others on this host. */
  readonly cgroupRoot: string;
  readonly lines: LogLine[] = [];
  readonly #settings: KubeletSettings;
  readonly #listeners = new Set<(line: LogLine) => void>();
  #ports = { healthz: 0, readOnly: 0, main: 0 };
  #child: ChildProcess | undefined;
  #ended: Promise<ProcessEnd> = Promise.resolve({ code: 0, signal: null });

  constructor(settings: KubeletSettings) {
    this.#settings = settings;
    this.nodeName = settings.nodeName;
    this.cgroupRoot = `/kubelet-ts-${settings.nodeName}`;
    const { directory, dataDirectory = directory } = settings;
    this.rootDir = join(dataDirectory, 'root');
    this.podLogsDir = join(dataDirectory, 'logs');
    this.manifestDir = join(directory, 'manifests');
    this.logFile = join(directory, 'kubelet.log');
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get healthPort(): number {
    return this.#ports.healthz;
  }

  get readOnlyPort(): number {
    return this.#ports.readOnly;
  }

  /** Resolves when the process has ended and its log is complete. */
  get ended(): Promise<ProcessEnd> {
    return this.#ended;
  }

  /** Calls `listener` for every line from now on. */
  onLine(listener: (line: LogLine) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Starts the process; the same directories and ports every time. */
  async start(): Promise<void> {
    const { directory, program, config, flags = [], env = {} } = this.#settings;
    if (config?.['cgroupRoot'] === undefined) await makeCgroupRoot(this.cgroupRoot, CGROUP_DRIVER);
    for (const path of [this.rootDir, this.manifestDir]) await mkdir(path, { recursive: true });
    if (this.#ports.healthz === 0) {
      this.#ports = { healthz: await freePort(), readOnly: await freePort(), main: await freePort() };
    }
    const configFile = join(directory, 'config.json');
    await writeFile(configFile, JSON.stringify(this.#configuration(), undefined, 2));
    const child = spawn(
      program ?? PROGRAM,
      [
        `--config=${configFile}`,
        `--root-dir=${this.rootDir}`,
        `--cert-dir=${join(directory, 'pki')}`,
        `--hostname-override=${this.nodeName}`,
        '--v=2',
        // There may be others on this host; upstream has no such flag.
        ...(program === undefined ? ['--page-port=0'] : []),
      ].concat(flags),
      // A group of its own: Ctrl-C in the terminal is for the caller to pass on.
      { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env: { ...process.env, ...env } },
    );
    this.#child = child;
    this.#ended = this.#follow(child);
  }

  /** Asks the process to end and waits for it; pods keep running. */
  async stop(): Promise<ProcessEnd> {
    this.#child?.kill('SIGTERM');
    return this.#ended;
  }

  async kill9(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  /** Puts a manifest in place in one step, so that no reader sees half of it. Returns the time. */
  async writeManifest(fileName: string, content: string | object, mode = 0o644): Promise<number> {
    const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, 2);
    const draft = join(this.#settings.directory, `.${fileName}.draft`);
    await writeFile(draft, text, { mode });
    await rename(draft, join(this.manifestDir, fileName));
    return Date.now();
  }

  /** Returns the time the manifest was removed. */
  async removeManifest(fileName: string): Promise<number> {
    await rm(join(this.manifestDir, fileName), { force: true });
    return Date.now();
  }

  /** The pods with their statuses, from the read-only port. Rejects while nothing listens there. */
  async pods(): Promise<ListedPod[]> {
    const { body } = await fetchText(this.#ports.readOnly, '/pods');
    return (JSON.parse(body) as { items: ListedPod[] | null }).items ?? [];
  }

  /** Status code and text of a path on the health port. */
  health(path: string): Promise<{ readonly status: number; readonly body: string }> {
    return fetchText(this.#ports.healthz, path);
  }

  #configuration(): object {
    const { endpoint, config = {} } = this.#settings;
    return {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      containerRuntimeEndpoint: endpoint,
      staticPodPath: this.manifestDir,
      podLogsDir: this.podLogsDir,
      cgroupDriver: CGROUP_DRIVER,
      cgroupRoot: this.cgroupRoot,
      // These hosts may have the older cgroups, and swap.
      failCgroupV1: false,
      failSwapOn: false,
      // Nor is their packet filter ours.
      makeIPTablesUtilChains: false,
      address: '127.0.0.1',
      port: this.#ports.main,
      readOnlyPort: this.#ports.readOnly,
      healthzPort: this.#ports.healthz,
      logging: { format: 'json' },
      // Without an API server there is none to ask.
      authentication: { anonymous: { enabled: false }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
      ...config,
    };
  }

  async #follow(child: ChildProcess): Promise<ProcessEnd> {
    const file = createWriteStream(this.logFile, { flags: 'a' });
    const failed = new Promise<never>((_resolve, reject) => child.once('error', reject));
    const exited = new Promise<ProcessEnd>((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal })),
    );
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface(stream).on('line', (line) => this.#take(line, file));
    }
    try {
      return await Promise.race([exited, failed]);
    } finally {
      file.end();
    }
  }

  #take(text: string, file: WriteStream): void {
    file.write(`${text}\n`);
    const line = parseLine(text);
    this.lines.push(line);
    for (const listener of this.#listeners) listener(line);
  }
}

/** What is not JSON (a crash, a usage error) becomes a line without fields. */
function parseLine(text: string): LogLine {
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line === 'object' && line !== null && 'msg' in line) return line as LogLine;
  } catch {
    // Not JSON: taken as it is.
  }
  return { ts: Date.now(), msg: text };
}

function fetchText(port: number, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = get(
      { host: '127.0.0.1', port, path, agent: false, timeout: REQUEST_TIMEOUT_MS },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
        response.on('error', reject);
      },
    );
    request.on('timeout', () => request.destroy(new Error(`no answer from port ${port} within 5s`)));
    request.on('error', reject);
  });
}

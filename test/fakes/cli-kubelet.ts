/**
 * A kubelet for tests of the command line: its local socket with made-up pods,
 * and sub-commands run against it. What it serves are fields that a test sets;
 * before each test they are as at first.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, beforeEach } from 'node:test';
import type { PodProcess } from '../../src/adapters/linux/machine/list-pod-processes.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import { toContainerId } from '../../src/core/model/ids.ts';
import { runCli } from '../../src/main/cli/run-cli.ts';
import { toLocalSocket } from '../../src/main/config/local-socket.ts';
import type { ConfigurationReport } from '../../src/ports/host/configuration-report.ts';
import { createLocalServer, type LocalServerSettings } from '../../src/server/local-server.ts';
import type { PageAddress } from '../../src/server/page/page-server.ts';
import type { RejectedListing } from '../../src/server/pods/rejected-list.ts';
import {
  cliAssignments,
  cliEvents,
  cliHistory,
  cliPod,
  cliTimeline,
  cliUsage,
  CLI_NOW_MS as NOW,
} from '../samples/sample-cli-node.ts';
import { instance } from '../samples/sample-pods.ts';
import { FakeClock } from './fake-clock.ts';
import { silentLogger } from './text-logger.ts';

interface RunOptions {
  readonly signal?: AbortSignal;
  /** Gets all that was printed so far. */
  readonly onOutput?: (out: string) => void;
  readonly columns?: number;
}

export class CliKubelet {
  rootDir = '';
  pods: Pod[] = [];
  /** To be called after `pods` changed, for those who watch. */
  changed: () => void = () => {};
  rejected: ReturnType<RejectedListing['list']> = [];
  page: PageAddress = { problem: 'the page is off' };
  processes: PodProcess[] = [];
  configuration: ConfigurationReport = { sources: [], problems: [], differences: [] };
  /** What the last reader of a log asked for. */
  asked: URLSearchParams | undefined;
  #server: ReturnType<typeof createLocalServer> | undefined;

  async start(): Promise<void> {
    this.rootDir = await mkdtemp(join(tmpdir(), 'kts-'));
    this.#server = createLocalServer(toLocalSocket(this.rootDir), {
      nodeName: 'n1',
      page: () => this.page,
      node: this.#node(),
      pods: this.#podViews(),
      explain: ({ metadata }) =>
        metadata.name.startsWith('job')
          ? { state: 'ended', waitsFor: 'as Succeeded', sentence: 'Ended as Succeeded.' }
          : {
              state: metadata.name === 'web-n1' ? 'waiting' : 'ready',
              sentence: metadata.name === 'web-n1' ? 'Waiting for x.' : 'Ready.',
              waitsFor: 'x',
              sinceMs: NOW,
              nextTryAtMs: NOW + 5_000,
            },
      events: { list: () => cliEvents, subscribe: () => ({ [Symbol.dispose]: () => {} }) },
      containers: this.#containers(),
      kit: { clock: new FakeClock(), logger: silentLogger },
    });
    await this.#server.start();
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    await rm(this.rootDir, { recursive: true });
  }

  reset(): void {
    this.pods = [cliPod('default', 'web'), cliPod('kube-system', 'dns')];
    this.rejected = [];
    this.page = { problem: 'the page is off' };
    this.processes = [];
    this.asked = undefined;
  }

  /** Runs a sub-command, given as one would type it. */
  async run(text: string, { signal = new AbortController().signal, onOutput, columns }: RunOptions = {}) {
    const [stdout, stderr] = [Object.assign(new PassThrough(), columns && { columns }), new PassThrough()];
    let [out, err] = ['', ''];
    stdout.on('data', (chunk) => {
      out += chunk;
      onOutput?.(out);
    });
    stderr.on('data', (chunk) => {
      err += chunk;
    });
    const host = {
      stdin: new PassThrough(),
      stdout,
      stderr,
      now: () => NOW,
      signal,
      env: {},
      findRunning: async () => [this.rootDir],
      listProcesses: async () => this.processes,
    };
    const [verb = '', ...words] = text.split(' ');
    const code = await runCli([verb, `--root-dir=${this.rootDir}`, ...words], host);
    await new Promise((resolve) => setImmediate(resolve));
    return { code, out, err };
  }

  #node(): LocalServerSettings['node'] {
    return {
      about: { version: 'v1', manifests: '/etc/manifests' },
      evictor: undefined,
      resources: { report: () => cliAssignments },
      configuration: { report: async () => this.configuration },
      images: {
        report: async () => ({ images: [], fileSystem: undefined, space: undefined, wouldRemove: [] }),
      },
      statistics: { read: () => assert.fail(), readUsage: async () => cliUsage, history: () => cliHistory },
      cores: 4,
    };
  }

  #podViews(): LocalServerSettings['pods'] {
    return {
      listPods: () => this.pods,
      statusOf: () => undefined,
      onChange: (listener) => {
        this.changed = listener;
        return { [Symbol.dispose]: () => {} };
      },
      operate: {
        retry: ({ metadata }) => ({ ok: true, subjects: metadata.name === 'web-n1' ? ['main'] : [] }),
        restart: (_, container) =>
          container === 'side'
            ? { ok: false, problem: 'no container runs' }
            : { ok: true, subjects: container === undefined ? ['main', 'side'] : [container] },
      },
      timeline: () => cliTimeline,
      rejected: { list: () => this.rejected, subscribe: () => ({ [Symbol.dispose]: () => {} }) },
    };
  }

  #containers(): LocalServerSettings['containers'] {
    return {
      logs: {
        runtime: {
          containerStatus: async (id) =>
            instance('main', 'running', { id, details: { logPath: `/logs/${id}` } }),
        },
        logs: {
          read: async (path, query, sink) => {
            this.asked = new URLSearchParams(JSON.parse(JSON.stringify(query)) as Record<string, string>);
            await sink.write(Buffer.from(`line of ${path}\n`));
          },
        },
        splitStreams: true,
      },
      streaming: {
        reader: {
          listContainers: async () => [instance('main', 'running', { id: toContainerId('main-1') })],
          listSandboxes: async () => [],
        } as never,
        streaming: {} as never,
        idleTimeoutMs: 1_000,
        translateWebSockets: true,
      },
    };
  }
}

/** One for the tests of a suite: started before them, stopped after them. */
export function useCliKubelet(): CliKubelet {
  const kubelet = new CliKubelet();
  before(() => kubelet.start());
  after(() => kubelet.stop());
  beforeEach(() => kubelet.reset());
  return kubelet;
}

/**
 * Debian's Prometheus and its promtool, from the host scripts: one checks the
 * text of metrics, the other scrapes a kubelet as it does in a cluster.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/demo/free-port.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '..', '..', 'scripts', 'host', 'prometheus.sh');
const SCRAPE_INTERVAL = '1s';

export interface ScrapeTarget {
  readonly labels: { readonly job: string };
  readonly health: 'up' | 'down' | 'unknown';
  readonly lastError: string;
}

async function findPrograms(): Promise<string> {
  return (await run(SCRIPT)).stdout.trim();
}

/** What promtool does not like, one line each. */
export async function checkMetrics(text: string): Promise<string[]> {
  const child = spawn(join(await findPrograms(), 'promtool'), ['check', 'metrics'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
  child.stdin.end(text);
  await new Promise((resolve) => child.once('close', resolve));
  return printed.split('\n').filter((line) => line !== '');
}

export class PrometheusProcess {
  readonly #directory: string;
  readonly #port: number;
  readonly #child: ChildProcess;

  private constructor(directory: string, port: number, child: ChildProcess) {
    this.#directory = directory;
    this.#port = port;
    this.#child = child;
  }

  /** Scrapes each path of the port, every second, as a job of its own. */
  static async start(targetPort: number, paths: readonly string[]): Promise<PrometheusProcess> {
    const directory = await mkdtemp(join(tmpdir(), 'prometheus-'));
    const port = await freePort();
    const jobs = paths.map((path) => ({
      job_name: path,
      metrics_path: path,
      static_configs: [{ targets: [`127.0.0.1:${targetPort}`] }],
    }));
    const global = { scrape_interval: SCRAPE_INTERVAL, scrape_timeout: SCRAPE_INTERVAL };
    const config = join(directory, 'prometheus.json');
    await writeFile(config, JSON.stringify({ global, scrape_configs: jobs }));
    const child = spawn(
      join(await findPrograms(), 'prometheus'),
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    return new PrometheusProcess(directory, port, child);
  }

  /** None while it does not answer yet. */
  async targets(): Promise<readonly ScrapeTarget[]> {
    const { activeTargets } = await this.#ask<{ activeTargets: ScrapeTarget[] }>('targets').catch(() => ({
      activeTargets: [],
    }));
    return activeTargets;
  }

  /** The values of an instant query. */
  async query(expression: string): Promise<number[]> {
    const { result } = await this.#ask<{ result: { value: [number, string] }[] }>(
      `query?query=${encodeURIComponent(expression)}`,
    );
    return result.map(({ value: [, value] }) => Number(value));
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.kill('SIGTERM');
    await ended;
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #ask<T>(path: string): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/api/v1/${path}`);
    const { data } = (await response.json()) as { data: T };
    return data;
  }
}

/**
 * One background program of the test cluster (the kubelet, the API server):
 * found through the pid file that the start scripts keep, killed, and started
 * again exactly as it was: same program, arguments, environment and log.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { requireVariable, waitFor } from './cluster.ts';

export type DaemonName =
  | 'kubelet-cluster'
  | 'cluster-kube-apiserver'
  | 'cluster-kube-controller-manager'
  | 'cluster-kube-scheduler';

export class Daemon {
  readonly #name: DaemonName;
  readonly #directory: string;
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #environment: Record<string, string>;
  readonly #workingDirectory: string;
  #pid: number;

  private constructor(name: DaemonName, directory: string, pid: number) {
    this.#name = name;
    this.#directory = directory;
    this.#pid = pid;
    this.#program = readlinkSync(`/proc/${pid}/exe`);
    this.#args = readWords(`/proc/${pid}/cmdline`).slice(1);
    this.#environment = Object.fromEntries(
      readWords(`/proc/${pid}/environ`).map((word) => {
        const at = word.indexOf('=');
        return [word.slice(0, at), word.slice(at + 1)];
      }),
    );
    this.#workingDirectory = readlinkSync(`/proc/${pid}/cwd`);
  }

  /** The one that runs now; fails when none does. */
  static find(name: DaemonName): Daemon {
    const directory = join(requireVariable('KUBELET_TS_HOST_DIR'), 'run');
    const [pid = '', program] = readFileSync(join(directory, `${name}.pid`), 'utf8')
      .trim()
      .split(' ');
    const running = existsSync(`/proc/${pid}/exe`) ? readlinkSync(`/proc/${pid}/exe`) : 'nothing';
    assert.equal(running, program, `"${name}" does not run: run "make cluster-up"`);
    return new Daemon(name, directory, Number(pid));
  }

  get pid(): number {
    return this.#pid;
  }

  /** The value of `--name value` or `--name=value`. */
  argument(name: string): string {
    const at = this.#args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
    const value = this.#args[at]?.slice(name.length + 1) || this.#args[at + 1];
    assert.ok(at >= 0 && value, `"${this.#name}" was started without ${name}`);
    return value;
  }

  /** How much there is in its log, of all its lives: to read on from here. */
  get logSize(): number {
    return statSync(this.#logPath).size;
  }

  readLog(from: number): string {
    return readFileSync(this.#logPath).subarray(from).toString();
  }

  get isRunning(): boolean {
    return existsSync(`/proc/${this.#pid}/exe`) && !isZombie(this.#pid);
  }

  /** SIGKILL; resolves when the process is gone. */
  async kill(): Promise<void> {
    process.kill(this.#pid, 'SIGKILL');
    await waitFor(`the end of "${this.#name}"`, () => !this.isRunning);
  }

  /**
   * Starts it again; with `prefix` another program (such as setpriv) becomes
   * it, with `more` it gets arguments that win over its own.
   */
  start(prefix: readonly string[] = [], more: readonly string[] = []): void {
    assert.ok(!this.isRunning, `"${this.#name}" runs already`);
    const log = openSync(this.#logPath, 'a');
    const [program = '', ...args] = [...prefix, this.#program, ...this.#args, ...more];
    const child = spawn(program, args, {
      cwd: this.#workingDirectory,
      env: this.#environment,
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    child.unref();
    assert.ok(child.pid, `cannot start "${program}"`);
    this.#pid = child.pid;
    writeFileSync(join(this.#directory, `${this.#name}.pid`), `${child.pid} ${this.#program}\n`);
  }

  get #logPath(): string {
    return join(this.#directory, `${this.#name}.log`);
  }
}

function readWords(path: string): string[] {
  return readFileSync(path, 'utf8').split('\0').slice(0, -1);
}

/** A child of this process that ended stays visible until it is waited for. */
function isZombie(pid: number): boolean {
  try {
    return / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''));
  } catch {
    return true;
  }
}
